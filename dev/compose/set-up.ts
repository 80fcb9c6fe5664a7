/**
 * `npm run compose:set-up`: what docker-compose.yml needs before its first start. Secrets, random, each in a file of
 * compose/secrets; and a `.env` that simulates everything outside. Whatever is there already stays as it is.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from '../start/folder.ts';
import { firstEnv } from './first-env.ts';
import { writeSecrets } from './folder.ts';

const made = writeSecrets(join(repository, 'compose/secrets'));
console.log(
  made.length === 0 ? 'compose/secrets: every file is there.' : `compose/secrets: ${made.length} files made.`,
);
const env = join(repository, '.env');
const isNew = !existsSync(env);
if (isNew) writeFileSync(env, firstEnv);
console.log(isNew ? '.env: made; everything outside is simulated.' : '.env: there already.');
