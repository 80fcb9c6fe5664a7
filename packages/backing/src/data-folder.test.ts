import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { claimFolder, recordServer, releaseFolder, sweepAbandoned } from './data-folder.ts';
import { identify } from './process-identity.ts';

let parent: string;
let folder: string;
let server: ChildProcess;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'data-folder-'));
  folder = join(parent, 'run');
  server = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {
    detached: true,
    stdio: 'ignore',
  });
});
afterEach(() => {
  server.kill('SIGKILL');
  rmSync(parent, { recursive: true, force: true });
});

const pidOf = (child: ChildProcess): number => child.pid ?? 0;

/** What a killed run leaves: an owner that has ended, and a server that still runs. */
async function leaveByKilledRun(): Promise<void> {
  await claimFolder(folder);
  recordServer(folder, 'server', pidOf(server));
  writeFileSync(join(folder, 'owner.json'), JSON.stringify({ pid: process.pid, startedAt: 'long ago' }));
}

describe('the folder of a run', () => {
  it('cannot be claimed while a living process has claimed it', async () => {
    await claimFolder(folder);
    await expect(claimFolder(folder)).rejects.toThrow(`in use by process ${process.pid}`);
    releaseFolder(folder);
    await claimFolder(folder);
  });

  it.each([
    ['a new folder', async () => {}],
    ['the folder of a killed run', leaveByKilledRun],
  ])('of several claims of %s at the same time one succeeds', async (_name, prepare) => {
    await prepare();
    const claims = await Promise.allSettled([1, 2, 3].map(() => claimFolder(folder)));
    expect(claims.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected', 'rejected']);
    expect(readdirSync(folder)).toEqual(['owner.json']);
  });

  it('can be claimed after its owner was killed, and the servers of that owner are then stopped', async () => {
    await leaveByKilledRun();
    const ended = once(server, 'exit');
    await claimFolder(folder);
    expect(await ended).toEqual([null, 'SIGTERM']);
  });

  it('does not stop another process that got the id of a server that has ended', async () => {
    await leaveByKilledRun();
    writeFileSync(
      join(folder, 'server.server.json'),
      JSON.stringify({ pid: pidOf(server), startedAt: 'long ago' }),
    );
    await claimFolder(folder);
    expect(identify(pidOf(server))).toBeDefined();
  });

  it('is removed by a sweep when its owner has ended, and kept while its owner lives', async () => {
    await leaveByKilledRun();
    await claimFolder(join(parent, 'living'));
    const ended = once(server, 'exit');
    await sweepAbandoned(parent);
    await ended;
    expect(existsSync(folder)).toBe(false);
    expect(existsSync(join(parent, 'living'))).toBe(true);
  });
});
