import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { testNamespace } from '@offer-ads/testing/stores/broker';
import { startTcpProxy } from '@offer-ads/testing/stores/tcp-proxy';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { connect } from 'amqplib';
import { type Broker, on, onBatch } from '../src/messaging/broker/broker.ts';
import { newEvent } from '../src/messaging/events.ts';
import { serviceUnavailable } from '../src/process/faults.ts';
import { createMetrics } from '../src/telemetry/metrics.ts';
import {
  Counted,
  connectTestBroker,
  counted,
  Poured,
  publishRaw,
  testDeclarations,
  upTo,
  Whispered,
} from './test-events.ts';

/** Disposed in reverse order: a client before its proxy. */
let resources: AsyncDisposableStack;
beforeEach(() => {
  resources = new AsyncDisposableStack();
});
afterEach(() => resources.disposeAsync());

async function publisherAndConsumer(
  handle: (count: number, id: string) => Promise<void> = async () => {},
): Promise<{ offers: Broker; billing: Broker; corner: ReturnType<typeof testNamespace> }> {
  const corner = testNamespace();
  const offers = resources.use(await connectTestBroker(corner, 'offers'));
  const billing = resources.use(await connectTestBroker(corner, 'billing'));
  await billing.consume([on(Counted, (event) => handle(event.data.count, event.id))]);
  return { offers, billing, corner };
}

describe('publishing', () => {
  it('delivers an event with its id, time, subject and data', async () => {
    const received: unknown[] = [];
    const corner = testNamespace();
    const offers = resources.use(await connectTestBroker(corner, 'offers'));
    const billing = resources.use(await connectTestBroker(corner, 'billing'));
    await billing.consume([on(Counted, async (event) => void received.push(event))]);
    const event = counted(7);
    await offers.publish([event]);
    await eventually(() =>
      expect(received).toMatchObject([
        {
          id: event.id,
          time: new Date(event.time),
          subject: 'test/1',
          subjectVersion: 7,
          data: { count: 7 },
        },
      ]),
    );
  });

  it('keeps an event for a consumer that has never been started', async () => {
    const corner = testNamespace();
    const offers = resources.use(await connectTestBroker(corner, 'offers'));
    await offers.publish([counted(1)]);
    const billing = resources.use(await connectTestBroker(corner, 'billing'));
    const received: number[] = [];
    await billing.consume([on(Counted, async (event) => void received.push(event.data.count))]);
    await eventually(() => expect(received).toEqual([1]));
  });

  it('succeeds without a queue when no service consumes the event', async () => {
    const offers = resources.use(await connectTestBroker(testNamespace(), 'offers'));
    const event = newEvent(Whispered, {
      subject: 'test/1',
      subjectVersion: 1,
      at: new Date(),
      data: { text: 'psst' },
    });
    await expect(offers.publish([event])).resolves.toBeUndefined();
  });

  it('rejects when the queue of a consumer is gone, and creates the queue again', async () => {
    const corner = testNamespace();
    const offers = resources.use(await connectTestBroker(corner, 'offers'));
    const connection = await connect(corner.url);
    const channel = await connection.createChannel();
    await channel.deleteQueue(`${corner.namespace}.billing`);
    await expect(offers.publish([counted(1)])).rejects.toThrow('no queue for offers.Counted.v1');
    await eventually(() => expect(offers.publish([counted(2)])).resolves.toBeUndefined());
    await connection.close();
  });

  it('keeps the order of a list', async () => {
    const received: number[] = [];
    const { offers } = await publisherAndConsumer(async (count) => void received.push(count));
    const counts = upTo(300);
    await offers.publish(counts.map(counted));
    await eventually(() => expect(received).toEqual(counts));
  });

  it('rejects at once while the broker is down', async () => {
    const corner = testNamespace();
    const proxy = resources.use(await startTcpProxy(corner.url));
    const offers = resources.use(await connectTestBroker({ ...corner, url: proxy.url }, 'offers'));
    proxy.takeDown();
    await eventually(() => expect(offers.connected()).toBe(false));
    await expect(offers.publish([counted(1)])).rejects.toMatchObject({ status: 503 });
  });

  it('lets no event overtake those that were lost with a connection', async () => {
    const corner = testNamespace();
    const proxy = resources.use(await startTcpProxy(corner.url));
    const offers = resources.use(await connectTestBroker({ ...corner, url: proxy.url }, 'offers'));
    const publish = offers.publisher();
    await publish([counted(1)]);
    proxy.cut();
    await eventually(() => offers.publish([counted(2)]));
    await expect(publish([counted(3)])).rejects.toThrow('Channel closed');
    await expect(offers.publisher()([counted(4)])).resolves.toBeUndefined();
  });

  it('rejects within its time-out when the broker does not answer', async () => {
    const corner = testNamespace();
    const proxy = resources.use(await startTcpProxy(corner.url));
    const offers = resources.use(
      await connectTestBroker({ ...corner, url: proxy.url }, 'offers', { confirmTimeoutMs: 200 }),
    );
    proxy.freeze();
    await expect(offers.publish([counted(1)])).rejects.toThrow('confirms did not come in time');
    // A connection that works again is closed sooner.
    proxy.cut();
    await eventually(() => offers.publish([counted(2)]));
  });
});

