/**
 * Advances at the same time as creations and sweepers, on two replicas; and a process that is killed in the middle of one. Advances against
 * commands: lifecycle-races.int.test.ts.
 */
import { describe, expect, it } from '@jest/globals';
import { forAllTests } from '@offer-ads/testing/for-tests';
import { runs } from '@offer-ads/testing/profile';
import { copyOffer, create, createdId, startingNow } from '../forms.ts';
import { offersUnderTest, startAfresh } from '../offers-under-test.ts';
import { advance, HOUR_S, namesOfEvents } from './clocks.ts';

const ROUNDS = runs(6, 200);

const under = offersUnderTest();
const replica = forAllTests(() => under.startReplica());

/** Both at once, each first in half of the rounds. */
async function atOnce<A, B>(round: number, one: () => Promise<A>, other: () => Promise<B>): Promise<[A, B]> {
  if (round % 2 === 0) return Promise.all([one(), other()]);
  const second = other();
  return [await one(), await second];
}

async function rounds(race: (round: number) => Promise<void>): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) {
    await startAfresh(under);
    await race(round);
  }
}

describe('an advance at the same time as', () => {
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
