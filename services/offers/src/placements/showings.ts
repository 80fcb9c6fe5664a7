/**
 * What viewers were shown today, and the shares of offers. Each replica adds what it has shown to the database a few times a
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
  type Showings,
  type ViewerDay,
} from './showings-store.ts';

type Share = { matched: number; fairShare: number; shown: number };
type Offer = { readonly offerId: number; lack: number };

export type ShowingsOfViewers = AsyncDisposable & {
  /** How often each offer was shown to the viewer today, as far as this replica knows. While the database does not answer: by this replica. */
  readonly shownTo: (viewer: ViewerDay) => Promise<Showings>;
  /**
   * Also adds to `lack` of the offers.
   * @param viewer undefined if the placement was for nobody in particular
   */
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
/** Each has many rows: one for nearly each offer that matched. */
const WRITE_SHARES_EVERY_MS = 60_000;
const SHARES_AT_ONCE = 2_000;
/** Of more offers that match, every second is noted and counts twice, or every third three times, and so on. */
const MOST_NOTED = 32;
const PRUNE_EVERY_MS = 600_000;
const VIEWERS_AT_ONCE = 1_000;
const FORGET_AT_ONCE = 5_000;
const SHARES_KEPT_MS = 30 * 86_400_000;
/** A member waits for the page; offers without turns are better than none. */
const READ_WITHIN_MS = 200;
const MOST_TRIES = 3;
/** What an outage of the database may leave unwritten: about 50 MB. The viewer who was noted first is forgotten first. */
const MOST_VIEWERS = 100_000;

export function showingsOfViewers(o: {
  readonly postgres: Postgres;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** From 0 to below 1. */
  readonly random?: () => number;
}): ShowingsOfViewers {
  const { postgres, clock, random = Math.random } = o;
  /** Not written yet, by day and viewer. */
  let unwritten = new Map<string, { readonly viewer: ViewerDay; readonly shown: Map<number, number> }>();
  let shares = new Map<number, Share>();

  function noteViewer(viewer: ViewerDay, chosen: readonly Offer[]): void {
    const name = nameOf(viewer);
    const { shown } = unwritten.get(name) ?? { shown: new Map<number, number>() };
    for (const { offerId } of chosen) shown.set(offerId, (shown.get(offerId) ?? 0) + 1);
    unwritten.set(name, { viewer, shown });
    if (unwritten.size > MOST_VIEWERS) for (const [oldest] of unwritten) return void unwritten.delete(oldest);
  }

  function noteShares(eligible: readonly Offer[], chosen: readonly Offer[], wanted: number): void {
    const share = fairShare(eligible.length, wanted);
    const times = Math.ceil(eligible.length / MOST_NOTED);
    // The first one is random, so each is noted with the same probability.
    for (let at = Math.floor(random() * times); at < eligible.length; at += times)
      addTo(eligible[at] as Offer, { matched: times, fairShare: times * share, shown: 0 });
    for (const offer of chosen) addTo(offer, { matched: 0, fairShare: 0, shown: 1 });
  }

  function addTo(offer: Offer, added: Share): void {
    const { offerId } = offer;
    const sum = shares.get(offerId) ?? { matched: 0, fairShare: 0, shown: 0 };
    sum.matched += added.matched;
    sum.fairShare += added.fairShare;
    sum.shown += added.shown;
    shares.set(offerId, sum);
    offer.lack += added.fairShare - added.shown;
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
    // In the same order on each replica, so that they never wait for each other.
    const taken = [...shares].toSorted(([a], [b]) => a - b);
    // Statistics: an outage loses them.
    shares = new Map();
    const hour = new Date(Math.floor(clock.now().getTime() / HOUR_MS) * HOUR_MS);
    for (let done = 0; done < taken.length; done += SHARES_AT_ONCE)
      await addShares(postgres, hour, new Map(taken.slice(done, done + SHARES_AT_ONCE)));
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
    note: (viewer, { eligible, chosen, wanted }) => {
      if (viewer !== undefined) noteViewer(viewer, chosen);
      noteShares(eligible, chosen, wanted);
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
