/**
 * Logs every request made with a key, including refused ones (specification, Authentication item 10). Calls wait in memory and are
 * inserted in batches, outside of the request, which this neither fails nor delays. While Postgres is away they go on waiting.
 *
 * A stop writes what waits. A killed process loses the calls of the last 50 ms, and those that wait for Postgres.
 */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { requestFacts, routeTemplate } from '@offer-ads/platform/http/request';
import type { Clock } from '@offer-ads/platform/process/clock';
import { callerGoneStatus } from '@offer-ads/platform/process/faults';
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import type { Metrics } from '@offer-ads/platform/telemetry/metrics';
import { inNoTrace } from '@offer-ads/platform/telemetry/traces';
import { type Call, isUnwritable } from '../call-log/calls-store.ts';
import { isLoggable } from '../domain/call-days.ts';

export type CallLog = AsyncDisposable & { readonly record: (call: Call) => void };

/** Half of the 100 ms within which a call must be in the log; Postgres has the other half. */
const gatherMs = 50;
const batchSize = 1_000;
/** About 30 MB: half an hour of calls at 60 a second. */
const defaultMaxWaiting = 100_000;
/** Calls over a limit have no bound but this one: anybody can send them, with made-up keys, and they must leave room for the others. */
const shareOverLimit = 0.02;
const retryMs = 1_000;
/** How long a stopping process tries to write what waits. */
const stopMs = 5_000;

export function startCallLog(o: {
  /** Writes each call once, however often the batch is tried. */
  write: (calls: readonly Call[]) => Promise<void>;
  clock: Clock;
  logger: Logger;
  metrics: Metrics;
  maxWaiting?: number;
  retryMs?: number;
}): CallLog {
  const maxWaiting = o.maxWaiting ?? defaultMaxWaiting;
  /** Oldest first. */
  const waiting: Call[] = [];
  let overLimit = 0;
  let writing: Promise<void> | undefined;
  let giveUpAt = Number.POSITIVE_INFINITY;
  const isStopping = () => giveUpAt !== Number.POSITIVE_INFINITY;

  const lost = o.metrics.counter({
    name: 'call_log_lost_total',
    help: 'Calls not logged: too many waited, or the store can never take them.',
  });
  const count = { name: 'call_log_waiting_calls', help: 'Calls in memory that wait to be logged.' };
  o.metrics.readGauge(count, (gauge) => gauge.set(waiting.length));

  function start(): void {
    if (isStopping()) return;
    // The calls are those of many requests.
    writing ??= inNoTrace(() => pause(gatherMs).then(writeAll)).finally(() => {
      writing = undefined;
      if (waiting.length > 0) start();
    });
  }

  /** Until none waits; while the store is away, until the end of a stop. */
  async function writeAll(): Promise<void> {
    while (waiting.length > 0 && performance.now() < giveUpAt) {
      const batch = waiting.slice(0, batchSize);
      const now = o.clock.now();
      try {
        await writeAround(batch.filter(({ at }) => isLoggable(at, now)));
        waiting.splice(0, batch.length);
        overLimit -= batch.filter(isOverLimit).length;
      } catch (error) {
        o.logger.warn({ error, waiting: waiting.length }, 'call log not written, will try again');
        await pause(o.retryMs ?? retryMs);
      }
    }
  }

  /** If the store refuses a call because of its values, only that call is lost. */
  async function writeAround(calls: readonly Call[]): Promise<void> {
    if (calls.length === 0) return;
    try {
      await o.write(calls);
    } catch (error) {
      if (!isUnwritable(error)) throw error;
      if (calls.length > 1) {
        for (const call of calls) await writeAround([call]);
      } else {
        lost.inc();
        o.logger.error({ error }, 'a call cannot be logged');
      }
    }
  }

  return {
    record: (call) => {
      const isOver = isOverLimit(call);
      if (waiting.length >= maxWaiting || (isOver && overLimit >= maxWaiting * shareOverLimit))
        return lost.inc();
      waiting.push(call);
      if (isOver) overLimit += 1;
      start();
    },
    [Symbol.asyncDispose]: async () => {
      giveUpAt = performance.now() + stopMs;
      await writing;
      await writeAll();
      if (waiting.length === 0) return;
      lost.inc(waiting.length);
      o.logger.error({ lost: waiting.length }, 'stopped with calls not logged');
    },
  };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function isOverLimit({ status }: Call): boolean {
  return status === 429;
}

const returnCode = Symbol('return code');
const keyUnknown = Symbol('key unknown');
type Carrier = ServerResponse & { [returnCode]?: string | null; [keyUnknown]?: true };

/** Records the `return_code` of a reply for the log. */
export function noteReturnCode(res: ServerResponse, code: string | null): void {
  (res as Carrier)[returnCode] = code;
}

export function returnCodeOf(res: ServerResponse): string | null {
  return (res as Carrier)[returnCode] ?? null;
}

/** The key does not exist, so the call is not logged (decision 27, call log). */
export function noteUnknownKey(res: ServerResponse): void {
  (res as Carrier)[keyUnknown] = true;
}

/** Logs the call when its connection has finished with it. */
export function logCall(
  callLog: CallLog,
  req: IncomingMessage,
  res: ServerResponse,
  keySha256: string,
): void {
  const startedAtMs = performance.now();
  res.on('close', () => {
    const carrier = res as Carrier;
    if (carrier[keyUnknown] === true) return;
    const { receivedAt, requestId } = requestFacts(req);
    callLog.record({
      id: newCallId(receivedAt),
      keySha256,
      route: loggedRoute(req.method, routeTemplate(req)),
      status: res.headersSent ? res.statusCode : callerGoneStatus,
      returnCode: returnCodeOf(res),
      durationMs: Math.round(performance.now() - startedAtMs),
      at: receivedAt,
      requestId,
    });
  });
}

/** In the specification's notation: `POST /offers/{offer_id}/pause`. */
export function loggedRoute(method: string | undefined, path: string): string {
  return `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`;
}

/** A UUID of version 7: calls of about the same time are near each other in the index. */
export function newCallId(at: Date): string {
  const time = at.getTime().toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}
