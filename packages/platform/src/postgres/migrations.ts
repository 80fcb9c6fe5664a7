/** Forward-only SQL migrations. A separate command runs them, never the start of a service (architecture, rule 7). */
import { fileURLToPath } from 'node:url';
import { runner } from 'node-pg-migrate';
import pg from 'pg';
import { startWhenStoresServe } from '../process/start-when-stores-serve.ts';
import type { Logger } from '../telemetry/logging.ts';
import { asFault } from './postgres.ts';

const platformMigrations = fileURLToPath(new URL('../../migrations', import.meta.url));

/**
 * While a migration waits for a table lock, all later users of the table wait too, also requests. A migration that does not get the lock
 * in this time gives up, changes nothing, and is run again (Kubernetes restarts its Job).
 */
const LOCK_TIMEOUT_MS = 10_000;

/**
 * Brings the database up to date: first the platform's outbox and inbox, then the service's own files. Each set is recorded in its own
 * table, so that their numbers do not collide. Concurrent runs wait for each other. Files run in the order of their numbers. If a new
 * file has a lower number than one that has run, the whole run is refused, because that order was never tested: give it a higher number.
 * Waits for a server that is still starting.
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
    // Not the runner's own client: that one closes some time after the run has returned, so the database could not be dropped or copied
    // right away.
    const client = new pg.Client({
      connectionString: o.url,
      lock_timeout: o.lockTimeoutMs ?? LOCK_TIMEOUT_MS,
      connectionTimeoutMillis: 5_000,
    });
    // The statement that fails with the connection reports the error.
    client.on('error', () => {});
    try {
      await client.connect().catch((error: unknown) => {
        throw isDistrusted(error) ? error : asFault(error);
      });
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
  await startWhenStoresServe(() => run(platformMigrations, 'platform_migrations'));
  await run(o.directory, 'migrations');
}

/** More rows than any table gets between two backups, and two thousand times less than the range of the smallest id type. */
const SKIPPED_IDS = 1_000_000;

/**
 * For use after a restore: ids that were issued after the backup must not be issued again, because other services, the card provider and
 * people know them already. So every sequence is advanced by a million. So is `version` in the tables of `versioned`, which orders events:
 * consumers that have seen a higher version would ignore new events as old ones.
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

/** The server is there, and its certificate will not become another one. Node's codes, such as DEPTH_ZERO_SELF_SIGNED_CERT. */
function isDistrusted(error: unknown): boolean {
  return /CERT|VERIFY/.test(String((error as NodeJS.ErrnoException).code));
}
