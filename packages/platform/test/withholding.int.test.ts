/** Credentials in an event reach its consumer and are not kept anywhere else. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { testNamespace } from '@offer-ads/testing/stores/broker';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { connect } from 'amqplib';
import { type Broker, on } from '../src/messaging/broker/broker.ts';
import { newEvent } from '../src/messaging/events.ts';
import { connectTestBroker, publishRaw, Unlocked } from './test-events.ts';

const link = 'https://portal.example/sign-in#0123456789abcdef';
const headers = { cloudEvents_type: 'offer-ads.offers.Unlocked.v1' };
const unlocked = () =>
  newEvent(Unlocked, {
    subject: 'door/1',
    subjectVersion: 1,
    at: new Date('2026-06-01T12:00:00.000Z'),
    data: { door: 'portal', link },
  });

let resources: AsyncDisposableStack;
let corner: ReturnType<typeof testNamespace>;
let offers: Broker;
let pricing: Broker;
beforeEach(async () => {
  resources = new AsyncDisposableStack();
  corner = testNamespace();
  offers = resources.use(await connectTestBroker(corner, 'offers'));
  pricing = resources.use(await connectTestBroker(corner, 'pricing'));
});
afterEach(() => resources.disposeAsync());

/** The messages in the queue of parked events, read without our code. */
async function rawParked(): Promise<string[]> {
  const connection = await connect(corner.url);
  const channel = await connection.createChannel();
  const bodies: string[] = [];
  for (;;) {
    const message = await channel.get(`${corner.namespace}.pricing.parked`);
    if (message === false) break;
    bodies.push(JSON.stringify(message.properties.headers) + message.content.toString('utf8'));
  }
  await connection.close();
  return bodies;
}

const untilParked = () =>
  eventually(async () => {
    const list = await pricing.parked.list(10);
    expect(list).toHaveLength(1);
    return list;
  });

describe('a credential in an event', () => {
  it('is in every attempt to handle it, and gone once the event is parked, which can then only be dropped', async () => {
    const seen: string[] = [];
    await pricing.consume([
      on(Unlocked, async (event) => {
        seen.push(event.data.link);
        throw new Error('the door is stuck');
      }),
    ]);
    const event = unlocked();
    await offers.publish([event]);
    const [parked] = await untilParked();
    expect(seen).toEqual(Array.from({ length: 5 }, () => link));
    expect(parked).toMatchObject({
      body: '{"door":"portal","link":"[withheld]"}',
      reason: 'the door is stuck (parked without what may not be stored, so it can only be dropped)',
    });
    expect(await pricing.parked.replay('all')).toBe(0);
    expect((await rawParked()).join()).not.toContain('0123456789abcdef');
    // The broker may need a moment to give back the messages that were only read.
    await eventually(async () => expect(await pricing.parked.drop([event.id])).toBe(1));
    expect(seen).toHaveLength(5);
  });

  it('is gone from a parked body that cannot be parsed: the whole body is withheld', async () => {
    await pricing.consume([on(Unlocked, async () => {})]);
    await publishRaw(corner, { body: `{"link":"${link}"`, headers, routingKey: 'offers.Unlocked.v1' });
    expect(await untilParked()).toMatchObject([{ body: '[withheld]' }]);
    expect((await rawParked()).join()).not.toContain('0123456789abcdef');
  });

  it('is not shown when the broker itself parked the event', async () => {
    const body = JSON.stringify({ door: 'portal', link });
    await publishRaw(corner, { body, headers, queue: 'pricing.parked' });
    expect(await untilParked()).toMatchObject([{ body: '{"door":"portal","link":"[withheld]"}' }]);
  });
});
