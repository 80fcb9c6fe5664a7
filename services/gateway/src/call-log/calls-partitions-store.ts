/**
 * All SQL about the daily partitions of the call log. Nothing here blocks the writing of calls: creating and dropping partitions only block
 * each other, and waits for locks are short.
 */
import type { Postgres, Queryable } from '@offer-ads/platform/postgres/postgres';
import { onlyRow } from '@offer-ads/platform/postgres/rows';
import { type Day, nextDay, startOf } from '../domain/call-days.ts';

/** How long attaching waits for another change of the partitions; after that it is tried again later. */
const lockTimeout = '500ms';

export async function makeDays(postgres: Postgres, days: readonly Day[]): Promise<void> {
  const wanted = [...new Set(days)].toSorted();
  await postgres.transaction(async (tx) => {
    // Replicas that create the same day wait for each other here, without any other lock; the second finds the partition.
    await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended('gateway calls days', 0))`);
    await tx.query(`SET LOCAL lock_timeout = '${lockTimeout}'`);
    const made = new Set((await listDays(tx)).map(({ day }) => day));
    for (const day of wanted) if (!made.has(day)) await makeDay(tx, day);
  });
}

/** `CREATE TABLE ... PARTITION OF` would lock the whole log; attaching a table does not. */
async function makeDay(tx: Queryable, day: Day): Promise<void> {
  const [from, to] = [startOf(day).toISOString(), startOf(nextDay(day)).toISOString()];
  await tx.query(`CREATE TABLE ${tableOf(day)} (LIKE calls INCLUDING ALL)`);
  await tx.query(
    `ALTER TABLE calls ATTACH PARTITION ${tableOf(day)} FOR VALUES FROM ('${from}') TO ('${to}')`,
  );
}

export type StoredDay = { readonly day: Day; readonly state: 'attached' | 'detaching' | 'detached' };

/** Every day with a table, including days that a dead process has half dropped. Oldest first. */
export async function listDays(on: Queryable): Promise<StoredDay[]> {
  return on.query<StoredDay>(
    `SELECT replace(substr(c.relname, 7), '_', '-') AS day,
            CASE WHEN i.inhrelid IS NULL THEN 'detached' WHEN i.inhdetachpending THEN 'detaching'
                 ELSE 'attached' END AS state
     FROM pg_class c
     LEFT JOIN pg_inherits i ON i.inhrelid = c.oid AND i.inhparent = 'calls'::regclass
     WHERE c.relkind = 'r' AND c.relname ~ '^calls_[0-9]{4}_[0-9]{2}_[0-9]{2}$'
       AND c.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'calls'::regclass)
     ORDER BY c.relname`,
  );
}

/**
 * Three steps that commit separately, so that reads and writes of other days are not blocked. A plain DROP would lock the whole log until
 * the slowest reader is done.
 */
export async function dropDay(on: Queryable, { day, state }: StoredDay): Promise<void> {
  if (state === 'attached') await on.query(`ALTER TABLE calls DETACH PARTITION ${tableOf(day)} CONCURRENTLY`);
  if (state === 'detaching') await on.query(`ALTER TABLE calls DETACH PARTITION ${tableOf(day)} FINALIZE`);
  await on.query(`DROP TABLE ${tableOf(day)}`);
}

/** The database's clock. A replica's clock is compared with it before anything is dropped. */
export async function readStoreTime(on: Queryable): Promise<Date> {
  return onlyRow(await on.query<{ now: Date }>('SELECT now() AS now')).now;
}

/** A day contains only digits and dashes (domain/call-days.ts), so the name needs no escaping. */
function tableOf(day: Day): string {
  return `calls_${day.replaceAll('-', '_')}`;
}
