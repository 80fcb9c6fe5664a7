/** What mails and webhooks share: documents that are inserted once, writes in groups, and due work that is done by several lanes until the service stops. */
import { setTimeout as pause } from 'node:timers/promises';
import { gatherBatches } from '@offer-ads/platform/messaging/broker/batches';
import { type Clock, systemClock } from '@offer-ads/platform/process/clock';
import { startLoop } from '@offer-ads/platform/process/loops';
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

/**
 * Group commit: writes that come within a moment, or while one is under way, are written together.
 * @param o.lingerMs how long the first item waits for others
 * @param o.write writes all items; when it fails, each item is written alone, so that one item does not make the others fail
 */
export function groupWrites<T>(o: {
  readonly atMost: number;
  readonly lingerMs: number;
  readonly write: (items: readonly T[]) => Promise<unknown>;
}): (item: T) => Promise<void> {
  type Waiting = {
    readonly item: T;
    readonly resolve: () => void;
    readonly reject: (error: unknown) => void;
  };
  const writeAlone = ({ item, resolve, reject }: Waiting) => o.write([item]).then(resolve, reject);

  async function work(group: readonly Waiting[]): Promise<void> {
    const [first] = group;
    if (first !== undefined && group.length === 1) return writeAlone(first);
    await o.write(group.map(({ item }) => item)).then(
      () => group.forEach(({ resolve }) => resolve()),
      () => Promise.all(group.map(writeAlone)),
    );
  }

  const groups = gatherBatches<Waiting>({ ...o, work });
  return (item) => new Promise((resolve, reject) => groups.add({ item, resolve, reject }));
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
      const over = new AbortController();
      const timeIsUp = pause(o.stopWithinMs, undefined, { signal: over.signal }).catch(() => {});
      await Promise.race([Promise.all(underWay), timeIsUp]);
      over.abort();
    },
  };
}
