/** Mails per second into one sink. */
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePorts } from '@offer-ads/backing/free-port';
import { openMongo } from '@offer-ads/platform/mongo/mongo';
import { createLogger } from '@offer-ads/platform/telemetry/logging';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { startProcess } from '../process.ts';
import { measureByTurns, measureProgress, type Sample } from '../progress.ts';
import type { Stores } from '../stores.ts';
import { type Stage, type Turn, turns } from './turns.ts';

/** Whoever sends a mail twice does so right after. */
const afterwardsMs = 1_500;

export type Samples = ReadonlyMap<Turn, readonly Sample[]>;

export async function measureNotifier(
  opened: AsyncDisposableStack,
  o: { stores: Stores; rounds: number; quick: boolean; report: (line: string) => void },
): Promise<Samples> {
  const sink = await startSink(opened, o.stores.folder);
  return measureByTurns(turns(o.quick), o, async (turn, round) => {
    const mongoUrl = databaseUrl(o.stores.backing.mongoUrl, `${round}_${titleOf(turn)}`);
    const { rabbitmqUrl } = o.stores.backing;
    return measure({ ...o.stores, mongoUrl, rabbitmqUrl, smtpUrl: sink.smtpUrl }, turn, sink);
  });
}

export async function measure(stage: Stage, turn: Turn, sink: Sink): Promise<Sample> {
  await sink.forget(turn.answerAfterMs ?? 0);
  await turn.fill(stage, turn.mails);
  await using sending = new AsyncDisposableStack();
  sending.defer(() => dropDatabase(stage.mongoUrl));
  const sample = await measureProgress({
    count: turn.mails,
    warmUp: turn.warmUp,
    begin: async () => {
      const processes = await turn.start(stage, turn.mails);
      return processes.map((running) => sending.use(running).pid);
    },
    done: async () => (await sink.taken()).mails,
  });
  await pause(afterwardsMs);
  const { mails, different } = await sink.taken();
  if (mails !== turn.mails || different !== turn.mails)
    throw new Error(`${turn.title}: ${mails} mails, ${different} different ones, instead of ${turn.mails}`);
  return sample;
}

export type Sink = {
  readonly smtpUrl: string;
  readonly taken: () => Promise<{ readonly mails: number; readonly different: number }>;
  /** From then on it answers each mail after so many milliseconds. */
  readonly forget: (answerAfterMs: number) => Promise<void>;
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
    forget: async (ms) => void (await fetch(`${url}?answerAfterMs=${ms}`, { method: 'DELETE' })),
  };
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
