/** Forward-only SQL migrations, run as a command of their own and never when a service starts (architecture, rule 7). */
import { fileURLToPath } from 'node:url';
import { runner } from 'node-pg-migrate';
import type { Logger } from './logging.ts';

const platformMigrations = fileURLToPath(new URL('../migrations', import.meta.url));

/**
 * Brings the database up to date: first the outbox and inbox of the platform, then the service's own files, each set
 * recorded in its own table so that their numbers never collide. Replicas that come at once wait for each other. Files run in the
 * order of their numbers: one that belongs before a file that has run is refused with all that come with it, because nobody has
 * tried that order. It gets a number after all of them.
 */
export async function migrate(o: { url: string; directory: string; logger?: Logger }): Promise<void> {
  const say = (text: string) => o.logger?.info(text);
  const quiet = { debug: () => {}, info: say, warn: say, error: say };
  const run = (dir: string, migrationsTable: string) =>
    runner({
      databaseUrl: o.url,
      dir,
      migrationsTable,
      direction: 'up',
      singleTransaction: true,
      advisoryLockMode: 'wait',
      logger: quiet,
    });
  await run(platformMigrations, 'platform_migrations');
  await run(o.directory, 'migrations');
}
