/** Credentials that an event carries reach its consumer and nobody else, whatever goes wrong on the way. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { testNamespace } from '@offer-ads/testing/stores/broker';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { connect } from 'amqplib';
import { type Broker, on } from '../src/messaging/broker/broker.ts';
import { newEvent } from '../src/messaging/events.ts';
import { connectTestBroker, Unlocked } from './test-events.ts';

const link = 'https://portal.example/sign-in#0123456789abcdef';
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

/** What really lies in the queue, past every function of ours. */
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
  it('is in every attempt to handle it, and gone once the event is parked', async () => {
    const seen: string[] = [];
    await pricing.consume([
      on(Unlocked, async (event) => {
        seen.push(event.data.link);
        throw new Error('the door is stuck');
      }),
    ]);
    await offers.publish([unlocked()]);
    const [parked] = await untilParked();
    expect(seen).toEqual(Array.from({ length: 5 }, () => link));
    expect(parked).toMatchObject({
      body: '{"door":"portal","link":"[withheld]"}',
      reason: 'the door is stuck (parked without its credentials, so it can only be dropped)',
    });
    expect((await rawParked()).join()).not.toContain('0123456789abcdef');
  });

  it('is gone from a parked body that could not be read, all of which is withheld', async () => {
    await pricing.consume([on(Unlocked, async () => {})]);
    const connection = await connect(corner.url);
    const channel = await connection.createConfirmChannel();
    channel.publish(`${corner.namespace}.offer-ads`, 'offers.Unlocked.v1', Buffer.from(`{"link":"${link}"`), {
      headers: { cloudEvents_type: 'offer-ads.offers.Unlocked.v1' },
      messageId: 'unreadable',
    });
    await channel.waitForConfirms();
    await connection.close();
    expect(await untilParked()).toMatchObject([{ body: '[withheld]' }]);
    expect((await rawParked()).join()).not.toContain('0123456789abcdef');
  });

  it('leaves an event that cannot be replayed, only dropped', async () => {
    let attempts = 0;
    await pricing.consume([
      on(Unlocked, async () => {
        attempts += 1;
        throw new Error('the door is stuck');
      }),
    ]);
    const event = unlocked();
    await offers.publish([event]);
    await untilParked();
    expect(await pricing.parked.replay('all')).toBe(0);
    expect(await pricing.parked.replay([event.id])).toBe(0);
    expect(attempts).toBe(5);
    // The broker takes a moment to give back what was only looked at.
    await eventually(async () => expect(await pricing.parked.drop([event.id])).toBe(1));
    expect(await pricing.parked.list(10)).toEqual([]);
  });

  it('is not shown of an event that the broker parked as it was', async () => {
    const connection = await connect(corner.url);
    const channel = await connection.createConfirmChannel();
    const headers = { cloudEvents_type: 'offer-ads.offers.Unlocked.v1' };
    const body = Buffer.from(JSON.stringify({ door: 'portal', link }));
    channel.sendToQueue(`${corner.namespace}.pricing.parked`, body, { headers, messageId: 'crashed' });
    await channel.waitForConfirms();
    await connection.close();
    expect(await untilParked()).toMatchObject([{ body: '{"door":"portal","link":"[withheld]"}' }]);
  });
});
