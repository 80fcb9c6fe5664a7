/** Links of the operations pages lead somewhere, and what the threat model claims is tested by the test that it names. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const folder = join(import.meta.dirname, '../docs/operations');
const pages = readdirSync(folder).filter((name) => name.endsWith('.md'));
const textOf = (file: string) => readFileSync(file, 'utf8');

type Link = { readonly words: string; readonly file: string; readonly section: string };

function linksOf(page: string): Link[] {
  return [...textOf(join(folder, page)).matchAll(/\[([^\]]+)\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g)].map(
    ([, words = '', path = '', section = '']) => ({
      words,
      file: path === '' ? join(folder, page) : join(dirname(join(folder, page)), path),
      section,
    }),
  );
}

/** As GitHub names the headings of a page. */
function sectionsOf(file: string): string[] {
  return [...textOf(file).matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N} -]/gu, '')
      .replaceAll(' ', '-'),
  );
}

describe.each(pages)('docs/operations/%s', (page) => {
  it('leads to files and sections that exist', () => {
    const dead = linksOf(page).filter(
      ({ file, section }) => !existsSync(file) || (section !== '' && !sectionsOf(file).includes(section)),
    );
    expect(dead).toEqual([]);
  });
});

describe('the threat model', () => {
  const claims = linksOf('threat-model.md').filter(({ file }) => file.endsWith('.test.ts'));

  it.each(claims.map(({ words, file }) => [words, file]))(
    'claims "%s", and there is that test',
    (words, file) => {
      // Titles may be broken over lines.
      expect(textOf(file).replace(/\s+/g, ' ').includes(words)).toBe(true);
    },
  );

  it('names a test for every threat', () => {
    const rows = textOf(join(folder, 'threat-model.md'))
      .split('\n')
      .filter((line) => /^\| [STRIDE] \|/.test(line));
    expect(rows.length).toBeGreaterThan(40);
    const [supplyChain, ...untested] = rows.filter((row) => !/\.test\.ts\)/.test(row.split('|')[3] ?? ''));
    // What only a lock file and a list of contents stand against.
    expect([supplyChain, untested]).toEqual([expect.stringContaining('a dependency that turns bad'), []]);
  });
});
