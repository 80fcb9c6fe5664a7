import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { type Example, examplesOf } from './examples.ts';

const fence = '```';
const block = (info: string, text: string) => `${fence}${info}\n${text}\n${fence}\n`;

describe('examples of a guide', () => {
  it('are its commands, each with its reply', () => {
    const page = `# Title\n${block('sh', 'date')}${block('json', '{}')}${block('ts', 'a()')}${block('python', 'b()')}`;
    expect(examplesOf(page)).toEqual([
      { kind: 'shell', line: 2, code: 'date', reply: { form: 'json', line: 5, text: '{}' } },
      { kind: 'script', language: 'ts', line: 8, code: 'a()', reply: null },
      { kind: 'script', language: 'python', line: 11, code: 'b()', reply: null },
    ]);
  });

  it('export values of the reader', () => {
    expect(examplesOf(block('sh yours', 'export A=b'))).toEqual([{ kind: 'values', line: 1, names: ['A'] }]);
    expect(() => examplesOf(block('sh yours', 'rm -rf x'))).toThrow('line 1');
  });

  it('name in a comment what a person does', () => {
    expect(examplesOf('<!-- somebody pays the link -->\n')).toEqual([
      { kind: 'person', line: 1, does: 'somebody pays the link' },
    ]);
  });

  it('are parts of files that run elsewhere, too', () => {
    expect(examplesOf(block('js web/page.js', 'a();'))).toEqual([
      { kind: 'excerpt', line: 1, file: 'web/page.js', code: 'a();' },
    ]);
  });

  it.each([
    ['a language that is not run', block('ruby', 'puts')],
    ['no language', block('', 'x')],
    ['an unknown mark', block('sh untested', 'x')],
    ['a reply without a command', block('json', '{}')],
    ['two replies to one command', block('sh', 'x') + block('json', '{}') + block('json', '{}')],
    ['an indented block', 'text\n\n    curl\n'],
    ['a block without an end', '```sh\nx\n'],
  ])('cannot be %s', (_what, page) => {
    expect(() => examplesOf(page)).toThrow(/line \d+/);
  });

  const folder = join(import.meta.dirname, '../../docs');
  const guides = ['guides', 'guides-community'].flatMap((name) =>
    readdirSync(join(folder, name)).map((file) => join(name, file)),
  );
  it.each(guides.filter((file) => file.endsWith('.md')))('can all be run: %s', (file) => {
    const examples = examplesOf(readFileSync(join(folder, file), 'utf8'));
    for (const example of examples.filter(({ kind }) => kind === 'excerpt')) {
      const { file, code } = example as Example & { kind: 'excerpt' };
      expect(readFileSync(join(folder, '..', file), 'utf8')).toContain(code);
    }
  });
});
