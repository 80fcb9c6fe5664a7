/** `node services/billing/src/migrate.ts`: migrates billing's database. */
import { fileURLToPath } from 'node:url';
import { migrate, skipUsedIds } from '@offer-ads/platform/postgres/migrations';
import { createLogger } from '@offer-ads/platform/telemetry/logging';
import { readDatabaseUrl } from './config.ts';

const url = readDatabaseUrl();
await migrate({
  url,
  directory: fileURLToPath(new URL('../migrations', import.meta.url)),
  logger: createLogger({ service: 'billing', level: 'info' }),
});
// After a restore from a backup: docs/operations/backup-and-restore.md.
if (process.argv.includes('--restored')) await skipUsedIds({ url });
