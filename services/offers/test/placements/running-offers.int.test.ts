/** A follower that starts anew while offers change: snapshot, then events, over the real broker. */
import { describe, expect, it } from '@jest/globals';
import type { RunningOffersReply } from '@offer-ads/contracts/community/running-offers-api';
import { exchangeName } from '@offer-ads/contracts/events/asyncapi';
import { attributeIn } from '@offer-ads/contracts/events/cloud-events';
import { signedPlacementCaller } from '@offer-ads/testing/placement-caller';
import { testNamespace } from '@offer-ads/testing/stores/broker';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { type ConsumeMessage, connect } from 'amqplib';
import { createdId, formOf, live, startingNow } from '../forms.ts';
import { offersUnderTest } from '../offers-under-test.ts';
import { itemsOfPages } from '../pages.ts';
import { type FollowedEvent, Follower } from './follower.ts';
import { shuffled } from './placing.ts';

const isLong = process.env.TEST_PROFILE === 'long';
const OFFERS = isLong ? 300 : 25;
const CHANGES = isLong ? 6_000 : 200;
/** The clock moves to it in the middle of the changes. */
const later = '2026-06-01T12:05:00Z';

let broker: { readonly url: string; readonly namespace: string };
const under = offersUnderTest((opened) => {
  const { url, namespace, dispose } = testNamespace();
  broker = { url, namespace };
  opened.defer(dispose);
  return { rabbitmqUrl: url, brokerNamespace: namespace };
});

/** A queue of its own, bound to all events of offers: they are given to `take` from now on. */
async function bindQueue(take: (event: FollowedEvent) => void): Promise<AsyncDisposable> {
  const connection = await connect(broker.url);
  const channel = await connection.createChannel();
  const exchange = `${broker.namespace}.${exchangeName}`;
  await channel.assertExchange(exchange, 'topic', { durable: true });
  const { queue } = await channel.assertQueue('', { exclusive: true, autoDelete: true });
  await channel.bindQueue(queue, exchange, 'offers.*.v1');
  await channel.consume(queue, (message) => message !== null && take(eventIn(message)), { noAck: true });
  return { [Symbol.asyncDispose]: () => connection.close() };
}

function eventIn({ properties: { headers }, content }: ConsumeMessage): FollowedEvent {
  return {
    type: String(attributeIn(headers, 'type')),
    subject: String(attributeIn(headers, 'subject')),
    subjectversion: Number(attributeIn(headers, 'subjectversion')),
    data: JSON.parse(content.toString()) as Record<string, unknown>,
  };
}

async function readAll(limit: number, take: (event: FollowedEvent) => void): Promise<number> {
  let pages = 0;
  const read = async (cursor: string) => {
    const { body } = await under.call(
      'GET',
      `/placements/offers?limit=${limit}${cursor && `&cursor=${cursor}`}`,
      { headers: signedPlacementCaller() },
    );
    const { offers, next_cursor: next } = body as RunningOffersReply;
    offers.forEach(take);
    pages += 1;
    return { items: offers, next };
  };
  await itemsOfPages(read);
  return pages;
}

/** What the database says, without the code that makes the pages. */
async function truth() {
  const rows = await under.postgres.query<{ subject: string; title: string; isShown: boolean }>(
    `SELECT 'offer/' || offer_id AS subject, title,
            activation_announced_at IS NOT NULL AND paused_since IS NULL AND disabled_since IS NULL AS "isShown"
     FROM offers WHERE mode = 'TEST' AND deleted_at IS NULL AND end_announced_at IS NULL AND shown_at IS NOT NULL`,
  );
  return Object.fromEntries(
    rows.map(({ subject, ...known }) => [subject, known] as const).toSorted(([a], [b]) => a.localeCompare(b)),
  );
}

describe('a follower that starts anew', () => {
  it('ends with exactly what one knows that followed from the start, while offers are made, changed, ended and deleted', async () => {
    const first = new Follower();
    await using _queueOfFirst = await bindQueue((event) => first.take(event));
    const ids: number[] = [];
    for (let count = 0; count < OFFERS; count += 1) {
      const ending = count % 3 === 0 ? { expiry_datetime: later } : {};
      ids.push(await createdId(under, { ...startingNow, ...ending, title: `Offer ${count}` }));
    }
    await createdId(under, { ...live[0], ...startingNow }, live[1]);
    await under.offers.sweeper.announce();

    let changes = 0;
    const random = (below: number) => Math.floor(Math.random() * below);
    const change = async (): Promise<void> => {
      changes += 1;
      const offerId = ids[random(ids.length)];
      const kind = random(40);
      if (kind === 0) {
        // Not in the past when the clock moves while the offer is created.
        ids.push(await createdId(under, { start_datetime: later, title: `Later ${changes}` }));
      } else if (kind === 1) await under.call('DELETE', `/offers/${offerId}`);
      else if (kind < 6) {
        await under.call('PATCH', `/offers/${offerId}`, { body: formOf({ title: `Edited ${changes}` }) });
      } else if (kind < 20) await under.call('POST', `/offers/${offerId}/${kind < 11 ? 'pause' : 'resume'}`);
      else
        await under.admin('POST', `/admin/offers/${offerId}/${kind < 30 ? 'disable' : 'enable'}`, {
          reason: 'its terms',
        });
    };
    const changeTimes = async (times: number) => {
      for (let count = 0; count < times; count += 1) await change();
    };
    await changeTimes(CHANGES / 4);

    const second = new Follower();
    const backlog: FollowedEvent[] = [];
    let takesAtOnce = false;
    await using _queueOfSecond = await bindQueue((event) =>
      takesAtOnce ? second.take(event) : backlog.push(event),
    );
    const changing = Promise.all([changeTimes(CHANGES / 4), changeTimes(CHANGES / 4)]);
    const pages = await readAll(3, (event) => second.take(event));
    under.clock.set(later);
    await under.offers.sweeper.announce();
    // Twice and in any order.
    for (const event of shuffled([...backlog, ...backlog])) second.take(event);
    takesAtOnce = true;
    expect(pages).toBeGreaterThan(3);
    await changing;

    await eventually(async () => {
      const expected = await truth();
      expect(first.known('TEST')).toEqual(expected);
      expect(second.known('TEST')).toEqual(expected);
    });
    expect(Object.keys(await truth()).length).toBeGreaterThan(0);
  }, 120_000);
});
