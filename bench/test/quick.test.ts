/**
 * Every measurement runs once with `--quick`, which shows that it works and measures nothing, so that none rots. In the long profile only: on two
 * cores they take most of an hour together.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { testProfile } from '@offer-ads/testing/profile';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { scripts } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
};
/** The scripts of package.json are the list of all measurements. */
const benches = Object.keys(scripts).filter((name) => name.startsWith('bench:'));
const longestMs = 900_000;

const describeLong = testProfile === 'long' ? describe : describe.skip;

describeLong('every measurement', () => {
  it.each(benches)(
    '%s works',
    async (name) => {
      const args = (scripts[name] ?? '').split(' ').slice(1);
      const bench = spawn(process.execPath, [...args, '--quick'], { cwd: root, timeout: longestMs });
      let said = '';
      for (const stream of [bench.stdout, bench.stderr])
        stream.setEncoding('utf8').on('data', (text: string) => (said += text));
      const [status] = (await once(bench, 'close')) as [number | null];
      expect(status === 0 ? 'worked' : said.slice(-4_000)).toBe('worked');
    },
    longestMs,
  );
});
