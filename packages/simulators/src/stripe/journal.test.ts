import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { openJournal } from './journal.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'journal-'));
  file = join(folder, 'objects.ndjson');
});
afterEach(() => rmSync(folder, { recursive: true }));

it('the last line of an object is valid, and opening the file leaves one line per object', () => {
  const things = openJournal(file).collection<{ id: string; size: number }>('thing');
  things.put({ id: 'a', size: 1 });
  things.put({ id: 'b', size: 1 });
  things.put({ id: 'a', size: 2 });
  expect(openJournal(file).collection('thing').all()).toEqual([
    { id: 'a', size: 2 },
    { id: 'b', size: 1 },
  ]);
  expect(readFileSync(file, 'utf8').trim().split('\n')).toHaveLength(2);
});

it('an incomplete last line, which a killed process leaves, is ignored', () => {
  openJournal(file).collection('thing').put({ id: 'a' });
  appendFileSync(file, '{"kind":"thing","obj');
  expect(openJournal(file).collection('thing').all()).toEqual([{ id: 'a' }]);
});

it('an incomplete line in the middle is an error', () => {
  writeFileSync(file, '{"kind":"thi\n{"kind":"thing","object":{"id":"a"}}\n');
  expect(() => openJournal(file)).toThrow('line 1: not JSON');
});
