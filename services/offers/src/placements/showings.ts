/**
 * What viewers were shown today, and what offers lack to their fair share. Each replica adds what it has shown to the database a few times a
 * second. So another replica knows it about half a second later, and for as long offers may come a turn too early (decision 202, turns and fair share).
 */
import type { Postgres } from '@offer-ads/platform/postgres/postgres';
import type { Clock } from '@offer-ads/platform/process/clock';
import { startLoop } from '@offer-ads/platform/process/loops';
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import type { Metrics } from '@offer-ads/platform/telemetry/metrics';
import { fairShare } from '../domain/placements/choice.ts';
import {
  addShares,
  addShowings,
  forgetShares,
  forgetShowings,
  readShowings,
  type Shares,
  type Showings,
  type ViewerDay,
} from './showings-store.ts';

type Offer = { readonly offerId: number; readonly expiryAtMs: number };

export type ShowingsOfViewers = AsyncDisposable & {
  /** How often each offer was shown to the viewer today, as far as this replica knows. While the database does not answer: by this replica. */
  readonly shownTo: (viewer: ViewerDay) => Promise<Showings>;
  /** What the offer lacks to its fair share of this replica's placements, for each hour that it has left. */
  readonly lackPerHour: (offer: Offer, now: Date) => number;
  /** @param viewer undefined if the placement was for nobody in particular */
  readonly note: (
    viewer: ViewerDay | undefined,
    o: { readonly eligible: readonly Offer[]; readonly chosen: readonly Offer[]; readonly wanted: number },
  ) => void;
  /** Writes what was noted. */
  readonly write: () => Promise<void>;
  /** Deletes what days that are over have left. */
  readonly prune: () => Promise<void>;
};

const HOUR_MS = 3_600_000;
const WRITE_EVERY_MS = 500;
/** Each has many rows: one for each offer that matched. */
const WRITE_SHARES_EVERY_MS = 10_000;
const PRUNE_EVERY_MS = 600_000;
const VIEWERS_AT_ONCE = 1_000;
const FORGET_AT_ONCE = 5_000;
const SHARES_KEPT_MS = 30 * 86_400_000;
/** A member waits for the page; offers without turns are better than none. */
const READ_WITHIN_MS = 200;
const MOST_TRIES = 3;
/** What an outage of the database may leave unwritten: about 50 MB. The viewer who was noted first is forgotten first. */
const MOST_VIEWERS = 100_000;
/** In the last hour an offer's weight would grow without end. */
const LEAST_HOURS_LEFT = 1;

