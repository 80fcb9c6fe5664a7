/** `npm run bench:start`: how long `npm start` takes, and the memory and processor time of each service. See bench/README.md. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startProcess as start } from '@offer-ads/backing/embedded/server-process';
import { freePorts } from '@offer-ads/backing/free-port';
import { serviceNames } from '@offer-ads/contracts/values/primitives';
import { repository } from '@offer-ads/dev/start/folder';
import type { DevState } from '@offer-ads/dev/start/state';
import { readOptions, type UsualOptions } from './command-line.ts';
import { cpuMsOf } from './cpu.ts';
import { waitUntilIdle } from './machine-load.ts';
import { overRounds, table } from './markdown.ts';
import { type Running, startProcess } from './process.ts';
import { circumstances, publish, runMeasurement, say } from './run-measurement.ts';

const usage = `npm run bench:start -- [--rounds 3] [--quick] [--write]
  --quick   one start: shows that it works, measures nothing
  --write   puts the table into bench/README.md`;

/** After a start, each by service; `express alone` is the peer. */
type Sample = {
  readonly readySeconds: number;
  readonly megabytes: ReadonlyMap<string, number>;
  readonly cpuMs: ReadonlyMap<string, number>;
};
const starts = ['first', 'again'] as const;
/** Not started again with `--quick`. */
type Round = { readonly first: Sample; readonly again?: Sample };

const peer = 'express and pg alone';
const peerFile = fileURLToPath(new URL('express-alone.ts', import.meta.url));
/** Loops have made their first runs then. */
const idleAfterMs = 5_000;

await runMeasurement({ usage, readOptions: (args) => readOptions(args, { rounds: 3 }), run });

async function run(opened: AsyncDisposableStack, { rounds, quick, write }: UsualOptions): Promise<void> {
  const measured: Round[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const folder = mkdtempSync(join(tmpdir(), 'bench-start-'));
    opened.defer(() => rmSync(folder, { recursive: true, force: true }));
    const first = await measureStart(opened, folder, 'first', quick ? 0 : idleAfterMs);
    say(`round ${round}  ready in ${first.readySeconds} s`);
    const again = quick ? undefined : await measureStart(opened, folder, 'again', idleAfterMs);
    if (again !== undefined) say(`round ${round}  again in ${again.readySeconds} s`);
    measured.push({ first, ...(again && { again }) });
  }
  publish('start', `${circumstances()} ${report(measured)}`, write);
}

async function measureStart(
  opened: AsyncDisposableStack,
  folder: string,
  which: (typeof starts)[number],
  idleMs: number,
): Promise<Sample> {
  await waitUntilIdle();
  const devFolder = join(folder, 'dev');
  await using running = new AsyncDisposableStack();
  // Also when the measurement is interrupted; a process that has stopped is not stopped again.
  opened.defer(() => running.disposeAsync());
  let readySeconds = Number.NaN;
  const system = await start({
    name: `npm-start-${which}`,
    command: process.execPath,
    args: [join(repository, 'dev/start.ts')],
    cwd: repository,
    folder,
    env: { HOME: folder, DEV_FOLDER: devFolder },
    stopSignal: 'SIGINT',
    startBoundMs: 180_000,
    stopBoundMs: 60_000,
    ready: async () => {
      const log = readFileSync(join(folder, `npm-start-${which}.log`), 'utf8');
      const [, seconds] = /^Ready in ([\d.]+) s/m.exec(log) ?? [];
      if (seconds === undefined) throw new Error('not ready yet');
      readySeconds = Number(seconds);
    },
  });
  running.defer(system.stop);
  const state = JSON.parse(readFileSync(join(devFolder, 'state.json'), 'utf8')) as DevState;
  const { processes } = state;
  const alone = running.use(
    await startPeer(`express-alone-${which}`, folder, peerFile, {
      DATABASE_URL: state.databases.offers,
      NODE_COMPILE_CACHE: join(devFolder, 'compile-cache'),
    }),
  );
  await pause(idleMs);
  const pids = new Map([...serviceNames.map((name) => [name, processes[name]] as const), [peer, alone.pid]]);
  const ofEach = (measure: (pid: number) => number) =>
    new Map([...pids].map(([name, pid]) => [name, measure(pid)]));
  return { readySeconds, megabytes: ofEach(megabytesOf), cpuMs: ofEach(cpuMsOf) };
}

async function startPeer(
  name: string,
  folder: string,
  file: string,
  env: Record<string, string>,
): Promise<Running & { readonly url: string }> {
  const [port = 0] = await freePorts(1);
  const url = `http://127.0.0.1:${port}/`;
  const plan = { name, folder, command: process.execPath, args: [file], readyUrl: url };
  return { ...(await startProcess({ ...plan, env: { ...env, PORT: `${port}` } })), url };
}

/** Resident memory of the process, without those that it has started. */
function megabytesOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return (Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) * 1_024) / 1e6;
}

function report(rounds: readonly Round[]): string {
  const over = (digits: number, of: (round: Round) => number | undefined) =>
    overRounds(
      rounds.map((round) => of(round) ?? Number.NaN),
      digits,
    );
  const rows = [...serviceNames, peer].map((name) => {
    const memory = starts.map((which) => over(0, (round) => round[which]?.megabytes.get(name)));
    return [name].concat(
      memory,
      starts.map((which) => over(0, (round) => round[which]?.cpuMs.get(name))),
    );
  });
  const [first, again] = starts.map((which) => over(1, (round) => round[which]?.readySeconds));
  return [
    `Ready in ${first} s in an empty folder, in ${again} s when it is started again. ${rounds.length} rounds; medians, in brackets the least and the most.`,
    table(['', 'memory, MB', 'started again', 'CPU ms until idle', 'started again'], rows),
  ].join('\n\n');
}
