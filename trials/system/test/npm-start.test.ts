/** `npm start` as a person meets it: a table when all is ready, services that come back when they die, and an end in good order. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { removeFolder } from '@offer-ads/backing/data-folder';
import { type ServiceName, serviceNames } from '@offer-ads/contracts/values/primitives';
import { repository } from '@offer-ads/dev/start/folder';
import type { DevState } from '@offer-ads/dev/start/state';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { advertiser, offerForm } from '../../harness/advertiser.ts';
import { storesOfRun } from '../../harness/test-system.ts';

/** What services may take to become ready (dev/start/supervisor.ts), and then the pages, the stores and demo data. */
const readyWithinMs = 240_000;

const running = new AsyncDisposableStack();
let child: ChildProcess;
let folder: string;
let output = '';
const state = () => JSON.parse(readFileSync(join(folder, 'state.json'), 'utf8')) as DevState;

beforeAll(async () => {
  mkdirSync(join(repository, '.dev'), { recursive: true });
  folder = running.adopt(mkdtempSync(join(repository, '.dev', 'start-')), removeFolder);
  const { env, dispose } = await storesOfRun('own');
  running.defer(dispose);
  child = spawn(process.execPath, ['dev/start.ts'], {
    cwd: repository,
    env: {
      ...process.env,
      NODE_COMPILE_CACHE: join(repository, '.dev/compile-cache'),
      ...env,
      DEV_FOLDER: folder,
    },
  });
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (text) => {
      output += String(text);
    });
  running.defer(() => ended(child));
  await eventually(
    () => {
      if (child.exitCode !== null) throw new Error(`npm start ended:\n${output}`);
      if (!output.includes('Try it:')) throw new Error(`npm start is not ready:\n${output}`);
    },
    { timeoutMs: readyWithinMs },
  );
}, 300_000);
afterAll(() => running.disposeAsync(), 180_000);

async function ended(starting: ChildProcess): Promise<void> {
  if (starting.exitCode !== null || starting.signalCode !== null) return;
  const end = once(starting, 'close');
  starting.kill('SIGTERM');
  await end;
}

describe('npm start', () => {
  it('prints where everything is, and a request that works', async () => {
    const { gateway, organisations } = state();
    const key = organisations[0]?.keys.TEST ?? '';
    for (const part of [gateway, state().console, state().mailbox, key]) expect(output).toContain(part);
    const reply = await fetch(`${gateway}/categories`, { headers: { 'x-api-key': key } });
    expect(reply.status).toBe(200);
  });

  it.each([
    ['three of them', 0],
    ['the other three', 1],
  ])(
    'starts services again that were killed, each with a clear line; the others live on: %s',
    async (_, rest) => {
      const before = state().processes;
      const killed = serviceNames.filter((_, place) => place % 2 === rest);
      const others = (processes: Readonly<Record<ServiceName, number>>) =>
        serviceNames.filter((name) => !killed.includes(name)).map((name) => processes[name]);
      for (const name of killed) process.kill(before[name], 'SIGKILL');
      for (const name of killed) {
        await eventually(() => expect(state().processes[name]).not.toBe(before[name]));
        await eventually(() => expect(output).toContain(`[${name}] ended (SIGKILL)`));
        await eventually(() => expect(output).toContain(`[${name}] runs again`), { timeoutMs: 150_000 });
      }
      expect(others(state().processes)).toEqual(others(before));
    },
    240_000,
  );

  it('has lost nothing by that: an offer can be bought', async () => {
    const caller = advertiser({ state }, state().organisations[0]?.keys.TEST);
    await eventually(
      async () => expect((await caller.create(await offerForm())).body.return_code).toBe('S1'),
      { timeoutMs: 60_000 },
    );
  }, 120_000);

  it('stops everything when it is told to, and says so', async () => {
    const { processes } = state();
    await ended(child);
    expect([child.exitCode, output.trimEnd().endsWith('Stopped.')]).toEqual([0, true]);
    expect(existsSync(join(folder, 'state.json'))).toBe(false);
    for (const pid of Object.values(processes)) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  }, 120_000);
});
