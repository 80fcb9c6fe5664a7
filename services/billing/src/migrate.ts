/** `node services/billing/src/migrate.ts`: brings billing's database up to date. */
import { fileURLToPath } from 'node:url';
import { createLogger } from '@offer-ads/platform/logging';
import { migrate } from '@offer-ads/platform/migrations';
import { readDatabaseUrl } from './config.ts';

await migrate({
  url: readDatabaseUrl(),
  directory: fileURLToPath(new URL('../migrations', import.meta.url)),
  logger: createLogger({ service: 'billing', level: 'info' }),
});
