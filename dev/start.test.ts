import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it } from '@jest/globals';
import type { DevState } from './start/state.ts';
import { startTable } from './start/table.ts';

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

it('npm start ends with a table; docs/first-offer.md shows each of its lines', () => {
  const places = 'gateway docs portal console mailbox billing stripeSimulator ratesSimulator'.split(' ');
  const state = Object.fromEntries([...places.map((place) => [place, 'ADDRESS']), ['organisations', []]]);
  const table = startTable(state as DevState, { seconds: '1' });
  const page = readFileSync(join(import.meta.dirname, '../docs/first-offer.md'), 'utf8');
  const labels = table.split('\n').flatMap((line) => /^\S.*?(?= {2,})/.exec(line) ?? []);
  expect(labels).toContain('Staff console');
  expect(labels.filter((label) => !page.includes(`\n${label}  `))).toEqual([]);
});
