/** Advances at the same time as other requests, on two replicas; and a process that is killed in the middle of one. */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { OfferPaid } from '@offer-ads/contracts/events/billing';
import { runs } from '@offer-ads/testing/profile';
import type { Offers } from '../../src/service.ts';
import { byCard, copyOffer, create, createdId, type Parts, startingNow } from '../forms.ts';
import { offersUnderTest, startAfresh } from '../offers-under-test.ts';
import { offerPaid } from '../payments.ts';
import { advance, askToAdvance, eventsOf, HOUR_S, namesOfEvents } from './clocks.ts';

const ROUNDS = runs(6, 200);
const HOUR = HOUR_S * 1_000;

const under = offersUnderTest();
let replica: Offers;
beforeAll(async () => {
  replica = await under.startReplica();
});

/** Both at once, each first in half of the rounds. */
async function atOnce<A, B>(round: number, one: () => Promise<A>, other: () => Promise<B>): Promise<[A, B]> {
  if (round % 2 === 0) return Promise.all([one(), other()]);
  const second = other();
  return [await one(), await second];
}

const code = async (method: string, path: string) =>
  ((await under.call(method, path, { to: replica })).body as { return_code: string }).return_code;

async function rounds(race: (round: number) => Promise<void>): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) {
    await startAfresh(under);
    await race(round);
  }
}

describe('an advance at the same time as', () => {
  it('another advance: both count, one after the other', async () => {
    await rounds(async (round) => {
      const [one, other] = await atOnce(
        round,
        () => advance(under, 60),
        () => advance(under, 60, { to: replica }),
      );
      expect([one.offset_seconds, other.offset_seconds].toSorted((a, b) => a - b)).toEqual([60, 120]);
    });
  });

  it('another one to the same instant: one moves the clock', async () => {
    await rounds(async (round) => {
      const to = { now: '2026-06-02T12:00:00Z' };
      const answers = await atOnce(
        round,
        () => askToAdvance(under, to),
        () => askToAdvance(under, to, { to: replica }),
      );
      expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400]);
    });
  });

  /** In each round, an offer meets an advance by so many hours and another request; then its events are judged. */
  const race = <A>(
    o: { hours: number; parts?: Parts; request: (id: number) => Promise<A> },
    judge: (answer: A, events: Awaited<ReturnType<typeof eventsOf>>, id: number) => Promise<void> | void,
  ) =>
    rounds(async (round) => {
      const id = await createdId(under, { ...startingNow, ...o.parts });
      const [, answer] = await atOnce(
        round,
        () => advance(under, o.hours * HOUR_S),
        () => o.request(id),
      );
      await judge(answer, await eventsOf(under, id), id);
    });
  const pause = (id: number) => code('POST', `/offers/${id}/pause`);

  it('a pause: it is before the advance, or after it', async () => {
    await race({ hours: 1, request: pause }, async (answer, _events, id) => {
      expect(answer).toBe('S1');
      await advance(under, 10 * HOUR_S);
      const ends = (await eventsOf(under, id)).filter(({ name }) => name === 'OfferEnded');
      expect(ends).toHaveLength(1);
      // The whole eleven hours, or the ten after the first one, which then was announced.
      expect([11 * HOUR, 10 * HOUR]).toContain(ends[0]?.data.unusedMs);
    });
  });

  it('a pause at the end: refused, or followed by the end that credits it', async () => {
    await race({ hours: 12, request: pause }, (answer, events) => {
      const { unusedMs } = events.at(-1)?.data ?? {};
      expect([answer, unusedMs]).toEqual(answer === 'S1' ? ['S1', 11 * HOUR] : ['E2', 0]);
    });
  });

  it('a deletion: it credits what was left before the advance, or after it', async () => {
    const request = (id: number) => code('DELETE', `/offers/${id}`);
    await race({ hours: 1, request }, (answer, events) => {
      const deleted = events.filter(({ name }) => name === 'OfferDeleted');
      expect([answer, deleted.length]).toEqual(['S1', 1]);
      expect([11 * HOUR, 10 * HOUR]).toContain(deleted[0]?.data.unusedMs);
    });
  });

  it('a payment: in time and announced, or too late and all unused', async () => {
    const request = (id: number) => under.deliver(OfferPaid, offerPaid(under, id));
    await race({ hours: 12, parts: byCard, request }, (_, events) => {
      const paid = events.find(({ name }) => name === 'OfferPaymentApplied')?.data;
      expect(events.filter(({ name }) => name === 'OfferEnded')).toHaveLength(1);
      const isLate = paid?.outcome === 'ended';
      expect(paid).toMatchObject(isLate ? { unusedMs: 11 * HOUR } : { outcome: 'active', unusedMs: 0 });
    });
  });

  it('a creation: its start is in the past by then, or its end is announced all the same', async () => {
    await rounds(async (round) => {
      const [, { body }] = await atOnce(
        round,
        () => advance(under, 12 * HOUR_S),
        () => create(under, startingNow, { to: replica }),
      );
      const { return_code: answer, offer_id: id } = body as { return_code: string; offer_id: number };
      if (answer === 'E1') return;
      await under.announce();
      expect((await namesOfEvents(under, id)).at(-1)).toBe('OfferEnded');
    });
  });

  it('the sweepers of two replicas: each start and end is announced once', async () => {
    const id = await createdId(under);
    await copyOffer(under, id, 250);
    for (const seconds of [HOUR_S, 12 * HOUR_S]) {
      const sweeping = [under.offers, replica, replica].map(({ sweeper }) => sweeper.announce());
      const [{ status }] = await Promise.all([advance(under, seconds), ...sweeping]);
      expect(status).toBe('ready');
    }
    const events = await under.events('all');
    for (const name of ['OfferActivated', 'OfferEnded']) {
      const ids = events.filter((event) => event.name === name).map(({ data }) => data.offerId);
      expect([name, ids.length, new Set(ids).size]).toEqual([name, 251, 251]);
    }
  });
});

describe('a reset at the same time as a creation', () => {
  it('is refused, or the creation lives by the real time', async () => {
    await rounds(async (round) => {
      await advance(under, 12 * HOUR_S);
      // An hour after the start of the test, and before it by the test clock.
      const early = { start_datetime: '2026-06-01T13:00:00Z', expiry_datetime: '2026-06-03T00:00:00Z' };
      const [{ status }, { body }] = await atOnce(
        round,
        () => under.call('DELETE', '/test/clock'),
        () => create(under, early, { to: replica }),
      );
      const { return_code: answer } = body as { return_code: string };
      // A creation by the test clock is refused, and a reset that was refused for it could be repeated.
      expect([`200 S1`, `200 E1`, `409 E1`]).toContain(`${status} ${answer}`);
      const [row] = await under.postgres.query<{ created_at: Date }>('SELECT created_at FROM offers');
      if (answer === 'S1') expect(row?.created_at).toEqual(under.clock.now());
    });
  });
});

describe('a process that is killed in an advance', () => {
  it('leaves the clock moved, and sweepers of other replicas announce what has come', async () => {
    const id = await createdId(under);
    // What it leaves between the commit of the advance and its announcements.
    await under.postgres.query('INSERT INTO test_clocks (organisation_id, ahead_seconds) VALUES (1, $1)', [
      12 * HOUR_S,
    ]);
    await under.announce();
    expect((await namesOfEvents(under, id)).slice(-2)).toEqual(['OfferActivated', 'OfferEnded']);
    expect((await under.call('GET', '/test/clock')).body).toMatchObject({ status: 'ready' });
  });
});
