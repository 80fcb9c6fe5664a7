/**
 * `npm run compose:set-up`: what docker-compose.yml needs before its first start. Secrets, random, each in a file of
 * deploy/compose/secrets; and a `.env` that simulates everything outside. Whatever is there already stays as it is.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from '@offer-ads/dev/start/folder';
import { firstEnv } from './first-env.ts';
import { writeSecrets } from './folder.ts';

const made = writeSecrets(join(repository, 'deploy/compose/secrets'));
console.log(
  made.length === 0
    ? 'deploy/compose/secrets: every file is there.'
    : `deploy/compose/secrets: ${made.length} files made.`,
);
const env = join(repository, '.env');
const isNew = !existsSync(env);
if (isNew) writeFileSync(env, firstEnv);
console.log(isNew ? '.env: made; everything outside is simulated.' : '.env: there already.');
