import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it } from '@jest/globals';

async function startWith(argument: string, folder: string): Promise<{ status: number; printed: string }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'start.ts'), argument], {
    env: { ...process.env, DEV_FOLDER: folder },
    timeout: 60_000,
  });
  const [printed, [status]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  return { status: status as number, printed };
}

it('npm start with an argument says where its settings are, and starts nothing', async () => {
  const folder = join(tmpdir(), `start-${randomUUID()}`);
  const printed = expect.stringContaining('dev/README.md');
  expect(await Promise.all([startWith('--help', folder), startWith('--port=9', folder)])).toEqual([
    { status: 0, printed },
    { status: 2, printed },
  ]);
  expect(existsSync(folder)).toBe(false);
}, 90_000);
