import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { declareEvent, eventType } from '@offer-ads/contracts/events/event-declaration';
import { type TestNamespace, testNamespace } from '@offer-ads/testing/stores/broker';
import { startTcpProxy } from '@offer-ads/testing/stores/tcp-proxy';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { type Broker, onBatch, onBatches } from '../src/messaging/broker/broker.ts';
import { newEvent, type ReceivedEvent } from '../src/messaging/events.ts';
import { serviceUnavailable } from '../src/process/faults.ts';
import { createMetrics, type Metrics } from '../src/telemetry/metrics.ts';
import { Counted, connectTestBroker, counted, publishRaw, testDeclarations, upTo } from './test-events.ts';

let resources: AsyncDisposableStack;
let corner: TestNamespace;
let offers: Broker;
beforeEach(async () => {
  resources = new AsyncDisposableStack();
  corner = testNamespace();
  resources.defer(() => corner.dispose());
  offers = resources.use(await connectTestBroker(corner, 'offers'));
});
afterEach(() => resources.disposeAsync());

type Batch = (counts: readonly number[]) => Promise<void>;

async function startBilling(handle: Batch, o: { url?: string; metrics?: Metrics } = {}): Promise<Broker> {
  const billing = await connectTestBroker({ ...corner, ...(o.url && { url: o.url }) }, 'billing', {
    ...(o.metrics && { metrics: o.metrics }),
  });
  await billing.consume([onBatch(Counted, (events) => handle(events.map(({ data }) => data.count)))]);
  return billing;
}

/** How many events the consumer was given and has not finished. */
async function inHand(metrics: Metrics): Promise<number> {
  const text = await metrics.registry.metrics();
  return Number(/^events_in_hand\{.*queue="main".*\} (\d+)$/m.exec(text)?.[1]);
}

