/**
 * Every measurement runs once with `--quick`, which shows that it works and measures nothing, so that none rots. They use the stores of the
 * run, but each has a broker of its own: what one leaves in a queue must not reach the next.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { programMissingStatus } from '../run-measurement.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { scripts } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
};
/** The scripts of package.json are the list of all measurements. */
const benches = Object.keys(scripts).filter((name) => name.startsWith('bench:'));
const longestMs = 300_000;
const { TEST_RABBITMQ_URL: _, ...given } = process.env;
const env = { ...given, NODE_COMPILE_CACHE: `${root}.dev/compile-cache` };

describe('every measurement', () => {
  it.each(benches)(
    '%s works',
    async (name) => {
      const args = (scripts[name] ?? '').split(' ').slice(1);
      const bench = spawn(process.execPath, [...args, '--quick'], { cwd: root, env, timeout: longestMs });
      let errors = '';
      bench.stdout.resume();
      bench.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
      const [status] = (await once(bench, 'close')) as [number | null];
      if (status === programMissingStatus) return console.warn(`${name} is not tried: ${errors}`);
      expect(status === 0 ? 'worked' : errors.slice(0, 4_000)).toBe('worked');
    },
    longestMs,
  );
});
