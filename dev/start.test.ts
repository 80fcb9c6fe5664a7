import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

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
});
