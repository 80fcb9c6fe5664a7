/** Keeps the offers in memory current: reads them all at the start, then their changes a few times a second (decision 205, freshness of placements). */
import { mode as anyMode } from '@offer-ads/contracts/values/primitives';
import type { Postgres } from '@offer-ads/platform/postgres/postgres';
import type { Clock } from '@offer-ads/platform/process/clock';
import { serviceUnavailable } from '@offer-ads/platform/process/faults';
import { type Loop, startLoop } from '@offer-ads/platform/process/loops';
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import type { Metrics } from '@offer-ads/platform/telemetry/metrics';
import { readCatalogue } from '../catalogue-store.ts';
import { type LiveOffers, liveOffers, type Room } from './live-offers.ts';
import {
  type After,
  dropOldPlacementChanges,
  findPlaceable,
  pageOfPlaceable,
  readPlacementChanges,
} from './live-offers-store.ts';

export type FollowedOffers = AsyncDisposable & {
  /** @throws {Fault} 503 while nothing was read yet, or nothing for too long */
  readonly current: () => {
    readonly offers: Pick<LiveOffers, 'matching'>;
    /** The name of today; undefined for a category that is newer than the latest look at them. */
    readonly categoryNames: ReadonlyMap<number, string>;
  };
  /**
   * Where clicks on an offer lead, as it was read at most so long ago.
   * @returns undefined if members are not shown the offer, or the last look is older
   */
  readonly addressOf: (offerId: number, atMostMs: number) => string | undefined;
  /** Reads what has changed. */
  readonly refresh: Loop['runNow'];
};

const modes = anyMode.options;

/** Three reads in a second, so that one may be slow and a pause still takes less than a second. */
const READ_EVERY_MS = 300;
/** Ended offers take memory only: the clock hides them. Names of categories may be this old, and room for others free for so long. */
const TIDY_EVERY_MS = 10_000;
const DROP_EVERY_MS = 3_600_000;
const PAGE = 2_000;

export function followLiveOffers(o: {
  readonly postgres: Postgres;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** How long the last offers are shown while none can be read. */
  readonly staleAfterMs: number;
  readonly room: Room;
  readonly elapsedMs?: () => number;
}): FollowedOffers {
  const { postgres, clock } = o;
  const elapsedMs = o.elapsedMs ?? (() => performance.now());
  let known: { readonly offers: LiveOffers; cursor: string } | undefined;
  let categoryNames: ReadonlyMap<number, string> = new Map();
  let readAtMs = -Infinity;
  let tidiedAtMs = -Infinity;

  const leftOut = o.metrics.counter({
    name: 'placement_offers_left_out_total',
    help: 'Times that an offer was read and found no room, because too many are in memory. Such an offer is not shown until others have ended.',
    labelNames: ['mode'],
    from0: { mode: modes },
  });
  o.metrics.readGauge(
    { name: 'placement_offers', help: 'Offers in memory that members may see', labelNames: ['mode'] },
    (gauge) => {
      for (const mode of modes) gauge.set({ mode }, known?.offers.held(mode) ?? 0);
    },
  );
  const roomFor = o.metrics.gauge({
    name: 'placement_offers_room',
    help: 'The most offers that may be in memory. Members are not shown the offers beyond them.',
    labelNames: ['mode'],
  });
  for (const mode of modes) roomFor.set({ mode }, o.room[mode]);

  function put(offers: LiveOffers, found: Awaited<ReturnType<typeof findPlaceable>>): void {
    const refused = found.filter((offer) => !offers.put(offer));
    if (refused.length === 0) return;
    for (const { mode } of refused) leftOut.inc({ mode });
    o.logger.error({ offers: refused.length }, 'offers are not shown: too many are in memory');
  }

  /** The cursor first: what changes while the pages are read is read again. */
  async function readAll(): Promise<void> {
    const { cursor } = await readPlacementChanges(postgres, null);
    const offers = liveOffers(o.room);
    let after: After | null = { expiryAt: clock.now(), offerId: 0 };
    while (after !== null) {
      const page: Awaited<ReturnType<typeof pageOfPlaceable>> = await pageOfPlaceable(postgres, after, PAGE);
      put(offers, page.offers);
      after = page.next;
    }
    known = { offers, cursor };
  }

  async function readChanges(current: NonNullable<typeof known>): Promise<void> {
    const { cursor, ids } = await readPlacementChanges(postgres, current.cursor);
    const changed = ids.filter((id) => id !== null);
    if (changed.length < ids.length) return readAll();
    if (changed.length > 0) {
      const found = await findPlaceable(postgres, changed);
      const stays = new Set(found.map(({ offerId }) => offerId));
      for (const id of changed) if (!stays.has(id)) current.offers.remove(id);
      put(current.offers, found);
    }
    current.cursor = cursor;
  }

  async function tidy(offers: LiveOffers): Promise<void> {
    const { categories } = await readCatalogue(postgres);
    categoryNames = new Map(categories.map(({ categoryId, categoryName }) => [categoryId, categoryName]));
    offers.removeEnded(clock.now());
    if (offers.hasRoomAgain()) await readAll();
    tidiedAtMs = elapsedMs();
  }

  const loop = startLoop({
    ...o,
    name: 'placement-changes',
    everyMs: READ_EVERY_MS,
    work: async () => {
      const startedAtMs = elapsedMs();
      await (known === undefined ? readAll() : readChanges(known));
      if (known !== undefined && startedAtMs - tidiedAtMs >= TIDY_EVERY_MS) await tidy(known.offers);
      readAtMs = startedAtMs;
    },
  });
  const dropping = startLoop({
    ...o,
    name: 'placement-changes-retention',
    everyMs: DROP_EVERY_MS,
    work: () => dropOldPlacementChanges(postgres),
  });

  return {
    current: () => {
      if (known === undefined || elapsedMs() - readAtMs > o.staleAfterMs)
        throw serviceUnavailable('the offers that members may see are not known');
      return { offers: known.offers, categoryNames };
    },
    addressOf: (offerId, atMostMs) =>
      elapsedMs() - readAtMs > atMostMs ? undefined : known?.offers.get(offerId)?.url,
    refresh: loop.runNow,
    [Symbol.asyncDispose]: async () => {
      await dropping[Symbol.asyncDispose]();
      await loop[Symbol.asyncDispose]();
    },
  };
}
