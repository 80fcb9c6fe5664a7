import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { configProblems } from '../../test/config-problems.ts';
import { isSecret, postgresUrl, readConfig, secret } from './config.ts';

const folder = mkdtempSync(join(tmpdir(), 'secret-files-'));
let files = 0;
function file(content: string): string {
  const path = join(folder, `${(files += 1)}`);
  writeFileSync(path, content);
  return path;
}

const schema = z.object({
  STORE_URL: postgresUrl,
  SIGNING_SECRET: secret,
  API_KEY: z.string().regex(/^\S+$/, { error: 'must be without spaces' }).optional().meta(isSecret),
  NAME: z.string().default('nobody'),
});
const long = 'd0b1'.repeat(16);
const good = { STORE_URL: 'postgres://user:password@host/store', SIGNING_SECRET: long };

const problemsOf = (env: NodeJS.ProcessEnv) => configProblems(schema, env);

describe('a secret in a file', () => {
  it('is the content of the file without the line break at its end', () => {
    for (const end of ['', '\n', '\r\n']) {
      const env = {
        STORE_URL_FILE: file(`${good.STORE_URL}${end}`),
        SIGNING_SECRET_FILE: file(`${long}${end}`),
        API_KEY_FILE: file(`key${end}`),
      };
      expect(readConfig(schema, env)).toEqual({ ...good, API_KEY: 'key', NAME: 'nobody' });
    }
  });

  it.each([
    ['a socket', `"$@"`],
    ['a pipe', `cat | "$@"`],
  ])('may be sent to the process by %s, as /dev/stdin', (_, line) => {
    const code = `import(process.argv[1]).then((o) => console.log(o.readSecretFile('/dev/stdin').text))`;
    const module = join(import.meta.dirname, 'secret-files.ts');
    const command = ['-c', line, 'sh', process.execPath, '-e', code, module];
    expect(execFileSync('sh', command, { input: `${long}\n`, encoding: 'utf8' })).toBe(`${long}\n`);
  });

  it('keeps a second line break, and is then refused', () => {
    expect(problemsOf({ ...good, API_KEY_FILE: file('key\n\n') })).toEqual([
      'API_KEY, read from API_KEY_FILE: must be without spaces',
    ]);
  });

  it('does not change the environment', () => {
    const env = Object.freeze({ ...good, SIGNING_SECRET: '', SIGNING_SECRET_FILE: file(long) });
    const before = { ...process.env };
    expect(readConfig(schema, env).SIGNING_SECRET).toBe(long);
    expect(process.env).toEqual(before);
  });

  it('is not read when the variable of the file is empty', () => {
    expect(readConfig(schema, { ...good, SIGNING_SECRET_FILE: '', API_KEY_FILE: '' })).toMatchObject(good);
  });

  it('is only for settings that are secrets', () => {
    expect(readConfig(schema, { ...good, NAME_FILE: file('somebody') }).NAME).toBe('nobody');
  });

  it('is refused when the value is given too', () => {
    const env = { ...good, SIGNING_SECRET_FILE: file(long) };
    expect(problemsOf(env)).toEqual([
      'SIGNING_SECRET and SIGNING_SECRET_FILE are both given: leave one of them out',
    ]);
  });

  it('that is missing, a folder, empty or too long is reported by its variable, together with all other problems', () => {
    mkdirSync(join(folder, 'a-folder'));
    expect(problemsOf({ SIGNING_SECRET_FILE: join(folder, 'nothing') })).toEqual([
      'SIGNING_SECRET_FILE names a file that does not exist',
      'STORE_URL is missing: must be an address such as postgres://user@host:5432/database',
    ]);
    const problemOf = (path: string) => problemsOf({ ...good, API_KEY_FILE: path });
    expect(problemOf(join(folder, 'a-folder'))).toEqual(['API_KEY_FILE names a folder: it must be a file']);
    expect(problemOf(file(''))).toEqual(['API_KEY_FILE names a file that is empty']);
    expect(problemOf(file('\n'))).toEqual(['API_KEY_FILE names a file that is empty']);
    expect(problemOf(file('x'.repeat(65_537)))).toEqual(['API_KEY_FILE must name a file of at most 64 KB']);
    expect(problemOf(join(file('x'), 'below'))).toEqual(['API_KEY_FILE names a file that cannot be read']);
  });

  it('that this user may not read is reported', () => {
    const path = file('key');
    chmodSync(path, 0);
    // Root may read everything.
    const expected =
      process.getuid?.() === 0 ? [] : ['API_KEY_FILE names a file that this user may not read'];
    const problems = expected.length === 0 ? [] : problemsOf({ ...good, API_KEY_FILE: path });
    expect(problems).toEqual(expected);
  });

  it('is never printed, and neither is the path of its file', () => {
    const paths = [file('hush'), file('hush hush'), join(folder, 'hush')];
    for (const path of paths) {
      const told = problemsOf({ STORE_URL_FILE: path, SIGNING_SECRET_FILE: path, API_KEY_FILE: path }).join();
      expect(told).toMatch(/STORE_URL_FILE.*SIGNING_SECRET_FILE/);
      expect(told).not.toContain('hush');
      expect(told).not.toContain(path);
    }
  });
});