describe('events that come by the thousand', () => {
  const declarations = [...testDeclarations, Poured];
  const poured = (drop: number) =>
    newEvent(Poured, { subject: 'test/1', subjectVersion: drop, at: new Date(), data: { drop } });

  it('delay no other event: more wait than a consumer takes at once, and none of them is finished', async () => {
    const corner = testNamespace();
    const offers = resources.use(await connectTestBroker(corner, 'offers', { declarations }));
    const billing = resources.use(await connectTestBroker(corner, 'billing', { declarations }));
    await offers.publish(upTo(2_500).map(poured));
    const gate = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    let drops = 0;
    const received: number[] = [];
    await billing.consume([
      onBatch(Poured, async (events) => {
        begun.resolve();
        await gate.promise;
        drops += events.length;
      }),
      on(Counted, async ({ data }) => void received.push(data.count)),
    ]);
    await begun.promise;
    await offers.publish([counted(1)]);
    await eventually(() => expect(received).toEqual([1]));
    expect(drops).toBe(0);
    gate.resolve();
    await eventually(() => expect(drops).toBe(2_500));
  });

  it('are tried again, parked and replayed through the queue that they came from', async () => {
    const corner = testNamespace();
    const offers = resources.use(await connectTestBroker(corner, 'offers', { declarations }));
    const billing = resources.use(await connectTestBroker(corner, 'billing', { declarations }));
    let isMended = false;
    let attempts = 0;
    const received: number[] = [];
    await billing.consume([
      on(Poured, async ({ data }) => {
        attempts += 1;
        if (!isMended) throw new Error('not yet');
        received.push(data.drop);
      }),
      on(Counted, async () => {}),
    ]);
    await offers.publish([poured(7)]);
    await eventually(async () => expect(await billing.parked.list(10)).toHaveLength(1));
    expect(attempts).toBe(5);
    isMended = true;
    expect(await billing.parked.replay('all')).toBe(1);
    await eventually(() => expect(received).toEqual([7]));
    expect(await billing.parked.list(10)).toEqual([]);
  });
});

