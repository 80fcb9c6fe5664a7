/**
 * The call log's way to the store: off the request path, in batches, through a bounded spool that outlasts an outage
 * (decision 27). Nothing here ever fails or delays a request.
 */
import type { Logger } from '@offer-ads/platform/logging';
import type { Metrics } from '@offer-ads/platform/metrics';
import type { Call } from './calls-store.ts';

export type CallLog = AsyncDisposable & { readonly record: (call: Call) => void };

/** Half of the 100 ms within which a call is to be in the log; the other half is the store's. */
const gatherMs = 50;
const batchSize = 1_000;
/** About 30 MB at worst: half an hour of an outage at 60 calls a second. */
const defaultSpoolSize = 100_000;
const retryMs = 1_000;
/** What a stopping process grants the store. */
const lastTries = 3;

export function startCallLog(o: {
  write: (calls: readonly Call[]) => Promise<void>;
  logger: Logger;
  metrics: Metrics;
  spoolSize?: number;
  retryMs?: number;
}): CallLog {
  const spoolSize = o.spoolSize ?? defaultSpoolSize;
  const spooled = o.metrics.gauge({ name: 'call_log_spooled', help: 'Calls that wait to be logged.' });
  const lost = o.metrics.counter({
    name: 'call_log_lost_total',
    help: 'Calls not logged: the spool was full.',
  });
  const spool: Call[] = [];
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> | undefined;
  let stopped = false;

  function record(call: Call): void {
    if (spool.length >= spoolSize) {
      lost.inc();
      return;
    }
    spool.push(call);
    spooled.set(spool.length);
    wakeIn(gatherMs);
  }

  function wakeIn(delayMs: number): void {
    if (timer !== undefined || writing !== undefined || stopped) return;
    timer = setTimeout(() => {
      timer = undefined;
      writing = drain().then(
        () => finish(gatherMs),
        (error: unknown) => {
          o.logger.warn({ error, spooled: spool.length }, 'call log not written, will try again');
          finish(o.retryMs ?? retryMs);
        },
      );
    }, delayMs);
  }

  function finish(nextDelayMs: number): void {
    writing = undefined;
    if (spool.length > 0) wakeIn(nextDelayMs);
  }

  /** Calls leave the spool only when they are written: a batch that failed is tried again as it was. */
  async function drain(): Promise<void> {
    while (spool.length > 0) {
      const batch = spool.slice(0, batchSize);
      await o.write(batch);
      spool.splice(0, batch.length);
      spooled.set(spool.length);
    }
  }

  return {
    record,
    [Symbol.asyncDispose]: async () => {
      stopped = true;
      clearTimeout(timer);
      await writing;
      for (let tries = 1; spool.length > 0; tries += 1) {
        const failure = await drain().then(
          () => undefined,
          (error: unknown) => ({ error }),
        );
        if (failure !== undefined && tries === lastTries) {
          lost.inc(spool.length);
          o.logger.error({ error: failure.error, lost: spool.length }, 'stopped with calls not logged');
          return;
        }
      }
    },
  };
}
