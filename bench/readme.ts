/** Puts a table where bench/README.md marks its place. */
import { readFileSync, writeFileSync } from 'node:fs';

const file = new URL('README.md', import.meta.url);

export function writeIntoReadme(name: string, text: string): void {
  const [begin, end] = [`<!-- ${name}: begin -->`, `<!-- ${name}: end -->`];
  const readme = readFileSync(file, 'utf8');
  const [from, to] = [readme.indexOf(begin), readme.indexOf(end)];
  if (from === -1 || to < from) throw new Error(`bench/README.md has lost its marks ${begin} and ${end}`);
  writeFileSync(file, `${readme.slice(0, from + begin.length)}\n${text}\n${readme.slice(to)}`);
}
