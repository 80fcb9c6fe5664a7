import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import {
  addressesOf,
  commandsByAnyNode,
  deadLinksOf,
  decisionsIn,
  filesOf,
  missingFilesOf,
  wrongCitationsOf,
} from './links.ts';

const repository = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(repository, file), 'utf8');
const guides = ['docs/guides', 'docs/guides-community'].flatMap((folder) =>
  readdirSync(join(repository, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name)),
);

/** Pages of the service that guides may send readers to (services/gateway/test/pages.api.test.ts). */
const pages = new Set([
  '/arazzo.json',
  '/docs',
  '/docs/community',
  '/docs/offer-states',
  '/docs/reference',
  '/docs/reference/events',
  '/docs/sdk',
  '/community/openapi.json',
  '/downloads',
  '/llms.txt',
  '/openapi.json',
  '/portal',
  '/portal/docs',
]);

describe('links lead somewhere, to files and sections that exist', () => {
  it.each(filesOf(repository, 'md'))('%s', (file) => {
    expect(deadLinksOf(join(repository, file))).toEqual([]);
  });

  it.each(guides)('and to pages of the service: %s', (file) => {
    expect(addressesOf(join(repository, file)).filter((address) => !pages.has(address))).toEqual([]);
  });
});

describe('blocks of code end with a line of their own, and no blank line cuts a table', () => {
  it.each(filesOf(repository, 'md'))('%s', (file) => {
    const text = read(file);
    const fences = text.match(/^ *```.*$/gm) ?? [];
    expect(fences.filter((fence, index) => index % 2 === 1 && fence.trim() !== '```')).toEqual([]);
    const prose = text.replaceAll(/^ *```[^]*?^ *```$/gm, '');
    expect(prose.match(/^\|.*\n\n\|(?!.*\n\|[ :|-]+$).*$/gm) ?? []).toEqual([]);
  });
});

describe('commands of pages', () => {
  it.each(filesOf(repository, 'md'))('run our TypeScript by our own Node: %s', (file) => {
    expect(commandsByAnyNode(join(repository, file))).toEqual([]);
  });
});

describe('files that pages name in code and commands', () => {
  const files = filesOf(repository, '*');
  /** Made by commands, so not in the repository. */
  const made = /^\.dev\//;

  it.each(filesOf(repository, 'md'))('exist: %s', (file) => {
    const missing = missingFilesOf(join(repository, file), files);
    expect(missing.filter((name) => !made.test(name))).toEqual([]);
  });
});

describe('decisions', () => {
  const folder = 'docs/decisions';
  const index = read(`${folder}/README.md`);
  const pages = filesOf(join(repository, folder), 'md').filter((name) => name !== 'README.md');
  const text = pages.map((name) => read(`${folder}/${name}`)).join('\n');
  const decisions = decisionsIn(text);

  it('are cited by existing numbers, with their own names', () => {
    // This file has wrong citations on purpose.
    const files = filesOf(repository, '{ts,tsx,sql,md,yaml}').filter(
      (file) => !file.endsWith('/links.test.ts'),
    );
    const wrong = files
      .map((file) => [file, ...wrongCitationsOf(read(file), decisions)])
      .filter((found) => found.length > 1);
    expect(files.length).toBeGreaterThan(1_000);
    expect(wrong).toEqual([]);
  });

  it.each(pages)('of %s are in the index, beside their page', (name) => {
    const numbers = [...decisionsIn(read(`${folder}/${name}`)).keys()];
    const row = index.split('\n').find((line) => line.includes(`](${name})`));
    expect(row?.split('|')[2]?.trim()).toBe(numbers.join(', '));
  });

  it('have different numbers', () => {
    expect(text.match(/^### .+$/gm)).toHaveLength(decisions.size);
  });
});