describe('events in batches', () => {
  it('are handled many at once, at most 500, each once, and are acknowledged', async () => {
    const batches: (readonly number[])[] = [];
    const metrics = createMetrics('billing');
    await offers.publish(upTo(1_200).map(counted));
    const handle: Batch = async (counts) => {
      batches.push(counts);
      // The first batch lasts until all has come that the broker sends ahead: a thousand in all.
      if (batches.length === 1) await eventually(async () => expect(await inHand(metrics)).toBe(1_000));
    };
    const billing = await startBilling(handle, { metrics });
    await eventually(() => expect(batches.flat()).toHaveLength(1_200));
    await billing[Symbol.asyncDispose]();
    expect(batches.flat().toSorted((a, b) => a - b)).toEqual(upTo(1_200));
    // At least as much had come while the first one lasted. How full later ones are depends on the machine.
    expect(batches[1]).toHaveLength(500);
    expect(Math.max(...batches.map((counts) => counts.length))).toBe(500);
    await eventually(async () => expect(await corner.waiting('billing')).toBe(0));
  });

  it('of several kinds share batches of a given size', async () => {
    const { credentials: _, positions: _2, ...declared } = Counted;
    const Named = declareEvent({ ...declared, name: 'Named' });
    const declarations = [...testDeclarations, Named];
    const strangers = resources.use(await connectTestBroker(corner, 'offers', { declarations }));
    const named = (count: number) =>
      newEvent(Named, { subject: 'test/2', subjectVersion: 1, at: new Date(), data: { count } });
    await strangers.publish(upTo(10).flatMap((count) => [counted(count), named(count)]));
    const metrics = createMetrics('billing');
    const batches: string[][] = [];
    const handle = async (events: readonly ReceivedEvent[]) => {
      batches.push(events.map(({ declaration }) => declaration.name));
      if (batches.length === 1) await eventually(async () => expect(await inHand(metrics)).toBe(20));
    };
    const billing = resources.use(await connectTestBroker(corner, 'billing', { declarations, metrics }));
    await billing.consume(onBatches([Counted, Named], { atMost: 4, handle }));
    await eventually(() => expect(batches.flat()).toHaveLength(20));
    expect(batches[1]?.toSorted()).toEqual(['Counted', 'Counted', 'Named', 'Named']);
    expect(Math.max(...batches.map((batch) => batch.length))).toBe(4);
  });

  it('are handled soon when no others come', async () => {
    const batches: (readonly number[])[] = [];
    resources.use(await startBilling(async (counts) => void batches.push(counts)));
    await offers.publish([counted(1)]);
    await eventually(() => expect(batches).toEqual([[1]]));
  });

  it('are handled though one of them always fails, which is tried five times and parked alone', async () => {
    const handled: number[] = [];
    const poisoned: number[] = [];
    await offers.publish(upTo(30).map(counted));
    const billing = resources.use(
      await startBilling(async (counts) => {
        if (counts.includes(7)) {
          poisoned.push(counts.length);
          throw new Error('poison');
        }
        handled.push(...counts);
      }),
    );
    await eventually(async () =>
      expect(await billing.parked.list(10)).toMatchObject([
        { body: '{"count":7}', reason: 'poison', attempts: 5 },
      ]),
    );
    await eventually(() =>
      expect(handled.toSorted((a, b) => a - b)).toEqual(upTo(30).filter((count) => count !== 7)),
    );
    // Once with the others, then alone.
    expect(poisoned.slice(1)).toEqual([1, 1, 1, 1, 1]);
    expect(poisoned[0]).toBeGreaterThan(1);
  });

  it('wait while their store is unavailable, and one alone tries whether it is back', async () => {
    const tried: number[] = [];
    const handled: number[] = [];
    const metrics = createMetrics('billing');
    await offers.publish(upTo(600).map(counted));
    const handle: Batch = async (counts) => {
      tried.push(counts.length);
      // The store comes back when all have come, also those that were put off.
      if (tried.length === 8) await eventually(async () => expect(await inHand(metrics)).toBe(600));
      if (tried.length <= 8) throw serviceUnavailable('mongo: away');
      handled.push(...counts);
    };
    const billing = resources.use(await startBilling(handle, { metrics }));
    await eventually(() => expect(handled.toSorted((a, b) => a - b)).toEqual(upTo(600)));
    expect(tried.slice(1, 8)).toEqual([1, 1, 1, 1, 1, 1, 1]);
    // Alone: the one that showed that the store is back, and at most seven that had been put off. All others are two batches.
    const afterwards = tried.slice(8);
    const alone = afterwards.filter((size) => size === 1).length;
    expect(alone).toBeLessThanOrEqual(8);
    expect(afterwards.filter((size) => size > 1)).toEqual([500, 100 - alone]);
    expect(await billing.parked.list(10)).toEqual([]);
  });

  it('that are too many for their store are handled one by one', async () => {
    const handled: number[] = [];
    await offers.publish(upTo(40).map(counted));
    const billing = resources.use(
      await startBilling(async (counts) => {
        if (counts.length > 1) throw serviceUnavailable('postgres: statement timeout');
        handled.push(...counts);
      }),
    );
    await eventually(() => expect(handled.toSorted((a, b) => a - b)).toEqual(upTo(40)));
    expect(await billing.parked.list(10)).toEqual([]);
  });

  it('that cannot be read are parked at once, and the others are handled', async () => {
    const batches: (readonly number[])[] = [];
    await offers.publish(upTo(5).map(counted));
    await publishRaw(corner, { body: '{}', headers: { cloudEvents_type: eventType(Counted) } });
    await offers.publish([counted(5)]);
    const billing = resources.use(await startBilling(async (counts) => void batches.push(counts)));
    await eventually(() => expect(batches.flat()).toEqual(upTo(6)));
    await eventually(async () => expect(await billing.parked.list(10)).toMatchObject([{ attempts: 0 }]));
  });

  it('are finished and acknowledged when the consumer stops, and the next consumer gets the rest', async () => {
    const gate = Promise.withResolvers<void>();
    const first: number[] = [];
    await offers.publish(upTo(700).map(counted));
    const leaving = await startBilling(async (counts) => {
      first.push(...counts);
      await gate.promise;
    });
    await eventually(() => expect(first).not.toHaveLength(0));
    const begun = first.length;
    const left = leaving[Symbol.asyncDispose]();
    gate.resolve();
    await left;
    expect(first).toHaveLength(begun);
    await eventually(async () => expect(await corner.waiting('billing')).toBe(700 - begun));
    const second: number[] = [];
    resources.use(await startBilling(async (counts) => void second.push(...counts)));
    await eventually(() => expect(second).toHaveLength(700 - begun));
    expect([...first, ...second].toSorted((a, b) => a - b)).toEqual(upTo(700));
  });

  it('of a batch that fails while the consumer stops are given back, and not tried one by one', async () => {
    const gate = Promise.withResolvers<void>();
    let begun = 0;
    await offers.publish(upTo(20).map(counted));
    const leaving = await startBilling(async (counts) => {
      begun += counts.length;
      await gate.promise;
      throw new Error('not now');
    });
    await eventually(() => expect(begun).toBeGreaterThan(0));
    const before = begun;
    const left = leaving[Symbol.asyncDispose]();
    gate.resolve();
    await left;
    expect(begun).toBe(before);
    await eventually(async () => expect(await corner.waiting('billing')).toBe(20));
  });

  it('are all delivered again when the connection is cut before they are acknowledged', async () => {
    const proxy = resources.use(await startTcpProxy(corner.url));
    const handled: number[] = [];
    let duringTheCut = 0;
    await offers.publish(upTo(900).map(counted));
    resources.use(
      await startBilling(
        async (counts) => {
          if (duringTheCut === 0) {
            duringTheCut = counts.length;
            proxy.cut();
            await eventually(() => expect(handled.length).toBeGreaterThan(0));
          }
          handled.push(...counts);
        },
        { url: proxy.url },
      ),
    );
    await eventually(() => expect(new Set(handled).size).toBe(900));
    // Events that were at work during the cut are handled twice. An inbox prevents a second effect.
    await eventually(() => expect(handled).toHaveLength(900 + duringTheCut));
  });

  it('are counted one by one in the metrics, with their outcome', async () => {
    const metrics = createMetrics('billing');
    let poison = true;
    await offers.publish(upTo(40).map(counted));
    const handled: number[] = [];
    const billing = resources.use(
      await startBilling(
        async (counts) => {
          if (poison && counts.includes(3)) {
            poison = counts.length > 1;
            throw new Error('not yet');
          }
          handled.push(...counts);
        },
        { metrics },
      ),
    );
    await eventually(() => expect(handled).toHaveLength(40));
    await billing[Symbol.asyncDispose]();
    const text = await metrics.registry.metrics();
    const count = (outcome: string) =>
      Number(new RegExp(`_count\\{.*outcome="${outcome}".*\\} (\\d+)`).exec(text)?.[1] ?? 0);
    expect({ handled: count('handled'), retried: count('retried') }).toEqual({ handled: 40, retried: 1 });
  });
});
