/** Mails per second into one sink, by turns within each round, so that what slows the machine down slows all. */
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePorts } from '@offer-ads/dev/backing/free-port';
import { createLogger } from '@offer-ads/platform/logging';
import { createMetrics } from '@offer-ads/platform/metrics';
import { openMongo } from '@offer-ads/platform/mongo';
import { cpuMsOf } from '../cpu.ts';
import { percent, shown } from '../markdown.ts';
import { startProcess } from '../process.ts';
import { untilQuiet, watchForeignLoad } from '../quiet.ts';
import type { Stores } from '../stores.ts';
import { type Stage, type Turn, turns } from './turns.ts';

/** Of a turn: until V8 has compiled what is hot. */
const warmUp = 0.25;
const sampleEveryMs = 20;
/** A turn that stands still this long has lost something. */
const stalledMs = 30_000;
/** Whoever sends a mail twice does so right after. */
const afterwardsMs = 1_500;

export type Sample = {
  readonly perSecond: number;
  /** Of the processes that send, for each mail. */
  readonly cpuMicros: number;
  /** With the sink and the stores. */
  readonly cpuMicrosInAll: number;
  readonly foreignLoad: number;
};
export type Samples = ReadonlyMap<Turn, readonly Sample[]>;

export async function measureNotifier(
  opened: AsyncDisposableStack,
  o: { stores: Stores; rounds: number; quick: boolean; report: (line: string) => void },
): Promise<Samples> {
  const sink = await startSink(opened, o.stores.folder);
  const samples = new Map<Turn, Sample[]>(turns(o.quick).map((turn) => [turn, []]));
  for (let round = 1; round <= o.rounds; round += 1) {
    for (const [turn, taken] of samples) {
      const mongoUrl = databaseUrl(o.stores.backing.mongoUrl, `${round}_${taken.length}_${titleOf(turn)}`);
      const stage = {
        ...o.stores,
        mongoUrl,
        rabbitmqUrl: o.stores.backing.rabbitmqUrl,
        smtpUrl: sink.smtpUrl,
      };
      const sample = await measure(stage, turn, sink);
      taken.push(sample);
      const rate = `${shown(sample.perSecond)}/s`.padStart(9);
      o.report(`round ${round} ${turn.title.padEnd(36)} ${rate}  others ${percent(sample.foreignLoad)}`);
    }
  }
  return samples;
}

export async function measure(stage: Stage, turn: Turn, sink: Sink): Promise<Sample> {
  await sink.forget();
  await turn.fill(stage, turn.mails);
  await untilQuiet();
  const foreignLoad = watchForeignLoad();
  await using sending = new AsyncDisposableStack();
  sending.defer(() => dropDatabase(stage.mongoUrl));
  const processes = await turn.start(stage, turn.mails);
  for (const running of processes) sending.use(running);
  const cpuMs = () => [processes.reduce((sum, { pid }) => sum + cpuMsOf(pid), 0), cpuMsOf(process.pid)];
  const begun = await untilTaken(sink, turn.mails * warmUp);
  const before = cpuMs();
  const ended = await untilTaken(sink, turn.mails);
  const [cpuMicros = 0, cpuMicrosInAll = 0] = cpuMs().map(
    (ms, index) => ((ms - (before[index] ?? 0)) * 1_000) / (ended.mails - begun.mails),
  );
  const perSecond = ((ended.mails - begun.mails) * 1_000) / (ended.atMs - begun.atMs);
  const load = foreignLoad();
  await pause(afterwardsMs);
  const { mails, different } = await sink.taken();
  if (mails !== turn.mails || different !== turn.mails)
    throw new Error(`${turn.title}: ${mails} mails, ${different} different ones, instead of ${turn.mails}`);
  return { perSecond, cpuMicros, cpuMicrosInAll, foreignLoad: load };
}

export type Sink = {
  readonly smtpUrl: string;
  readonly taken: () => Promise<{ readonly mails: number; readonly different: number }>;
  readonly forget: () => Promise<void>;
};

export async function startSink(opened: AsyncDisposableStack, folder: string): Promise<Sink> {
  const [port = 0, smtpPort = 0] = await freePorts(2);
  const url = `http://127.0.0.1:${port}/`;
  opened.use(
    await startProcess({
      name: 'sink',
      folder,
      cwd: fileURLToPath(new URL('.', import.meta.url)),
      command: process.execPath,
      args: ['sink.ts'],
      readyUrl: url,
      env: { PORT: `${port}`, SMTP_PORT: `${smtpPort}` },
    }),
  );
  return {
    smtpUrl: `smtp://127.0.0.1:${smtpPort}`,
    taken: async () => (await (await fetch(url)).json()) as { mails: number; different: number },
    forget: async () => void (await fetch(url, { method: 'DELETE' })),
  };
}

async function untilTaken(sink: Sink, count: number): Promise<{ mails: number; atMs: number }> {
  let last = { mails: -1, atMs: performance.now() };
  for (;;) {
    const { mails } = await sink.taken();
    const now = { mails, atMs: performance.now() };
    if (mails >= count) return now;
    if (mails > last.mails) last = now;
    if (now.atMs - last.atMs > stalledMs)
      throw new Error(`${mails} mails have come, and no more for a while`);
    await pause(sampleEveryMs);
  }
}

function databaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/bench_${process.pid}_${name}`;
  return url.href;
}

function titleOf({ title }: Turn): string {
  return title.replaceAll(/\W+/g, '_').slice(0, 30);
}

async function dropDatabase(url: string): Promise<void> {
  const foundation = {
    logger: createLogger({ service: 'bench', level: 'silent' }),
    metrics: createMetrics('bench'),
  };
  await using mongo = await openMongo({ url, ...foundation });
  await mongo.connection.dropDatabase();
}
