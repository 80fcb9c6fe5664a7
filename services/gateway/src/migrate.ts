/** Brings the gateway's database up to date: `node services/gateway/src/migrate.ts`. */
import { fileURLToPath } from 'node:url';
import { migrate } from '@offer-ads/platform/migrations';
import { readDatabaseUrl } from './config.ts';

await migrate({
  url: readDatabaseUrl(),
  directory: fileURLToPath(new URL('../migrations', import.meta.url)),
});
