/** `node services/offers/src/migrate.ts`: migrates the database. A separate command, never part of a start. */
import { fileURLToPath } from 'node:url';
import { migrate, skipUsedIds } from '@offer-ads/platform/postgres/migrations';
import { readDatabaseUrl } from './config.ts';

const directory = fileURLToPath(new URL('../migrations', import.meta.url));
const url = readDatabaseUrl();
await migrate({ url, directory });
// After a restore from a backup: docs/operations/backup-and-restore.md.
if (process.argv.includes('--restored')) await skipUsedIds({ url, versioned: ['offers', 'catalogue'] });
