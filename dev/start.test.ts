import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { DevState } from './start/state.ts';
import { startTable } from './start/table.ts';

describe('npm start', () => {
  it.each([
    ['--help', 0],
    ['--port=9', 2],
  ])(
    'with %s says where its settings are, and starts nothing',
    (argument, status) => {
      const folder = join(tmpdir(), `start-${randomUUID()}`);
      const ran = spawnSync(process.execPath, [join(import.meta.dirname, 'start.ts'), argument], {
        env: { ...process.env, DEV_FOLDER: folder },
        encoding: 'utf8',
        timeout: 60_000,
      });
      expect([ran.status, ran.stdout]).toEqual([status, expect.stringContaining('dev/README.md')]);
      expect(existsSync(folder)).toBe(false);
    },
    90_000,
  );

  it('ends with a table of which docs/first-offer.md shows every line', () => {
    const places = 'gateway docs portal console mailbox billing stripeSimulator ratesSimulator'.split(' ');
    const state = Object.fromEntries([...places.map((place) => [place, 'ADDRESS']), ['organisations', []]]);
    const table = startTable(state as DevState, { seconds: '1', adminToken: 'TOKEN' });
    const page = readFileSync(join(import.meta.dirname, '../docs/first-offer.md'), 'utf8');
    const labels = table.split('\n').flatMap((line) => /^\S.*?(?= {2,})/.exec(line) ?? []);
    expect(labels).toContain('Staff console');
    expect(labels.filter((label) => !page.includes(`\n${label}  `))).toEqual([]);
  });
});
