/** The commands of package.json say how they are used, and do nothing when an option is misspelt. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it } from '@jest/globals';
import { repository } from './start/folder.ts';

const { scripts } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
};
/** Packages have these, with tests of their own or without options. */
const ofPackages = new Set(['admin', 'prepare', 'build:web', 'build:python', 'promise', 'jest']);
/** All measurements read their options in one place. */
const isLikeAnother = (name: string) => name.startsWith('bench:') && name !== 'bench:offers';
const commands = Object.entries(scripts).flatMap(([name, script]) => {
  const [, file] = /\bnode (\S+\.ts)$/.exec(script) ?? [];
  return file === undefined || ofPackages.has(name) || isLikeAnother(name) ? [] : [[name, file] as const];
});

it.each(commands)(
  'npm run %s prints its usage for --help, and for an option that it does not know',
  async (name, file) => {
    const folder = join(tmpdir(), `commands-${randomUUID()}`);
    const runWith = async (option: string) => {
      const env = { ...process.env, DEV_FOLDER: folder };
      const child = spawn(process.execPath, [file, option], { cwd: repository, env, timeout: 60_000 });
      const [printed, complained, [status]] = await Promise.all([
        text(child.stdout),
        text(child.stderr),
        once(child, 'close'),
      ]);
      return { status: status as number, printed, complained };
    };
    const usage = expect.stringContaining(name === 'start' ? 'npm start' : `npm run ${name}`);
    const [helped, refused] = await Promise.all([runWith('--help'), runWith('--misspelt')]);
    expect(helped).toEqual({ status: 0, printed: usage, complained: '' });
    expect(refused).toEqual({ status: 1, printed: '', complained: usage });
    expect(refused.complained).toContain('--misspelt');
    expect(refused.complained).not.toMatch(/^ {4}at /m);
    expect(existsSync(folder)).toBe(false);
  },
  90_000,
);