export function showingsOfViewers(o: {
  readonly postgres: Postgres;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
}): ShowingsOfViewers {
  const { postgres, clock } = o;
  /** Not written yet, by day and viewer. */
  let unwritten = new Map<string, { readonly viewer: ViewerDay; readonly shown: Map<number, number> }>();
  let shares = new Map<number, { matched: number; fairShare: number; shown: number }>();
  /** What each offer lacks, over all placements of this replica. */
  const lacking = new Map<number, { lack: number; readonly expiryAtMs: number }>();

  function noteViewer(viewer: ViewerDay, chosen: readonly Offer[]): void {
    const name = nameOf(viewer);
    const { shown } = unwritten.get(name) ?? { shown: new Map<number, number>() };
    for (const { offerId } of chosen) shown.set(offerId, (shown.get(offerId) ?? 0) + 1);
    unwritten.set(name, { viewer, shown });
    if (unwritten.size > MOST_VIEWERS) for (const [oldest] of unwritten) return void unwritten.delete(oldest);
  }

  function noteShares(eligible: readonly Offer[], chosen: ReadonlySet<number>, wanted: number): void {
    const share = fairShare(eligible.length, wanted);
    for (const { offerId, expiryAtMs } of eligible) {
      const shown = chosen.has(offerId) ? 1 : 0;
      const sum = shares.get(offerId) ?? { matched: 0, fairShare: 0, shown: 0 };
      sum.matched += 1;
      sum.fairShare += share;
      sum.shown += shown;
      shares.set(offerId, sum);
      const known = lacking.get(offerId) ?? { lack: 0, expiryAtMs };
      known.lack += share - shown;
      lacking.set(offerId, known);
    }
  }

  /** While a batch is written, nobody knows whether the database has it already. */
  let batches = 0;
  let writingBatch: Promise<void> | undefined;

  async function writeViewers(): Promise<void> {
    while (unwritten.size > 0) {
      batches += 1;
      writingBatch = writeBatch();
      await writingBatch.finally(() => {
        writingBatch = undefined;
      });
    }
  }

  async function writeBatch(): Promise<void> {
    const batch = [...unwritten].slice(0, VIEWERS_AT_ONCE);
    const ofDays = Map.groupBy(batch, ([, { viewer }]) => viewer.day);
    for (const [day, viewers] of ofDays) {
      const added = new Map(viewers.map(([, { viewer, shown }]) => [viewer.key, new Map(shown)]));
      await addShowings(postgres, day, added);
      for (const [name, { viewer, shown }] of viewers) subtract(name, shown, added.get(viewer.key));
    }
  }

  /** Read between two batches, so that what is added to it is not in it; after some tries it may be. */
  async function readBetweenBatches({ day, key }: ViewerDay): Promise<Showings | undefined> {
    for (let tries = 1; ; tries += 1) {
      await writingBatch?.catch(() => {});
      const before = batches;
      const stored = await readShowings(postgres, day, [key]);
      if (batches === before || tries === MOST_TRIES) return stored.get(key);
    }
  }

  /** What was shown while the batch was written stays. */
  function subtract(name: string, shown: Map<number, number>, written: Showings = new Map()): void {
    for (const [offerId, times] of written) {
      const left = (shown.get(offerId) ?? 0) - times;
      if (left > 0) shown.set(offerId, left);
      else shown.delete(offerId);
    }
    if (shown.size === 0) unwritten.delete(name);
  }

  async function writeShares(): Promise<void> {
    if (shares.size === 0) return;
    const taken: Shares = shares;
    shares = new Map();
    // Statistics: an outage loses them.
    const hour = new Date(Math.floor(clock.now().getTime() / HOUR_MS) * HOUR_MS);
    await addShares(postgres, hour, taken);
  }

  const writing = startLoop({
    ...o,
    name: 'placement-showings',
    everyMs: WRITE_EVERY_MS,
    work: writeViewers,
  });
  const writingShares = startLoop({
    ...o,
    name: 'placement-shares',
    everyMs: WRITE_SHARES_EVERY_MS,
    work: writeShares,
  });
  const pruning = startLoop({
    ...o,
    name: 'placement-showings-pruning',
    everyMs: PRUNE_EVERY_MS,
    work: async (stopping) => {
      const now = clock.now();
      for (const [offerId, { expiryAtMs }] of lacking)
        if (expiryAtMs <= now.getTime()) lacking.delete(offerId);
      const sharesBefore = new Date(now.getTime() - SHARES_KEPT_MS);
      while ((await forgetShowings(postgres, now, FORGET_AT_ONCE)) === FORGET_AT_ONCE && !stopping.aborted);
      while (
        (await forgetShares(postgres, sharesBefore, FORGET_AT_ONCE)) === FORGET_AT_ONCE &&
        !stopping.aborted
      );
    },
  });

  return {
    shownTo: async (viewer) => {
      const known = new Map(await within(READ_WITHIN_MS, readBetweenBatches(viewer)));
      for (const [offerId, times] of unwritten.get(nameOf(viewer))?.shown ?? [])
        known.set(offerId, (known.get(offerId) ?? 0) + times);
      return known;
    },
    lackPerHour: ({ offerId, expiryAtMs }, now) => {
      const lack = lacking.get(offerId)?.lack ?? 0;
      const hoursLeft = (expiryAtMs - now.getTime()) / HOUR_MS;
      return Math.max(0, lack) / Math.max(LEAST_HOURS_LEFT, hoursLeft);
    },
    note: (viewer, { eligible, chosen, wanted }) => {
      if (viewer !== undefined) noteViewer(viewer, chosen);
      noteShares(eligible, new Set(chosen.map(({ offerId }) => offerId)), wanted);
    },
    write: async () => {
      await writing.runNow();
      await writingShares.runNow();
    },
    prune: pruning.runNow,
    [Symbol.asyncDispose]: async () => {
      await pruning[Symbol.asyncDispose]();
      await writingShares[Symbol.asyncDispose]();
      await writing[Symbol.asyncDispose]();
      await writeViewers().catch(() => {});
      await writeShares().catch(() => {});
    },
  };
}

const nameOf = ({ day, key }: ViewerDay) => `${day} ${key}`;

/** Undefined when the answer does not come in time, or fails. */
async function within<T>(ms: number, answer: Promise<T>): Promise<T | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), ms);
  try {
    return await Promise.race([answer.catch(() => undefined), late]);
  } finally {
    clearTimeout(timer);
  }
}
