/**
 * Processes of the service that stop for a while, as in a long pause of a virtual machine, and then go on where they were. Their callers got
 * a 503 long before: the state that they read after it does not change until they ask for a change.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { requestBudgetHeader } from '@offer-ads/contracts/internal/caller-context';
import { png } from '@offer-ads/testing/pictures/pictures';
import { runs } from '@offer-ads/testing/profile';
import { randomNumbers } from '@offer-ads/testing/random';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { createdId } from '../forms.ts';
import { offersUnderTest } from '../offers-under-test.ts';
import { killVictims, startVictim, type Victim } from './victims.ts';

const BUDGET_MS = 700;
/** For a command that must reach its commit, on a busy machine too. */
const AMPLE_BUDGET_MS = 1_800;
/** How much longer than the budget the gateway waits. */
const GRACE_MS = 250;

const SEED = 20_260_601;
const CALLERS = 8;
/**
 * Of callers that meet many pauses. Longer than the gateway's, because a busy machine reads requests late, and a request that is read later
 * than this may be committed while its caller leaves.
 */
const LONG_GRACE_MS = 1_000;
/** Callers that wait when a pause begins have left when it ends. */
const SHORTEST_PAUSE_MS = BUDGET_MS + LONG_GRACE_MS;
const LONGEST_PAUSE_MS = 2 * SHORTEST_PAUSE_MS;

type Command = 'pause' | 'resume' | 'delete';
const commands: readonly Command[] = ['pause', 'resume', 'delete'];

const under = offersUnderTest();
let victim: Victim;
let picture: Buffer;
beforeAll(async () => {
  picture = await png();
  await under.postgres.query(
    `CREATE FUNCTION wait_for_test() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       PERFORM pg_advisory_xact_lock_shared(hashtext(NEW.title));
       RETURN NEW;
     END $$;
     CREATE TRIGGER wait_for_test BEFORE UPDATE ON offers FOR EACH ROW WHEN (starts_with(NEW.title, 'held'))
     EXECUTE FUNCTION wait_for_test()`,
  );
  under.clock.set(new Date());
  victim = await startVictim(under);
}, 300_000);
afterAll(killVictims);
beforeEach(() => under.clock.set(new Date()));

async function activeOffer(title: string): Promise<number> {
  const now = Date.now();
  const [start_datetime, expiry_datetime] = [now, now + 3_600_000].map((at) => new Date(at).toISOString());
  return createdId(under, { title, start_datetime, expiry_datetime }, { picture });
}

/** One offer for each command, which would succeed. */
async function offersFor(title: string): Promise<Map<Command, number>> {
  const ids = await Promise.all(commands.map(() => activeOffer(title)));
  await under.call('POST', `/offers/${ids[1]}/pause`);
  return new Map(commands.map((command, index) => [command, ids[index] ?? 0]));
}

async function expectUntouched(ids: ReadonlyMap<Command, number>): Promise<void> {
  const statuses = await Promise.all([...ids.values()].map(statusOf));
  expect(statuses).toEqual(['Active', 'Paused', 'Active']);
}

async function statusOf(id: number): Promise<string> {
  const [row] = await under.postgres.query<{ status: string }>(
    `SELECT CASE WHEN deleted_at IS NOT NULL THEN 'Deleted' WHEN paused_since IS NOT NULL THEN 'Paused'
            ELSE 'Active' END AS status FROM offers WHERE offer_id = $1`,
    [id],
  );
  return row?.status ?? 'none';
}

/** Asks as the gateway does: 503 when no answer came in time. */
async function send(command: Command, id: number, budgetMs = BUDGET_MS, graceMs = GRACE_MS): Promise<number> {
  const [method, path] = command === 'delete' ? ['DELETE', ''] : ['POST', `/${command}`];
  const headers = { [requestBudgetHeader]: String(budgetMs) };
  const withinMs = budgetMs + graceMs;
  const answer = await victim.send(method, `/offers/${id}${path}`, { organisationId: 1, headers, withinMs });
  return answer.status;
}

function sendAll(ids: ReadonlyMap<Command, number>): Promise<number[]> {
  return Promise.all([...ids].map(([command, id]) => send(command, id)));
}

/** A command that waits for the lock of the trigger. One that was answered before it got there is sent again, for a minute. */
async function held(command: Command, id: number): Promise<{ status: Promise<number> }> {
  for (const giveUpAt = performance.now() + 60_000; performance.now() < giveUpAt; ) {
    const answered = new AbortController();
    const status = send(command, id, AMPLE_BUDGET_MS).finally(() => answered.abort());
    while (!answered.signal.aborted) {
      if ((await under.count("pg_locks WHERE locktype = 'advisory' AND NOT granted")) > 0) return { status };
      await pause(5);
    }
  }
  throw new Error(`${command} did not come to its lock`);
}

describe('a process that stops', () => {
  it('between a decision and its commit makes no change when it goes on', async () => {
    const title = 'held between decision and commit';
    const ids = await offersFor(title);
    const keeper = await under.postgres.pool.connect();
    // One at a time: the database ends a statement that has waited for two seconds, so not all can be sure to be held at once.
    for (const [command, id] of ids) {
      await keeper.query('SELECT pg_advisory_lock(hashtext($1))', [title]);
      const { status } = await held(command, id);
      victim.stop();
      await keeper.query('SELECT pg_advisory_unlock(hashtext($1))', [title]);
      expect(await status).toBe(503);
      await victim.goOn();
    }
    keeper.release();
    await expectUntouched(ids);
  });

  it('before it has read a request makes no change when it reads it', async () => {
    const ids = await offersFor('unread');
    await eventually(async () => expect(await send('pause', 0)).toBe(401));
    victim.stop();
    expect(await sendAll(ids)).toEqual([503, 503, 503]);
    await victim.goOn();
    await expectUntouched(ids);
  });

  it('at any moment, again and again, does not change what a caller reads after a 503', async () => {
    const ids = await Promise.all(Array.from({ length: CALLERS }, () => activeOffer('often')));
    const random = randomNumbers(SEED);
    const over = new AbortController();
    const seen: { readonly id: number; readonly read: string; readonly later: string }[] = [];
    let wentOnAt = 0;
    const callers = ids.map(async (id) => {
      while (!over.signal.aborted) {
        const askedAt = performance.now();
        const status = await send(random() < 0.5 ? 'pause' : 'resume', id, BUDGET_MS, LONG_GRACE_MS);
        // A process that goes on while its caller waits may read the request only now, with too much time left (ADR 20).
        if (status !== 503 || wentOnAt > askedAt) continue;
        const read = await statusOf(id);
        await pause(LONGEST_PAUSE_MS);
        seen.push({ id, read, later: await statusOf(id) });
      }
    });
    const stopAndGoOn = async () => {
      for (let round = 0; round < runs(2, 60); round += 1) {
        await pause(random() * 200);
        victim.stop();
        await pause(SHORTEST_PAUSE_MS + random() * (LONGEST_PAUSE_MS - SHORTEST_PAUSE_MS));
        wentOnAt = performance.now();
        await victim.goOn();
      }
    };
    await stopAndGoOn().finally(() => over.abort());
    await Promise.all(callers);
    expect(seen.length).toBeGreaterThan(0);
    expect(seen.filter(({ read, later }) => read !== later)).toEqual([]);
  });
});
