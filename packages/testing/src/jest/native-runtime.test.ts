import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from '@jest/globals';

const rootDir = mkdtempSync(join(tmpdir(), 'native-runtime-'));
afterAll(() => rmSync(rootDir, { recursive: true }));

const beside = (file: string) => fileURLToPath(new URL(file, import.meta.url));

/** Runs jest over these files in one process. Returns the status of each file and test. */
function outcomes(files: Readonly<Record<string, string>>): Record<string, unknown> {
  for (const [name, source] of Object.entries(files))
    writeFileSync(join(rootDir, name), `import { beforeAll, expect, it } from '@jest/globals';\n${source}`);
  const config = {
    rootDir,
    runtime: beside('native-runtime.ts'),
    testEnvironment: beside('native-environment.ts'),
    transform: {},
    testMatch: Object.keys(files).map((name) => `**/${name}`),
  };
  const jest = fileURLToPath(new URL('../../../../node_modules/jest/bin/jest.js', import.meta.url));
  const { stdout } = spawnSync(
    process.execPath,
    [jest, '--json', '--runInBand', '--config', JSON.stringify(config)],
    { encoding: 'utf8' },
  );
  const { testResults } = JSON.parse(stdout) as {
    testResults: { name: string; status: string; assertionResults: { title: string; status: string }[] }[];
  };
  return Object.fromEntries(
    testResults.map(({ name, status, assertionResults }) => [
      basename(name),
      { status, tests: Object.fromEntries(assertionResults.map(({ title, status }) => [title, status])) },
    ]),
  );
}

describe('tests in the native runtime', () => {
  it('fail by an assertion, a time-out, a hook, an unhandled rejection, and a file that does not load', () => {
    expect(
      outcomes({
        'all.test.ts': `
          it('holds', () => expect(1).toBe(1));
          it('does not hold', () => expect(1).toBe(2));
          it('never ends', () => new Promise(() => {}), 20);
          it('leaves a rejection', async () => { Promise.reject(new Error('left')); await new Promise(setImmediate); });`,
        'hook.test.ts': `
          beforeAll(() => { throw new Error('no start'); });
          it('has no start', () => {});`,
        'broken.test.ts': `throw new Error('does not load');`,
      }),
    ).toEqual({
      'all.test.ts': {
        status: 'failed',
        tests: {
          holds: 'passed',
          'does not hold': 'failed',
          'never ends': 'failed',
          'leaves a rejection': 'failed',
        },
      },
      'hook.test.ts': { status: 'failed', tests: { 'has no start': 'failed' } },
      'broken.test.ts': { status: 'failed', tests: {} },
    });
  });

  it('of one file do not run again with the next file', () => {
    const passing = (title: string) => `it('${title}', () => {});`;
    expect(outcomes({ 'one.test.ts': passing('first'), 'two.test.ts': passing('second') })).toEqual({
      'one.test.ts': { status: 'passed', tests: { first: 'passed' } },
      'two.test.ts': { status: 'passed', tests: { second: 'passed' } },
    });
  });
});
