/** What mails and webhooks share: documents that are inserted once, and due work that is done by several lanes until the service stops. */
import { type Clock, systemClock } from '@offer-ads/platform/process/clock';
import { startLoop } from '@offer-ads/platform/process/loops';
import { within } from '@offer-ads/platform/process/within';
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import type { Metrics } from '@offer-ads/platform/telemetry/metrics';

/** Stores use the database's time, because the clocks of replicas differ. Only a clock set by a test is used instead. */
export function databaseClock(clock: Clock): () => Date | '$$NOW' {
  return () => (clock === systemClock ? '$$NOW' : clock.now());
}

/** An upsert that changes nothing if the document exists. @param times fields by the database's clock */
export function insertMissing(_id: string, facts: object, times: Readonly<Record<string, Date | '$$NOW'>>) {
  const isNew = { $eq: [{ $type: '$state' }, 'missing'] };
  const inserted = { $mergeObjects: ['$$ROOT', { $literal: facts }, times] };
  const update = [{ $replaceWith: { $cond: [isNew, inserted, '$$ROOT'] } }];
  return { updateOne: { filter: { _id }, update, upsert: true } };
}

export type DueWork = AsyncDisposable & {
  /** Call it when something has become due; what becomes due by time is polled. */
  readonly wake: () => void;
};

const pollEveryMs = 1_000;

export function startDueWork<T>(o: {
  readonly name: string;
  readonly lanes: number;
  /** Called once at a time, while a lane is free. @returns undefined if nothing is due */
  readonly take: () => Promise<T | undefined>;
  readonly work: (item: T) => Promise<void>;
  /** How long a stop waits for work that has begun. */
  readonly stopWithinMs: number;
  readonly logger: Logger;
  readonly metrics: Metrics;
}): DueWork {
  const underWay = new Set<Promise<void>>();
  const loop = startLoop({
    ...o,
    everyMs: pollEveryMs,
    work: async (stopping) => {
      while (!stopping.aborted && underWay.size < o.lanes) {
        const item = await o.take();
        if (item === undefined) return;
        begin(item);
      }
    },
  });

  function begin(item: T): void {
    const done = o
      .work(item)
      .catch((error: unknown) =>
        o.logger.error({ error, loop: o.name }, 'due work failed and waits for the end of its lease'),
      )
      .finally(() => {
        underWay.delete(done);
        wake();
      });
    underWay.add(done);
  }

  /** The loop logs a run that fails, and repeats it at the next poll. One that has stopped does nothing. */
  function wake(): void {
    loop.runNow().catch(() => {});
  }

  return {
    wake,
    [Symbol.asyncDispose]: async () => {
      await loop[Symbol.asyncDispose]();
      await within<unknown>(o.stopWithinMs, Promise.all(underWay), () => undefined);
    },
  };
}
