/** The tests that the threat model names exist. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { linksOf } from './links.ts';

const folder = join(import.meta.dirname, '../../docs/operations');
const textOf = (file: string) => readFileSync(file, 'utf8');

describe('the threat model', () => {
  const claims = linksOf(join(folder, 'threat-model.md')).filter(({ file }) => file.endsWith('.test.ts'));

  it.each(claims.map(({ words, file }) => [words, file]))(
    'names the test "%s", which exists',
    (words, file) => {
      // Titles may be broken over lines.
      expect(textOf(file).replace(/\s+/g, ' ').includes(words)).toBe(true);
    },
  );

  it('names a test for every threat', () => {
    const rows = textOf(join(folder, 'threat-model.md'))
      .split('\n')
      .filter((line) => /^\| (?!threat |-)/.test(line));
    expect(rows.length).toBeGreaterThan(40);
    expect(rows.filter((row) => !/\.test\.ts\)/.test(row.split('|')[2] ?? ''))).toEqual([]);
  });
});
