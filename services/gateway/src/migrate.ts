/** Migrates the gateway's database: `node services/gateway/src/migrate.ts`. */
import { fileURLToPath } from 'node:url';
import { migrate, skipUsedIds } from '@offer-ads/platform/postgres/migrations';
import { readDatabaseUrl } from './config.ts';

const url = readDatabaseUrl();
await migrate({ url, directory: fileURLToPath(new URL('../migrations', import.meta.url)) });
// After a restore from a backup: docs/operations/backup-and-restore.md.
if (process.argv.includes('--restored')) await skipUsedIds({ url, versioned: ['organisations'] });