describe('handling', () => {
  it('that is stopped finishes the events at work, gives back the others, and publishing still works', async () => {
    const begun: number[] = [];
    const gate = Promise.withResolvers<void>();
    const { offers, billing, corner } = await publisherAndConsumer(async (count) => {
      begun.push(count);
      await gate.promise;
    });
    // More than are handled at once, so that some were only delivered.
    await offers.publish(upTo(8).map(counted));
    await eventually(() => expect(begun).toHaveLength(5));
    let stopped = false;
    const stopping = billing.stopConsuming().finally(() => {
      stopped = true;
    });
    await billing.publish([counted(8)]);
    expect(stopped).toBe(false);
    gate.resolve();
    await stopping;
    await eventually(async () => expect(await corner.waiting('billing')).toBe(4));
    expect(begun).toHaveLength(5);
  });

  it('parks an event that always fails after five attempts, with the reason, and handles the others meanwhile', async () => {
    const attempts: number[] = [];
    const handled: number[] = [];
    const { offers, billing } = await publisherAndConsumer(async (count) => {
      if (count === 2) {
        attempts.push(count);
        throw new Error('poison');
      }
      handled.push(count);
    });
    const poison = counted(2);
    await offers.publish([counted(1), poison, counted(3)]);
    await eventually(() => expect(handled).toEqual([1, 3]));
    await eventually(async () => expect(await billing.parked.list(10)).toHaveLength(1));
    expect(attempts).toHaveLength(5);
    expect(await billing.parked.list(10)).toEqual([
      {
        id: poison.id,
        type: 'offer-ads.offers.Counted.v1',
        subject: 'test/1',
        reason: 'poison',
        attempts: 5,
        parkedAt: expect.any(String),
        body: '{"count":2}',
      },
    ]);
  });

  it('puts events off while a store is unavailable, however often it tries, and neither parks them nor counts the tries', async () => {
    const seen: number[] = [];
    let tries = 0;
    const { offers, billing, corner } = await publisherAndConsumer(async (count) => {
      tries += 1;
      if (tries <= 30) throw serviceUnavailable('postgres: away');
      seen.push(count);
    });
    await offers.publish([0, 1, 2].map(counted));
    await eventually(() => expect(seen.toSorted((a, b) => a - b)).toEqual([0, 1, 2]));
    expect(tries).toBe(33);
    expect(await billing.parked.list(10)).toEqual([]);
    await eventually(async () => expect(await corner.waiting('billing')).toBe(0));
  });

  it('parks an event after five attempts when the store is unavailable for this event only', async () => {
    const seen: number[] = [];
    const { offers, billing } = await publisherAndConsumer(async (count) => {
      if (count === 3) {
        await pause(50);
        throw serviceUnavailable('postgres: statement timeout');
      }
      seen.push(count);
    });
    await offers.publish([counted(3)]);
    for (let count = 100; (await billing.parked.list(10)).length === 0; count += 1) {
      await offers.publish([counted(count)]);
      await eventually(() => expect(seen).toContain(count));
    }
    expect(await billing.parked.list(10)).toMatchObject([
      { body: '{"count":3}', reason: 'postgres: statement timeout', attempts: 5 },
    ]);
  });

  it('publishes a waiting event again before the broker closes the channel of its consumer', async () => {
    const corner = testNamespace();
    const offers = resources.use(await connectTestBroker(corner, 'offers'));
    const metrics = createMetrics('billing');
    const options = { waitsAtMostMs: 0, metrics };
    const billing = resources.use(await connectTestBroker(corner, 'billing', options));
    let deliveries = 0;
    await billing.consume([
      on(Counted, async () => {
        deliveries += 1;
        if (deliveries <= 25) throw serviceUnavailable('postgres: away');
      }),
    ]);
    const waits = async () => metrics.registry.getSingleMetricAsString('events_wait_for_store');
    await offers.publish([counted(1)]);
    await eventually(async () => expect(await waits()).toMatch(/ 1$/));
    // After 20 deliveries the broker itself would park an event that was given back.
    await eventually(() => expect(deliveries).toBe(26));
    expect(await billing.parked.list(10)).toEqual([]);
    await eventually(async () => expect(await corner.waiting('billing')).toBe(0));
    expect(await waits()).toMatch(/ 0$/);
  });

  const good = {
    cloudEvents_specversion: '1.0',
    cloudEvents_type: 'offer-ads.offers.Counted.v1',
    cloudEvents_id: randomUUID(),
    cloudEvents_time: '2026-06-01T12:00:00.000Z',
    cloudEvents_subject: 'test/1',
    cloudEvents_subjectversion: 1,
  };
  it.each([
    ['a body that is not JSON', good, '{', 'the body is not JSON'],
    ['a body that does not fit the schema', good, '{"count":"many"}', 'count: '],
    ['an unknown type', { ...good, cloudEvents_type: 'x' }, '{"count":1}', 'unknown event type "x"'],
    ['no headers at all', {}, '{"count":1}', 'unknown event type'],
    ['an id that is none', { ...good, cloudEvents_id: '1' }, '{"count":1}', 'bad attributes: id: '],
  ])('parks an unreadable event at once and goes on: %s', async (_what, headers, body, reason) => {
    const handled: number[] = [];
    const { offers, billing, corner } = await publisherAndConsumer(async (count) => void handled.push(count));
    await publishRaw(corner, { headers, body });
    await offers.publish([counted(9)]);
    await eventually(() => expect(handled).toEqual([9]));
    const [parked] = await eventually(async () => {
      const list = await billing.parked.list(10);
      expect(list).toHaveLength(1);
      return list;
    });
    expect(parked).toMatchObject({ body, attempts: 0, reason: expect.stringContaining(reason) });
  });

  it('does not start when a declared event of the service has no handler', async () => {
    const billing = resources.use(await connectTestBroker(testNamespace(), 'billing'));
    await expect(billing.consume([])).rejects.toThrow('does not subscribe to Counted');
  });
});

