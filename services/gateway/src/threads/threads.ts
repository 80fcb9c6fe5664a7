/**
 * Further threads of the gateway (docs/adr/0030): each has the whole of its routes and listens on the same port, where the system gives
 * each new connection to one of them. What happens once in a process, the first thread does for all.
 */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { Worker } from 'node:worker_threads';
import { type Logger, writeLines } from '@offer-ads/platform/telemetry/logging';
import { type Metrics, type MetricsAsJson, mergedText } from '@offer-ads/platform/telemetry/metrics';
import type { CallLog } from '../call-log/call-log.ts';
import type { AnsweredCall } from '../call-log/call-log-writing.ts';
import type { GatewayConfig } from '../config.ts';
import type { WindowsMemory } from '../counting/client-windows.ts';
import type { Status } from '../domain/status.ts';
import { converse } from './conversation.ts';

/** What a thread begins with. */
export type ThreadData = {
  readonly config: GatewayConfig;
  readonly memory: WindowsMemory;
  readonly threads: number;
};

/** A call in the order of its fields; the key's hash as latin1, the time in milliseconds; and whether a look-up has found the key. */
export type PassedCall = readonly [
  keySha256: string,
  route: string,
  status: number,
  returnCode: string | null,
  durationMs: number,
  atMs: number,
  requestId: string,
  keyWasFound: boolean,
];

/** What the first thread answers. */
export type FirstAnswers = {
  readonly log: (lines: string) => void;
  readonly calls: (calls: readonly PassedCall[]) => void;
  readonly wakeOutbox: (nothing?: undefined) => void;
  readonly status: (nothing?: undefined) => Promise<Status>;
  readonly metrics: (nothing?: undefined) => Promise<string>;
};

/** What each further thread answers. */
export type FurtherAnswers = {
  /** Resolves when the thread listens. */
  readonly start: (nothing?: undefined) => Promise<void>;
  readonly metrics: (nothing?: undefined) => Promise<MetricsAsJson>;
  readonly drain: (nothing?: undefined) => Promise<void>;
  readonly stop: (nothing?: undefined) => Promise<void>;
};

export type Threads = AsyncDisposable & {
  readonly drain: () => Promise<void>;
  /** Of all threads together, as text. */
  readonly metrics: () => Promise<string>;
};

/** Resolves when all listen. A thread that ends unexpectedly ends the process, which the platform starts again. */
export async function startThreads(o: {
  data: ThreadData;
  logger: Logger;
  metrics: Metrics;
  callLog: CallLog;
  readStatus: () => Promise<Status>;
  wakeOutbox: () => void;
}): Promise<Threads> {
  await using opened = new AsyncDisposableStack();
  const allMetrics = async () =>
    mergedText(
      await o.metrics.registry.getMetricsAsJSON(),
      await Promise.all(asks.map((ask) => ask('metrics'))),
    );
  const answers: FirstAnswers = {
    log: (lines) => writeLines(o.logger, lines),
    calls: (calls) => {
      for (const [key, route, status, returnCode, durationMs, atMs, requestId, keyWasFound] of calls) {
        const keySha256 = Buffer.from(key, 'latin1');
        o.callLog.record(
          {
            keySha256,
            route,
            status,
            returnCode,
            durationMs,
            at: new Date(atMs),
            requestId,
          } satisfies AnsweredCall,
          keyWasFound,
        );
      }
    },
    wakeOutbox: o.wakeOutbox,
    status: o.readStatus,
    metrics: allMetrics,
  };
  const startOne = () => {
    const worker = new Worker(new URL('./thread.ts', import.meta.url), { workerData: o.data });
    let stopping: Promise<void> | undefined;
    const ended = (error?: unknown) => {
      if (stopping !== undefined) return;
      o.logger.fatal({ error }, 'a thread ended unexpectedly, so the process ends');
      throw error instanceof Error ? error : new Error('a thread ended unexpectedly');
    };
    worker.on('error', ended).on('exit', () => ended());
    const ask = converse<FurtherAnswers>(worker, answers);
    opened.defer(() => (stopping ??= ask('stop')));
    return ask;
  };
  const asks = Array.from({ length: o.data.threads - 1 }, startOne);
  await Promise.all(asks.map((ask) => ask('start')));
  const running = opened.move();
  let stopped: Promise<void> | undefined;
  return {
    metrics: allMetrics,
    drain: async () => void (await Promise.all(asks.map((ask) => ask('drain')))),
    [Symbol.asyncDispose]: () => (stopped ??= running.disposeAsync()),
  };
}

/**
 * A port that no other process uses; sockets that share a port would be given a part of the other's connections.
 * @param port 0 takes any
 */
export async function freePort(host: string, port: number): Promise<number> {
  const server = createServer().listen(port, host);
  await once(server, 'listening');
  const taken = (server.address() as AddressInfo).port;
  server.close();
  await once(server, 'close');
  return taken;
}
