/**
 * Processes of the service that stand still, as in a long pause of a virtual machine or of the collector, and then go on where
 * they were. Their callers were told 503 long ago: whatever they read after that stays until they ask for something else.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  commitByHeader,
  requestBudgetHeader,
  storeTimeHeader,
} from '@offer-ads/contracts/internal/caller-context';
import { createStoreClock } from '@offer-ads/platform/postgres/store-clock';
import { png } from '@offer-ads/testing/pictures/pictures';
import { runs } from '@offer-ads/testing/profile';
import { randomNumbers } from '@offer-ads/testing/random';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { createdId } from '../forms.ts';
import { type OffersUnderTest, startOffersUnderTest } from '../offers-under-test.ts';
import { killVictims, startVictim, type Victim } from './victims.ts';

const BUDGET_MS = 700;
/** The gateway's patience beyond the budget. */
const GRACE_MS = 250;

const SEED = 20_260_601;
const CALLERS = 8;
const LONGEST_STANDSTILL_MS = 2 * BUDGET_MS;

type Command = 'pause' | 'resume' | 'delete';
const commands: readonly Command[] = ['pause', 'resume', 'delete'];

let under: OffersUnderTest;
let victim: Victim;
let picture: Buffer;
beforeAll(async () => {
  under = await startOffersUnderTest();
  picture = await png();
  await under.postgres.query(
    `CREATE FUNCTION wait_for_test() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       PERFORM pg_advisory_xact_lock_shared(hashtext(NEW.title));
       RETURN NEW;
     END $$`,
  );
  await under.postgres.query(
    `CREATE TRIGGER wait_for_test BEFORE UPDATE ON offers FOR EACH ROW WHEN (starts_with(NEW.title, 'held'))
     EXECUTE FUNCTION wait_for_test()`,
  );
  under.clock.set(new Date());
  victim = await startVictim(under);
}, 300_000);
afterAll(async () => {
  await killVictims();
  await under[Symbol.asyncDispose]();
});

async function activeOffer(title: string): Promise<number> {
  const now = Date.now();
  const [start_datetime, expiry_datetime] = [now, now + 3_600_000].map((at) => new Date(at).toISOString());
  return createdId(under, { title, start_datetime, expiry_datetime }, { picture });
}

/** Each ready for its command. */
async function offersFor(title: string): Promise<Record<Command, number>> {
  const [pause, resume, remove] = await Promise.all(commands.map(() => activeOffer(title)));
  await under.call('POST', `/offers/${resume}/pause`);
  return { pause: pause ?? 0, resume: resume ?? 0, delete: remove ?? 0 };
}

async function statusesOf(ids: Record<Command, number>): Promise<Record<string, string>> {
  const read = commands.map(async (command) => [command, await statusOf(ids[command])] as const);
  return Object.fromEntries(await Promise.all(read));
}

async function statusOf(id: number): Promise<string> {
  const [row] = await under.postgres.query<{ status: string }>(
    `SELECT CASE WHEN deleted_at IS NOT NULL THEN 'Deleted' WHEN paused_since IS NOT NULL THEN 'Paused'
            ELSE 'Active' END AS status FROM offers WHERE offer_id = $1`,
    [id],
  );
  return row?.status ?? 'none';
}

const untouched = { pause: 'Active', resume: 'Paused', delete: 'Active' };

/** The database's clock as the gateway knows it. */
const storeClock = createStoreClock();

/** As the gateway asks: 503 when its patience is over. */
async function tell(command: Command, id: number): Promise<number> {
  const [method, path] = command === 'delete' ? ['DELETE', ''] : ['POST', `/${command}`];
  const storeMs = storeClock.nowMs();
  const commitBy = storeMs === undefined ? {} : { [commitByHeader]: String(storeMs + BUDGET_MS) };
  const headers = { [requestBudgetHeader]: String(BUDGET_MS), ...commitBy };
  const withinMs = BUDGET_MS + GRACE_MS;
  const answer = await victim.send(method, `/offers/${id}${path}`, { organisationId: 1, headers, withinMs });
  const shownMs = Number(answer.headers.get(storeTimeHeader));
  if (shownMs > 0) storeClock.note(shownMs);
  return answer.status;
}

describe('a process that stands still', () => {
  it('between a decision and its commit makes no change once it goes on', async () => {
    const title = 'held between decision and commit';
    const ids = await offersFor(title);
    const keeper = await under.postgres.pool.connect();
    await keeper.query('SELECT pg_advisory_lock(hashtext($1))', [title]);
    const told = Promise.all(commands.map((command) => tell(command, ids[command])));
    await eventually(async () => {
      const waiting = await under.postgres.query(
        "SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted",
      );
      expect(waiting).toHaveLength(commands.length);
    });
    victim.standStill();
    await keeper.query('SELECT pg_advisory_unlock(hashtext($1))', [title]);
    keeper.release();
    expect(await told).toEqual([503, 503, 503]);
    await victim.goOn();
    expect(await statusesOf(ids)).toEqual(untouched);
  });

  it('before it has read a request makes no change once it reads it', async () => {
    const ids = await offersFor('unread');
    await eventually(async () => expect(await tell('pause', 0)).toBe(401));
    victim.standStill();
    const told = await Promise.all(commands.map((command) => tell(command, ids[command])));
    expect(told).toEqual([503, 503, 503]);
    await victim.goOn();
    expect(await statusesOf(ids)).toEqual(untouched);
  });

  it('at any moment, again and again, leaves whatever a caller reads after a 503', async () => {
    const callers = await Promise.all(Array.from({ length: CALLERS }, () => activeOffer('often')));
    const random = randomNumbers(SEED);
    const over = new AbortController();
    const seen: { readonly id: number; readonly read: string; readonly later: string }[] = [];
    const asks = callers.map(async (id) => {
      while (!over.signal.aborted) {
        const status = await tell(random() < 0.5 ? 'pause' : 'resume', id);
        if (status !== 503) continue;
        const read = await statusOf(id);
        await pause(LONGEST_STANDSTILL_MS);
        seen.push({ id, read, later: await statusOf(id) });
      }
    });
    for (let round = 0; round < runs(4, 60); round += 1) {
      await pause(random() * 200);
      victim.standStill();
      await pause(BUDGET_MS + random() * (LONGEST_STANDSTILL_MS - BUDGET_MS));
      await victim.goOn();
    }
    over.abort();
    await Promise.all(asks);
    expect(seen.length).toBeGreaterThan(0);
    expect(seen.filter(({ read, later }) => read !== later)).toEqual([]);
  });
});
