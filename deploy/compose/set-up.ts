/**
 * `npm run compose:set-up`: creates what docker-compose.yml needs before its first start: random secrets, each in a file of
 * deploy/compose/secrets, and a `.env` that simulates external services. Existing files are not changed.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { refuseOptions } from '@offer-ads/dev/command-line';
import { repository } from '@offer-ads/dev/start/folder';
import { firstEnv } from './first-env.ts';
import { writeSecrets } from './folder.ts';

refuseOptions(
  'npm run compose:set-up creates random secrets in deploy/compose/secrets, and .env. Existing files are not changed.',
);
const made = writeSecrets(join(repository, 'deploy/compose/secrets'));
console.log(
  made.length === 0
    ? 'deploy/compose/secrets: all files exist.'
    : `deploy/compose/secrets: ${made.length} files made.`,
);
const env = join(repository, '.env');
const isNew = !existsSync(env);
if (isNew) writeFileSync(env, firstEnv);
console.log(isNew ? '.env: created; external services are simulated.' : '.env: exists already.');
