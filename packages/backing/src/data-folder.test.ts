import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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

/** As a run that was killed leaves it: an owner that is no more, a server that still runs. */
async function leaveBehind(): Promise<void> {
  await claimFolder(folder);
  recordServer(folder, 'server', pidOf(server));
  writeFileSync(join(folder, 'owner.json'), JSON.stringify({ pid: process.pid, startedAt: 'long ago' }));
}

describe('the folder of a run', () => {
  it('cannot be claimed while a living process has it', async () => {
    await claimFolder(folder);
    await expect(claimFolder(folder)).rejects.toThrow(`in use by process ${process.pid}`);
    releaseFolder(folder);
    await claimFolder(folder);
  });

  it('can be claimed after its owner was killed, which stops the servers that were left running', async () => {
    await leaveBehind();
    const ended = once(server, 'exit');
    await claimFolder(folder);
    expect(await ended).toEqual([null, 'SIGTERM']);
  });

  it('never leads to a process that merely got the number of a server that is gone', async () => {
    await leaveBehind();
    writeFileSync(
      join(folder, 'server.server.json'),
      JSON.stringify({ pid: pidOf(server), startedAt: 'long ago' }),
    );
    await claimFolder(folder);
    expect(identify(pidOf(server))).toBeDefined();
  });

  it('is swept away when its owner is gone, and left alone while it lives', async () => {
    await leaveBehind();
    await claimFolder(join(parent, 'living'));
    const ended = once(server, 'exit');
    await sweepAbandoned(parent);
    await ended;
    expect(existsSync(folder)).toBe(false);
    expect(existsSync(join(parent, 'living'))).toBe(true);
  });
});
