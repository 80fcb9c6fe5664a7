/** `node services/offers/src/migrate.ts`: brings the database up to date; a command of its own, never part of a start. */
import { fileURLToPath } from 'node:url';
import { migrate } from '@offer-ads/platform/migrations';
import { readDatabaseUrl } from './config.ts';

const directory = fileURLToPath(new URL('../migrations', import.meta.url));
await migrate({ url: readDatabaseUrl(), directory });