describe('parked events', () => {
  it('are handled when they are replayed, and only the selected ones', async () => {
    let broken = true;
    const handled: number[] = [];
    const { offers, billing } = await publisherAndConsumer(async (count) => {
      if (broken) throw new Error('broken');
      handled.push(count);
    });
    const events = [counted(1), counted(2)];
    await offers.publish(events);
    await eventually(async () => expect(await billing.parked.list(10)).toHaveLength(2));
    broken = false;
    expect(await billing.parked.replay([events[1]?.id ?? ''])).toBe(1);
    await eventually(() => expect(handled).toEqual([2]));
    expect(await billing.parked.list(10)).toMatchObject([{ id: events[0]?.id }]);
    expect(await billing.parked.replay('all')).toBe(1);
    await eventually(() => expect(handled).toEqual([2, 1]));
    expect(await billing.parked.list(10)).toEqual([]);
  });

  it('include an event whose consumer ended again and again', async () => {
    const corner = testNamespace();
    const offers = resources.use(await connectTestBroker(corner, 'offers'));
    const deadly = counted(1);
    await offers.publish([deadly]);
    const connection = await connect(corner.url);
    const queue = `${corner.namespace}.billing`;
    const billing = resources.use(await connectTestBroker(corner, 'billing'));
    let deaths = 0;
    // The consumer ends without an acknowledgement: its channel closes.
    const parked = await eventually(async () => {
      const channel = await connection.createChannel();
      if ((await channel.get(queue)) !== false) deaths += 1;
      await channel.close();
      const list = await billing.parked.list(10);
      expect(list).toHaveLength(1);
      return list;
    });
    await connection.close();
    expect(parked).toMatchObject([
      { id: deadly.id, reason: expect.stringContaining('again and again'), parkedAt: null },
    ]);
    expect(deaths).toBeGreaterThan(5);
  });

  it('stay when they are listed, however often, and are gone when they are dropped', async () => {
    const { billing, corner } = await publisherAndConsumer();
    await publishRaw(corner, { body: 'nonsense' });
    const [parked] = await eventually(async () => {
      const list = await billing.parked.list(10);
      expect(list).toHaveLength(1);
      return list;
    });
    for (let look = 0; look < 25; look += 1) expect(await billing.parked.list(10)).toHaveLength(1);
    expect(await billing.parked.drop([randomUUID()])).toBe(0);
    expect(await billing.parked.drop([parked?.id ?? ''])).toBe(1);
    expect(await billing.parked.list(10)).toEqual([]);
  });

  it('are none for a service that consumes no event', async () => {
    const offers = resources.use(await connectTestBroker(testNamespace(), 'offers'));
    expect([await offers.parked.list(10), await offers.parked.replay('all')]).toEqual([[], 0]);
  });
});

describe('a connection', () => {
  it('that starts while the broker is down consumes when the broker is up', async () => {
    const corner = testNamespace();
    const proxy = resources.use(await startTcpProxy(corner.url));
    proxy.takeDown();
    const billing = resources.use(
      await connectTestBroker({ ...corner, url: proxy.url }, 'billing', { isDown: true }),
    );
    expect(billing.connected()).toBe(false);
    const handled: number[] = [];
    await billing.consume([on(Counted, async (event) => void handled.push(event.data.count))]);
    proxy.bringBack();
    const offers = resources.use(await connectTestBroker(corner, 'offers'));
    await offers.publish([counted(1)]);
    await eventually(() => expect(handled).toEqual([1]));
  });

  it('that is cut during deliveries publishes and consumes again', async () => {
    const corner = testNamespace();
    const proxy = resources.use(await startTcpProxy(corner.url));
    const offers = resources.use(await connectTestBroker(corner, 'offers'));
    const billing = resources.use(await connectTestBroker({ ...corner, url: proxy.url }, 'billing'));
    const handled = new Set<number>();
    await billing.consume([
      on(Counted, async (event) => {
        handled.add(event.data.count);
        if (handled.size === 10) proxy.cut();
      }),
    ]);
    // More than the broker sends ahead, so that some are delivered before the cut and some after it.
    await offers.publish(upTo(400).map(counted));
    await eventually(() => expect(handled.size).toBe(400));
    await eventually(() => billing.publish([counted(400)]));
    await eventually(() => expect(handled.size).toBe(401));
  });

  it('is made again when the broker closes one channel', async () => {
    const handled: number[] = [];
    const { offers, corner } = await publisherAndConsumer(async (count) => void handled.push(count));
    const connection = await connect(corner.url);
    const channel = await connection.createChannel();
    // Publishing to an exchange that is gone closes the publisher's channel; the consumer is cancelled.
    await channel.deleteExchange(`${corner.namespace}.offer-ads`);
    await channel.deleteQueue(`${corner.namespace}.billing`);
    await connection.close();
    await expect(offers.publish([counted(1)])).rejects.toMatchObject({ status: 503 });
    await eventually(async () => {
      await offers.publish([counted(2)]);
    });
    await eventually(() => expect(handled).toContain(2));
  });
});
