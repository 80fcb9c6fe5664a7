/** `npm start` as a person meets it: a table when all is ready, services that are started again when they die, and an orderly end. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { removeFolder } from '@offer-ads/backing/data-folder';
import { serviceNames } from '@offer-ads/contracts/values/primitives';
import { repository } from '@offer-ads/dev/start/folder';
import type { DevState } from '@offer-ads/dev/start/state';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { advertiser, offerForm, unusedAddress } from '../../harness/advertiser.ts';
import { storesOfRun } from '../../harness/test-system.ts';

/** Services may take 150 seconds (dev/start/supervisor.ts); the stores, the pages and demo data come on top. */
const readyWithinMs = 240_000;

const running = new AsyncDisposableStack();
let child: ChildProcess;
let folder: string;
let output = '';
const state = () => JSON.parse(readFileSync(join(folder, 'state.json'), 'utf8')) as DevState;

beforeAll(async () => {
  mkdirSync(join(repository, '.dev'), { recursive: true });
  folder = running.adopt(mkdtempSync(join(repository, '.dev', 'start-')), removeFolder);
  const { env, dispose } = await storesOfRun();
  running.defer(dispose);
  child = spawn('npm', ['start'], {
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
    // From an unused address, because other systems of this run share the store of rate limits.
    const headers = { 'x-api-key': key, 'x-forwarded-for': unusedAddress() };
    const reply = await fetch(`${gateway}/categories`, { headers });
    expect(reply.status).toBe(200);
  });

  it('starts killed services again, each with a clear line, while the others stay as they are', async () => {
    const first = serviceNames.slice(0, 3);
    const others = serviceNames.slice(3);
    const before = state().processes;
    for (const name of first) process.kill(before[name], 'SIGKILL');
    await eventually(() => {
      for (const name of first) expect(state().processes[name]).not.toBe(before[name]);
    });
    for (const name of others) expect(state().processes[name]).toBe(before[name]);
    // Then these, so that each of the six has come back once.
    for (const name of others) process.kill(before[name], 'SIGKILL');
    for (const name of serviceNames) {
      await eventually(() => expect(output).toContain(`[${name}] ended (SIGKILL)`));
      await eventually(() => expect(output).toContain(`[${name}] runs again`), { timeoutMs: 150_000 });
    }
  }, 240_000);

  it('sells an offer afterwards, because nothing was lost', async () => {
    const caller = advertiser({ state }, state().organisations[0]?.keys.TEST);
    await eventually(
      async () => expect((await caller.create(await offerForm())).body.return_code).toBe('S1'),
      { timeoutMs: 60_000 },
    );
  }, 120_000);

  it('stops everything when npm alone gets SIGTERM, and says so', async () => {
    const { processes } = state();
    await ended(child);
    expect([child.exitCode, output.trimEnd().endsWith('Stopped.')]).toEqual([0, true]);
    expect(existsSync(join(folder, 'state.json'))).toBe(false);
    for (const pid of Object.values(processes)) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  }, 120_000);
});
