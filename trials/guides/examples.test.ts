import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { type Example, examplesOf } from './examples.ts';

describe('examples of a guide', () => {
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
