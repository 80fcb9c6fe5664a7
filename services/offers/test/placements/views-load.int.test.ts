/** Many views by token on two replicas, sent as a busy community platform does: at a steady rate, with repeats, and again after each 503. */
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { runs } from '@offer-ads/testing/profile';
import { copyOffer, createdId, startingNow } from '../forms.ts';
import { offersUnderTest } from '../offers-under-test.ts';
import { sendViews, shuffled, viewTokens } from './placing.ts';

const OFFERS = 200;
const VIEWS_PER_SECOND = 10_000;
const SECONDS = runs(1, 60);
const AT_ONCE = 500;
/** A busy machine takes longer than the seconds above. */
const TIMEOUT_MS = 600_000;
/** One view in so many is sent twice. */
const REPEATED = 10;

const under = offersUnderTest();

it(
  `${VIEWS_PER_SECOND} views a second: analytics equal what was sent once, for each offer`,
  async () => {
    const second = await under.startReplica();
    await copyOffer(under, await createdId(under, startingNow), OFFERS - 1);
    const rows = await under.postgres.query<{ offer_id: number }>('SELECT offer_id FROM offers');
    const offerIds = rows.map((row) => row.offer_id);
    expect(offerIds).toHaveLength(OFFERS);

    const sent = new Map<number, number>();
    const sending: Promise<void>[] = [];
    async function send(tokens: readonly string[]): Promise<void> {
      const to = Math.random() < 0.5 ? under.offers : second;
      const { status, body } = await sendViews(under, tokens, { to, once: true });
      if (status === 503) {
        await pause(100);
        return send(tokens);
      }
      expect(body).toEqual({ accepted: tokens.length, refused: [] });
    }
    let before: readonly string[] = [];
    const startedAt = performance.now();
    for (let made = 0; made < VIEWS_PER_SECOND * SECONDS; made += AT_ONCE) {
      const dueAt = startedAt + (made * 1_000) / VIEWS_PER_SECOND;
      await pause(Math.max(0, dueAt - performance.now()));
      const fresh = Array.from({ length: AT_ONCE / 10 }, () => {
        const offerId = offerIds[Math.floor(Math.random() * OFFERS)] ?? 0;
        sent.set(offerId, (sent.get(offerId) ?? 0) + 10);
        return viewTokens(under, offerId, 10);
      }).flat();
      sending.push(send(fresh));
      if (before.length > 0) sending.push(send(before));
      before = shuffled(fresh).slice(0, AT_ONCE / REPEATED);
    }
    await Promise.all(sending);
    const counted = await under.postgres.query<{ offer_id: number; views: number }>(
      'SELECT offer_id, sum(views)::int AS views FROM traffic GROUP BY offer_id',
    );
    expect(new Map(counted.map(({ offer_id: id, views }) => [id, views]))).toEqual(
      new Map([...sent].toSorted(([a], [b]) => a - b)),
    );
  },
  TIMEOUT_MS,
);
