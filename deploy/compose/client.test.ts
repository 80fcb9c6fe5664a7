/** docker-compose.yml as the real client reads it, where that is installed; it checks against the published schema too. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { repository } from '@offer-ads/dev/start/folder';
import { parse } from 'yaml';
import { composeFile } from './file.ts';
import { firstEnv } from './first-env.ts';

const compose = (...args: string[]) =>
  spawnSync('docker', ['compose', ...args], { cwd: repository, encoding: 'utf8' });
const isThere = compose('version').status === 0;

describe('docker compose config', () => {
  if (!isThere) {
    it('is skipped without docker and its compose plugin', () => expect(isThere).toBe(false));
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), 'compose-client-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const env = join(folder, 'env');
  writeFileSync(env, firstEnv);
  const profiles = [
    ...new Set(Object.values(composeFile.services).flatMap(({ profiles = [] }) => profiles)),
  ].flatMap((profile) => ['--profile', profile]);

  it('prints the whole file without changes, and no secret', () => {
    const { status, stdout, stderr } = compose('--env-file', env, ...profiles, 'config');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const { services, secrets } = parse(stdout) as typeof composeFile;
    expect(Object.keys(services).toSorted()).toEqual(Object.keys(composeFile.services).toSorted());
    expect(Object.keys(secrets).toSorted()).toEqual(Object.keys(composeFile.secrets).toSorted());
    expect(stdout).not.toMatch(/:\/\/[^/\s]*:[^/\s]*@|[sr]k_(test|live)_|whsec_|[0-9a-f]{32}/);
  });

  it('fails without a required setting', () => {
    const { status, stderr } = compose('--env-file', '/dev/null', 'config', '--quiet');
    expect(status).not.toBe(0);
    expect(stderr).toMatch(/required variable \w+ is missing a value/);
  });
});
