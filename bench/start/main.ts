/** `npm run bench:start`: how long `npm start` takes, and the memory and processor time of each service. See bench/README.md. */
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startProcess as start } from '@offer-ads/backing/embedded/server-process';
import { freePorts } from '@offer-ads/backing/free-port';
import { serviceNames } from '@offer-ads/contracts/values/primitives';
import { repository } from '@offer-ads/dev/start/folder';
import type { DevState } from '@offer-ads/dev/start/state';
import { Pool } from 'undici';
import { readOptions, type UsualOptions } from '../command-line.ts';
import { cpuMsOf } from '../cpu.ts';
import { waitUntilIdle } from '../machine-load.ts';
import { overRounds, table } from '../markdown.ts';
import { type Running, startProcess } from '../process.ts';
import { circumstances, publish, runMeasurement, say } from '../run-measurement.ts';
import { imageSettings, layOutImages, startReplica } from './image.ts';

const usage = `npm run bench:start -- [--rounds 3] [--quick] [--write]
  --quick   one round: shows that it works, measures nothing
  --write   puts the table into bench/README.md`;

/** After a start, each by service; `express alone` is the peer. */
type Sample = {
  readonly readySeconds: number;
  readonly megabytes: ReadonlyMap<string, number>;
  readonly cpuMs: ReadonlyMap<string, number>;
};
const starts = ['first', 'again'] as const;
type Round = Readonly<Record<(typeof starts)[number], Sample>> & { readonly images: Images };
/** In MB. `own` is what no other process can share: all but the pages of files. */
type Memory = { readonly resident: number; readonly own: number };
/** By service, as its image runs; `loaded` only for those that the requests reach. */
type Images = ReadonlyMap<string, { readonly idle: Memory; readonly loaded?: Memory }>;

const peer = 'express and pg alone';
const peerFile = fileURLToPath(new URL('express-alone.ts', import.meta.url));
/** Loops have made their first runs then. */
const settleMs = 5_000;
/** V8 gives memory back some ten seconds after the last full collection. */
const idleMs = 20_000;
const requests = 20_000;
const connections = 16;

await runMeasurement({ usage, readOptions: (args) => readOptions(args, { rounds: 3 }), run });

async function run(opened: AsyncDisposableStack, { rounds, write }: UsualOptions): Promise<void> {
  const measured: Round[] = [];
  const imageFolder = mkdtempSync(join(tmpdir(), 'bench-images-'));
  opened.defer(() => rmSync(imageFolder, { recursive: true, force: true }));
  layOutImages(imageFolder);
  copyFileSync(peerFile, join(imageFolder, 'express-alone.ts'));
  for (let round = 1; round <= rounds; round += 1) {
    const folder = mkdtempSync(join(tmpdir(), 'bench-start-'));
    opened.defer(() => rmSync(folder, { recursive: true, force: true }));
    const first = await measureStart(opened, folder, 'first');
    let images: Images = new Map();
    const again = await measureStart(opened, folder, 'again', async (state) => {
      images = await measureImages(folder, imageFolder, state);
    });
    measured.push({ first, again, images });
    say(`round ${round}  ready in ${first.readySeconds} s, again in ${again.readySeconds} s`);
  }
  publish('start', `${circumstances()} ${report(measured)}`, write);
}

async function measureStart(
  opened: AsyncDisposableStack,
  folder: string,
  which: (typeof starts)[number],
  whileItRuns: (state: DevState) => Promise<void> = async () => {},
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
  await pause(settleMs);
  const pids = new Map([...serviceNames.map((name) => [name, processes[name]] as const), [peer, alone.pid]]);
  const ofEach = (measure: (pid: number) => number) =>
    new Map([...pids].map(([name, pid]) => [name, measure(pid)]));
  const sample = {
    readySeconds,
    megabytes: ofEach((pid) => memoryOf(pid).resident),
    cpuMs: ofEach(cpuMsOf),
  };
  await whileItRuns(state);
  return sample;
}

