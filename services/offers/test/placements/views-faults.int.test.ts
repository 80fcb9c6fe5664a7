/** Views by token while something fails: each counts once or, until its token comes again, not at all. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { signedPlacementCaller } from '@offer-ads/testing/placement-caller';
import { runs } from '@offer-ads/testing/profile';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { MOST_AT_ONCE } from '../../src/traffic/gathered-intake.ts';
import { copyOffer, createdId, startingNow } from '../forms.ts';
import { offersUnderTest } from '../offers-under-test.ts';
import { killVictims, startVictim } from '../processes/victims.ts';
import { countsOf, sendViews, shuffled, viewTokens } from './placing.ts';

const under = offersUnderTest();
let offerId: number;
beforeEach(async () => {
  offerId = await createdId(under, startingNow);
});

/** Nothing can be recorded until `work` has ended. */
async function whileNothingIsRecorded(work: () => Promise<void>): Promise<void> {
  await under.postgres.transaction(async (tx) => {
    await tx.query('LOCK TABLE traffic_inbox IN ACCESS EXCLUSIVE MODE');
    await work();
  });
}

describe('views on two replicas', () => {
  it('count exactly once each for their offers, in shuffled calls of any size that repeat them', async () => {
    const second = await under.startReplica();
    await copyOffer(under, offerId, 9);
    const rows = await under.postgres.query<{ offer_id: number }>('SELECT offer_id FROM offers');
    const offerIds = rows.map(({ offer_id: id }) => id);
    expect(offerIds).toHaveLength(10);
    const tokens = offerIds.flatMap((id) => viewTokens(under, id, 50));
    await Promise.all(
      Array.from({ length: runs(5, 50) }, async (_, round) => {
        const all = shuffled(tokens);
        for (let size = 1 + round; all.length > 0; size = Math.min(500, size * 2 + round)) {
          const part = all.splice(0, size);
          const to = Math.random() < 0.5 ? under.offers : second;
          expect((await sendViews(under, part, { to })).body).toEqual({ accepted: part.length, refused: [] });
        }
      }),
    );
    for (const id of offerIds) expect(await countsOf(under, id)).toEqual({ views: 50 });
  });
});

describe('while the store stands still', () => {
  it('views are answered with 503 at the deadline, and count once when their tokens come again', async () => {
    const tokens = viewTokens(under, offerId, 20);
    await whileNothingIsRecorded(async () => {
      const answers = await Promise.all(
        [tokens.slice(0, 10), tokens.slice(10)].map((part) =>
          sendViews(under, part, { once: true, budgetMs: 300 }),
        ),
      );
      for (const { status, headers } of answers)
        expect([status, headers.get('retry-after')]).toEqual([503, expect.stringMatching(/^\d+$/)]);
    });
    expect((await sendViews(under, tokens)).body).toEqual({ accepted: 20, refused: [] });
    expect(await countsOf(under, offerId)).toEqual({ views: 20 });
  });

  it('no more views wait than the store can take in time: others are refused at once', async () => {
    const calls = Array.from({ length: 21 }, () => viewTokens(under, offerId, MOST_AT_ONCE));
    await whileNothingIsRecorded(async () => {
      const answers = calls.map((tokens) => sendViews(under, tokens, { once: true, budgetMs: 3_000 }));
      const first = await Promise.race(answers);
      expect([first.status, first.headers.get('retry-after')]).toEqual([503, '1']);
      for (const { status } of await Promise.all(answers)) expect(status).toBe(503);
    });
    for (const tokens of calls) await sendViews(under, tokens);
    expect(await countsOf(under, offerId)).toEqual({ views: 21 * MOST_AT_ONCE });
  });
});

describe('a replica that is killed before it has answered', () => {
  const LOCK = 4712;
  beforeAll(async () => {
    // Deferred triggers run inside the commit, so this holds up the commit.
    await under.postgres.query(
      `CREATE FUNCTION hold_views() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         PERFORM pg_advisory_xact_lock_shared(${LOCK});
         RETURN NULL;
       END $$;
       CREATE CONSTRAINT TRIGGER hold_views AFTER INSERT OR UPDATE ON traffic
         DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION hold_views()`,
    );
  });
  afterAll(async () => {
    await killVictims();
    await under.postgres.query('DROP FUNCTION hold_views CASCADE');
  });

  it.each(['made', 'lost'] as const)(
    'in a commit that is then %s: the tokens count once when they come again',
    async (commit) => {
      under.clock.set(new Date());
      const shownId = await createdId(under, realTimes());
      const tokens = viewTokens(under, shownId, 50);
      const victim = await startVictim(under);
      const keeper = await under.postgres.pool.connect();
      try {
        await keeper.query('SELECT pg_advisory_lock($1)', [LOCK]);
        const broken = victim.ask('POST', '/placements/views', {
          organisationId: 1,
          headers: { 'content-type': 'application/json', ...signedPlacementCaller() },
          body: JSON.stringify({ view_tokens: tokens }),
        });
        const held = () =>
          under.postgres.query<{ pid: number }>(
            `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objid = ${LOCK} AND NOT granted`,
          );
        const [{ pid } = { pid: 0 }] = await eventually(async () => {
          const waiting = await held();
          expect(waiting).toHaveLength(1);
          return waiting;
        });
        await victim.kill();
        await broken;
        if (commit === 'lost') await under.postgres.query('SELECT pg_terminate_backend($1)', [pid]);
        await keeper.query('SELECT pg_advisory_unlock($1)', [LOCK]);
        await eventually(async () =>
          expect(
            await under.postgres.query('SELECT FROM pg_stat_activity WHERE pid = $1 AND state <> $2', [
              pid,
              'idle',
            ]),
          ).toEqual([]),
        );
      } finally {
        keeper.release(true);
      }
      expect(await countsOf(under, shownId)).toEqual(commit === 'made' ? { views: 50 } : {});
      for (const again of [tokens, shuffled(tokens)])
        expect((await sendViews(under, again)).body).toEqual({ accepted: 50, refused: [] });
      expect(await countsOf(under, shownId)).toEqual({ views: 50 });
    },
  );
});

function realTimes() {
  const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
  return { start_datetime: inHours(0), expiry_datetime: inHours(10) };
}
