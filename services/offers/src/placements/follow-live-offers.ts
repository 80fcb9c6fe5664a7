/**
 * Keeps the offers in memory current (decision 205, freshness of placements): reads them all at the start, then their changes a few times a
 * second. Nothing in memory is older than the last pass through all of them, whatever went wrong with a change.
 */
import { mode as anyMode } from '@offer-ads/contracts/values/primitives';
import type { Postgres } from '@offer-ads/platform/postgres/postgres';
import type { Clock } from '@offer-ads/platform/process/clock';
import { serviceUnavailable } from '@offer-ads/platform/process/faults';
import { type Loop, startLoop } from '@offer-ads/platform/process/loops';
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import type { Metrics } from '@offer-ads/platform/telemetry/metrics';
import { categoryNames } from '../catalogue-store.ts';
import { type LiveOffer, type LiveOffers, liveOffers, type Room } from './live-offers.ts';
import {
  type After,
  type Position,
  pageOfPlaceable,
  readChanges,
  readPosition,
} from './live-offers-store.ts';

export type FollowedOffers = AsyncDisposable & {
  /** @throws {Fault} 503 while nothing was read yet, or nothing for too long */
  readonly current: () => {
    readonly offers: Pick<LiveOffers, 'matching'>;
    /** By category. */
    readonly names: ReadonlyMap<number, string>;
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
/** Ended offers take memory for so long, and offers that found no room wait for so long when there is room again. */
const PASS_EVERY_MS = 600_000;
/** A page of a pass is read with the changes, so that no change waits for the pass. */
const PAGE = 2_000;

type Pass = { next: After | null; readonly found: Set<number> };

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
  const offers = liveOffers(o.room);
  let position: Position | undefined;
  let names: ReadonlyMap<number, string> = new Map();
  let pass: Pass | undefined;
  let readAtMs = -Infinity;
  let passedAtMs = -Infinity;

  const leftOut = o.metrics.counter({
    name: 'placement_offers_left_out_total',
    help: 'Times that an offer was read and found no room, because too many are in memory. Such an offer is not shown until others have ended.',
    labelNames: ['mode'],
    from0: { mode: modes },
  });
  o.metrics.readGauge(
    { name: 'placement_offers', help: 'Offers in memory that members may see', labelNames: ['mode'] },
    (gauge) => {
      for (const mode of modes) gauge.set({ mode }, offers.held(mode));
    },
  );
  const roomFor = o.metrics.gauge({
    name: 'placement_offers_room',
    help: 'The most offers that may be in memory. Members are not shown the offers beyond them.',
    labelNames: ['mode'],
  });
  for (const mode of modes) roomFor.set({ mode }, o.room[mode]);

  function put(read: readonly LiveOffer[]): void {
    for (const { offerId } of read) pass?.found.add(offerId);
    const refused = read.filter((offer) => !offers.put(offer));
    if (refused.length === 0) return;
    for (const { mode } of refused) leftOut.inc({ mode });
    o.logger.error({ offers: refused.length }, 'offers are not shown: too many are in memory');
  }

  function beginPass(): void {
    pass = { next: { expiryAt: clock.now(), offerId: 0 }, found: new Set() };
    offers.removeAll(({ expiryAtMs }) => expiryAtMs <= clock.now().getTime());
  }

  async function readPage(current: Pass): Promise<void> {
    if (current.next !== null) {
      const page = await pageOfPlaceable(postgres, current.next, PAGE);
      put(page.offers);
      current.next = page.next;
    }
    if (current.next !== null) return;
    offers.removeAll(({ offerId }) => !current.found.has(offerId));
    pass = undefined;
    passedAtMs = elapsedMs();
  }

  const loop = startLoop({
    ...o,
    name: 'placement-changes',
    everyMs: READ_EVERY_MS,
    work: async () => {
      const startedAtMs = elapsedMs();
      // Before the offers: what changes while they are read is read again.
      const now = await readPosition(postgres);
      if (position?.server !== now.server) {
        beginPass();
        while (pass !== undefined) await readPage(pass);
      } else {
        const { shown, hidden } = await readChanges(postgres, position);
        for (const offerId of hidden) offers.remove(offerId);
        put(shown);
        if (startedAtMs - passedAtMs >= PASS_EVERY_MS && pass === undefined) beginPass();
        if (pass !== undefined) await readPage(pass);
      }
      // After the offers, so that each has the name of its category.
      names = await categoryNames(postgres);
      position = now;
      readAtMs = startedAtMs;
    },
  });

  return {
    current: () => {
      if (position === undefined || elapsedMs() - readAtMs > o.staleAfterMs)
        throw serviceUnavailable('the offers that members may see are not known');
      return { offers, names };
    },
    addressOf: (offerId, atMostMs) =>
      elapsedMs() - readAtMs > atMostMs ? undefined : offers.get(offerId)?.url,
    refresh: loop.runNow,
    [Symbol.asyncDispose]: loop[Symbol.asyncDispose],
  };
}
