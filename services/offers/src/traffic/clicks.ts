/** Clicks are written before the browser is redirected if that is quick. Otherwise they wait in memory, and the browser does not. */
import { createDeadline } from '@offer-ads/platform/calls/deadline';
import { type Loop, startLoop } from '@offer-ads/platform/process/loops';
import type { OffersContext } from '../context.ts';
import { gatherTraffic, MOST_AT_ONCE } from './gathered-intake.ts';
import type { TrafficEvent } from './intake.ts';

export type Clicks = AsyncDisposable & {
  /** Resolves when the click is written, or waits to be written. Never rejects. */
  readonly record: (click: TrafficEvent) => Promise<void>;
  /** Writes the clicks that wait. */
  readonly retry: Loop['runNow'];
};

/** A person does not notice it. */
const WRITTEN_WITHIN_MS = 300;
const RETRY_EVERY_MS = 1_000;
/** For one batch of a retry. */
const RETRY_WITHIN_MS = 10_000;
/** About 5 MB, and more clicks than come in an outage of an hour. */
const MOST_WAITING = 20_000;

export function startClicks(
  o: Pick<OffersContext, 'postgres' | 'clock' | 'meters' | 'metrics' | 'logger'>,
): Clicks {
  const intake = gatherTraffic({ ...o, kind: 'click' });
  const waiting: TrafficEvent[] = [];
  const lost = o.metrics.counter({
    name: 'clicks_lost_total',
    help: 'Clicks that were never counted, because the database was away for too long',
  });

  function wait(click: TrafficEvent): void {
    if (waiting.length < MOST_WAITING) waiting.push(click);
    else lost.inc();
  }

  async function writeWaiting(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, MOST_AT_ONCE);
      await intake.record(batch, createDeadline(RETRY_WITHIN_MS));
      waiting.splice(0, batch.length);
    }
  }

  const loop = startLoop({ ...o, name: 'waiting-clicks', everyMs: RETRY_EVERY_MS, work: writeWaiting });
  return {
    record: async (click) => {
      // It may have been written nevertheless. Then it is a repeat, which counts nothing.
      await intake.record([click], createDeadline(WRITTEN_WITHIN_MS)).catch(() => wait(click));
    },
    retry: loop.runNow,
    [Symbol.asyncDispose]: async () => {
      await loop[Symbol.asyncDispose]();
      await writeWaiting().catch((error: unknown) => {
        lost.inc(waiting.length);
        o.logger.error({ error, clicks: waiting.length }, 'clicks are lost');
      });
      await intake[Symbol.asyncDispose]();
    },
  };
}