/** Starts a second replica of each service, idle and then under a light load on gateway and offers, and the peer. */
async function measureImages(folder: string, images: string, state: DevState): Promise<Images> {
  await using running = new AsyncDisposableStack();
  const start = async (service: (typeof serviceNames)[number], env: Record<string, string> = {}) =>
    running.use(await startReplica({ service, images, pid: state.processes[service], folder, env }));
  const offers = await start('offers');
  const gateway = await start('gateway', { OFFERS_URL: offers.url });
  const alone = running.use(
    await startPeer('express-alone-image', folder, join(images, 'express-alone.ts'), {
      ...imageSettings(images),
      DATABASE_URL: state.databases.offers,
    }),
  );
  const pids = new Map([
    ['gateway', gateway.pid],
    ['offers', offers.pid],
    [peer, alone.pid],
  ]);
  for (const service of serviceNames) if (!pids.has(service)) pids.set(service, (await start(service)).pid);
  await pause(idleMs);
  const idle = new Map([...pids].map(([name, pid]) => [name, memoryOf(pid)]));
  await load(`${gateway.url}/categories`, state.organisations[0]?.keys.LIVE ?? '');
  await load(alone.url, '');
  const loaded = new Set(['gateway', 'offers', peer]);
  return new Map(
    [...pids].map(([name, pid]) => [
      name,
      { idle: idle.get(name) ?? memoryOf(pid), ...(loaded.has(name) && { loaded: memoryOf(pid) }) },
    ]),
  );
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

/** The client's address changes, so that the gateway's limit is counted and never reached. */
async function load(address: string, key: string): Promise<void> {
  const { origin, pathname: path } = new URL(address);
  const pool = new Pool(origin, { connections });
  let sent = 0;
  const sendInTurn = async () => {
    while (sent < requests) {
      const number = (sent += 1);
      const client = `10.${(number >> 12) & 255}.${(number >> 4) & 255}.${number & 15}`;
      const headers = { 'x-api-key': key, 'x-forwarded-for': client };
      const { statusCode, body } = await pool.request({ method: 'GET', path, headers });
      await body.dump();
      if (statusCode !== 200) throw new Error(`${address} answered ${statusCode}`);
    }
  };
  try {
    await Promise.all(Array.from({ length: connections }, sendInTurn));
  } finally {
    await pool.close();
  }
}

/** Memory of the process, without those that it has started. */
function memoryOf(pid: number): Memory {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const megabytes = (name: string) =>
    (Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) * 1024) / 1e6;
  return { resident: megabytes('VmRSS'), own: megabytes('RssAnon') };
}

function report(rounds: readonly Round[]): string {
  const over = (digits: number, of: (round: Round) => number | undefined) =>
    overRounds(
      rounds.map((round) => of(round) ?? Number.NaN),
      digits,
    );
  const rows = [...serviceNames, peer].map((name) => {
    const memory = starts.map((which) => over(0, (round) => round[which].megabytes.get(name)));
    return [name].concat(
      memory,
      starts.map((which) => over(0, (round) => round[which].cpuMs.get(name))),
    );
  });
  const imageRows = [...serviceNames, peer].map((name) => {
    const of = (kind: 'idle' | 'loaded', what: keyof Memory) =>
      rounds[0]?.images.get(name)?.[kind] === undefined
        ? ''
        : over(0, (round) => round.images.get(name)?.[kind]?.[what]);
    return [name, of('idle', 'resident'), of('idle', 'own'), of('loaded', 'resident'), of('loaded', 'own')];
  });
  const [first, again] = starts.map((which) => over(1, (round) => round[which].readySeconds));
  return [
    `Ready in ${first} s in an empty folder, in ${again} s when it is started again. ${rounds.length} rounds; medians, in brackets the least and the most.`,
    table(['', 'memory, MB', 'started again', 'CPU ms until idle', 'started again'], rows),
    'As images run:',
    table(['MB', 'idle', 'of it private', 'after a light load', 'of it private'], imageRows),
  ].join('\n\n');
}
