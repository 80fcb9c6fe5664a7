import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { cleanFolder } from './clean-folder.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'drills-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

it('what an earlier drill left is deleted, but for the claim and the cache', async () => {
  await cleanFolder(folder);
  mkdirSync(join(folder, 'run'));
  writeFileSync(join(folder, 'stripe.ndjson'), '{}');
  await cleanFolder(folder);
  expect(existsSync(join(folder, 'stripe.ndjson'))).toBe(false);
  expect(existsSync(join(folder, 'run'))).toBe(true);
});

it('the data of another system is never touched', async () => {
  writeFileSync(join(folder, 'stripe.ndjson'), '{}');
  await expect(cleanFolder(folder)).rejects.toThrow('holds data of another system');
  expect(existsSync(join(folder, 'stripe.ndjson'))).toBe(true);
});
