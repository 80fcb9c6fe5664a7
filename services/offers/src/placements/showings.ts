/**
 * What viewers were shown today, and the shares of offers. Each replica adds what it has shown to the database twice a second. So another
 * replica knows it about half a second later, and for as long offers may come a turn too early (decision 202, turns and fair share).
 */
import type { Postgres } from '@offer-ads/platform/postgres/postgres';
import type { Clock } from '@offer-ads/platform/process/clock';
import { startLoop } from '@offer-ads/platform/process/loops';
import { within } from '@offer-ads/platform/process/within';
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import type { Metrics } from '@offer-ads/platform/telemetry/metrics';
import { fairShare } from '../domain/placements/choice.ts';
import {
  addShares,
  addShowings,
  readShowings,
  type Share,
  type Showings,
  type ViewerDay,
} from './showings-store.ts';

type Offer = { readonly offerId: number; lack: number };

export type ShowingsOfViewers = AsyncDisposable & {
  /** How often each offer was shown to the viewer today, as far as this replica knows. While the database does not answer: by this replica. */
  readonly shownTo: (viewer: ViewerDay) => Promise<Showings>;
  /**
   * Also adds to `lack` of the offers.
   * @param viewer with what was known of the viewer; undefined if the placement was for nobody in particular
   */
  readonly note: (
    viewer: (ViewerDay & { readonly shown: Showings }) | undefined,
    o: { readonly eligible: readonly Offer[]; readonly chosen: readonly Offer[]; readonly wanted: number },
  ) => void;
  /** Writes what was noted. */
  readonly write: () => Promise<void>;
};

const HOUR_MS = 3_600_000;
const WRITE_EVERY_MS = 500;
/** Each has many rows: one for nearly each offer that matched. */
const WRITE_SHARES_EVERY_MS = 60_000;
const SHARES_AT_ONCE = 2_000;
/** Of more offers that match, every second is noted and counts twice, or every third three times, and so on. */
const MOST_NOTED = 32;
const VIEWERS_AT_ONCE = 1_000;
/** A member waits for the page; offers without turns are better than none. Shorter than the time between two writes. */
const READ_WITHIN_MS = 200;
/** What an outage of the database may leave unwritten: about 50 MB. The viewer who was noted first is forgotten first. */
const MOST_VIEWERS = 100_000;
const nothing: Showings = new Map();

/** `known`: all showings that this replica knows of. `added`: those that it has to write. */
type Noted = ViewerDay & { readonly known: Map<number, number>; readonly added: Map<number, number> };

export function showingsOfViewers(o: {
  readonly postgres: Postgres;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** From 0 to below 1. */
  readonly random?: () => number;
}): ShowingsOfViewers {
  const { postgres, clock, random = Math.random } = o;
  let noted = new Map<string, Noted>();
  /** The last ones that were written: a read that began before may not have them. */
  let written: ReadonlyMap<string, Noted> = new Map();
  let shares = new Map<number, Share>();

  function noteViewer(
    { day, key, shown }: ViewerDay & { readonly shown: Showings },
    chosen: readonly Offer[],
  ) {
    const name = nameOf({ day, key });
    const known = () => new Map(written.get(name)?.known);
    const viewer = noted.get(name) ?? { day, key, known: known(), added: new Map<number, number>() };
    for (const { offerId } of chosen) {
      // Another request of the viewer may have been answered since this one read.
      const before = Math.max(viewer.known.get(offerId) ?? 0, shown.get(offerId) ?? 0);
      viewer.known.set(offerId, before + 1);
      add(viewer.added, offerId, 1);
    }
    noted.set(name, viewer);
    const [oldest] = noted.keys();
    if (noted.size > MOST_VIEWERS && oldest !== undefined) noted.delete(oldest);
  }

  function noteShares(eligible: readonly Offer[], chosen: readonly Offer[], wanted: number): void {
    const share = fairShare(eligible.length, wanted);
    const times = Math.ceil(eligible.length / MOST_NOTED);
    // The first one is random, so each is noted with the same probability.
    for (let at = Math.floor(random() * times); at < eligible.length; at += times)
      addShare(eligible[at] as Offer, { matched: times, fairShare: times * share, shown: 0 });
    for (const offer of chosen) addShare(offer, { matched: 0, fairShare: 0, shown: 1 });
  }

  function addShare(offer: Offer, added: Share): void {
    const sum = shares.get(offer.offerId) ?? { matched: 0, fairShare: 0, shown: 0 };
    sum.matched += added.matched;
    sum.fairShare += added.fairShare;
    sum.shown += added.shown;
    shares.set(offer.offerId, sum);
    offer.lack += added.fairShare - added.shown;
  }

  async function writeViewers(): Promise<void> {
    const left = [...noted.values()];
    written = noted;
    noted = new Map();
    try {
      for (; left.length > 0; left.splice(0, VIEWERS_AT_ONCE))
        await addShowings(postgres, left.slice(0, VIEWERS_AT_ONCE));
    } catch (error) {
      for (const viewer of left) {
        const later = noted.get(nameOf(viewer));
        if (later === undefined) noted.set(nameOf(viewer), viewer);
        else for (const [offerId, times] of viewer.added) add(later.added, offerId, times);
      }
      throw error;
    }
  }

  async function writeShares(): Promise<void> {
    // In the same order on each replica, so that they never wait for each other.
    const taken = [...shares].toSorted(([a], [b]) => a - b);
    // Statistics: an outage loses them.
    shares = new Map();
    const hour = new Date(Math.floor(clock.now().getTime() / HOUR_MS) * HOUR_MS);
    for (; taken.length > 0; taken.splice(0, SHARES_AT_ONCE))
      await addShares(postgres, hour, new Map(taken.slice(0, SHARES_AT_ONCE)));
  }

  const loops = [
    startLoop({ ...o, name: 'placement-showings', everyMs: WRITE_EVERY_MS, work: writeViewers }),
    startLoop({ ...o, name: 'placement-shares', everyMs: WRITE_SHARES_EVERY_MS, work: writeShares }),
  ];

  return {
    shownTo: async (viewer) => {
      const stored = await within(
        READ_WITHIN_MS,
        readShowings(postgres, viewer).catch(() => nothing),
        () => nothing,
      );
      const name = nameOf(viewer);
      const recent = (noted.get(name) ?? written.get(name))?.known ?? nothing;
      const shown = new Map(stored);
      for (const [offerId, times] of recent) shown.set(offerId, Math.max(times, stored.get(offerId) ?? 0));
      return shown;
    },
    note: (viewer, { eligible, chosen, wanted }) => {
      if (viewer !== undefined) noteViewer(viewer, chosen);
      noteShares(eligible, chosen, wanted);
    },
    write: async () => {
      for (const loop of loops) await loop.runNow();
    },
    [Symbol.asyncDispose]: async () => {
      for (const loop of loops) await loop[Symbol.asyncDispose]();
      await writeViewers().catch(() => {});
      await writeShares().catch(() => {});
    },
  };
}

const nameOf = ({ day, key }: ViewerDay) => `${day} ${key}`;

function add(counts: Map<number, number>, offerId: number, times: number): void {
  counts.set(offerId, (counts.get(offerId) ?? 0) + times);
}
