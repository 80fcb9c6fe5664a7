/** Forward-only SQL migrations, run as a command of their own and never when a service starts (architecture, rule 7). */
import { fileURLToPath } from 'node:url';
import { runner } from 'node-pg-migrate';
import pg from 'pg';
import type { Logger } from '../telemetry/logging.ts';

const platformMigrations = fileURLToPath(new URL('../../migrations', import.meta.url));

/**
 * Whoever waits for the lock of a table holds up all who come after, requests too: a migration that does not get it in this time
 * gives up, leaves everything as it was, and is run again (its Job is, by Kubernetes).
 */
const LOCK_TIMEOUT_MS = 10_000;

/**
 * Brings the database up to date: first the outbox and inbox of the platform, then the service's own files, each set
 * recorded in its own table so that their numbers never collide. Replicas that come at once wait for each other. Files run in the
 * order of their numbers: one that belongs before a file that has run is refused with all that come with it, because nobody has
 * tried that order. It gets a number after all of them.
 */
export async function migrate(o: {
  url: string;
  directory: string;
  logger?: Logger;
  lockTimeoutMs?: number;
}): Promise<void> {
  const say = (text: string) => o.logger?.info(text);
  const quiet = { debug: () => {}, info: say, warn: say, error: say };
  const run = async (dir: string, migrationsTable: string) => {
    // Not the runner's own, which it leaves to end some time after it has returned: a database that is dropped or copied next would
    // still have a guest, whose end nobody listens to.
    const client = new pg.Client({
      connectionString: o.url,
      lock_timeout: o.lockTimeoutMs ?? LOCK_TIMEOUT_MS,
    });
    // The statement that fails with the connection says it all.
    client.on('error', () => {});
    await client.connect();
    try {
      await runner({
        dbClient: client,
        dir,
        migrationsTable,
        direction: 'up',
        singleTransaction: true,
        advisoryLockMode: 'wait',
        logger: quiet,
      });
    } finally {
      await client.end();
    }
  };
  await run(platformMigrations, 'platform_migrations');
  await run(o.directory, 'migrations');
}

/** More than any table has grown by since the last backup, and two thousand times less than the smallest kind of id can count. */
const SKIPPED_IDS = 1_000_000;

/**
 * After a restore: ids that were given out after the moment of the backup are never given out again, because other services, the
 * card provider and people know them as something else. So every sequence goes on a million later. So does the `version` in the
 * tables of `versioned`, by which events are ordered: whoever has heard of a later one would take what is told now for old.
 */
export async function skipUsedIds(o: { url: string; versioned?: readonly string[] }): Promise<number> {
  const client = new pg.Client({ connectionString: o.url });
  await client.connect();
  try {
    const { rowCount } = await client.query(
      `SELECT setval(format('%I.%I', schemaname, sequencename)::regclass, coalesce(last_value, 0) + $1)
         FROM pg_sequences WHERE schemaname = 'public'`,
      [SKIPPED_IDS],
    );
    for (const table of o.versioned ?? [])
      await client.query(`UPDATE ${pg.escapeIdentifier(table)} SET version = version + $1`, [SKIPPED_IDS]);
    return rowCount ?? 0;
  } finally {
    await client.end();
  }
}
