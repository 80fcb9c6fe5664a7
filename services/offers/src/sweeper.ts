/**
 * What has to happen though nobody asks: events of moments that pass (decision 1: only the events, never the state), and
 * the end of work whose request died. Any number of replicas may run it.
 */
import { randomUUID } from 'node:crypto';
import type { Logger } from '@offer-ads/platform/logging';
import { type Loop, startLoop } from '@offer-ads/platform/loops';
import type { Metrics } from '@offer-ads/platform/metrics';
import type { OffersContext } from './context.ts';
import { closedOrLeftAlone, closePage, keepPage } from './delete-offer.ts';
import { activatedAt } from './domain/activation.ts';
import { CLOCK_SKEW_MS } from './domain/idempotency-key.ts';
import type { Offer } from './domain/offer.ts';
import { abandonCreation, finishCreation, lockReservation, settle } from './end-creation.ts';
import { type Creation, claimAbandoned, freeKey, type Hold, letGo } from './idempotency-store.ts';
import { systemErrand } from './neighbours.ts';
import { activated, ended } from './offer-events.ts';
import { type Change, changeDueOffers, findPagesToKeep, findStrandedDeletions } from './offers-store.ts';

export type Sweeper = AsyncDisposable & {
  /** Tells of offers that became live or ended. */
  readonly tell: () => Promise<void>;
  /** Settles creations and deletions that were left behind. */
  readonly recover: () => Promise<void>;
};

/** OfferActivated and OfferEnded are out within two seconds of their moment. */
const TELL_EVERY_MS = 1_000;
const RECOVER_EVERY_MS = 5_000;
/** Locks few rows for a short time, however many offers begin on the hour. */
const BATCH = 200;
/** A client that was told 503 comes back sooner than this; after it, nobody does. */
const ABANDONED_AFTER_MS = 60_000;
/** Five seconds more than a request may take: a living deletion is left alone. */
const STRANDED_AFTER_MS = 30_000;

export function startSweeper(o: OffersContext & { logger: Logger; metrics: Metrics }): Sweeper {
  const telling = startLoop({
    ...o,
    name: 'offers-telling',
    everyMs: TELL_EVERY_MS,
    work: async (stopping) => {
      await tellAll(o, 'to-activate', tellActivated, stopping);
      await tellAll(o, 'to-end', tellEnded, stopping);
    },
  });
  // A loop of its own, because billing may take its time.
  const recovering = startLoop({
    ...o,
    name: 'offers-recovery',
    everyMs: RECOVER_EVERY_MS,
    work: async (stopping) => {
      await recoverCreations(o, stopping);
      await recoverDeletions(o, stopping);
      await keepPages(o, stopping);
    },
  });
  const loops: readonly Loop[] = [telling, recovering];
  return {
    tell: telling.runNow,
    recover: recovering.runNow,
    [Symbol.asyncDispose]: async () => {
      await Promise.all(loops.map((loop) => loop[Symbol.asyncDispose]()));
    },
  };
}

async function tellAll(
  o: OffersContext,
  due: 'to-activate' | 'to-end',
  decide: (offer: Offer, now: Date) => Change<'not-due'>,
  stopping: AbortSignal,
): Promise<void> {
  let changed: number;
  do {
    const now = o.clock.now();
    changed = await changeDueOffers(o.postgres, due, { now, atMost: BATCH }, (offer) => decide(offer, now));
  } while (changed === BATCH && !stopping.aborted);
}

function tellActivated(offer: Offer, now: Date): Change<'not-due'> {
  const since = activatedAt(offer, now);
  if (since === null) return { ok: false, reason: 'not-due' };
  return { ok: true, offer: { ...offer, activatedToldAt: now }, news: [activated(offer, since, now)] };
}

function tellEnded(offer: Offer, now: Date): Change<'not-due'> {
  return { ok: true, offer: { ...offer, endedToldAt: now }, news: [ended(offer, now)] };
}

async function recoverCreations(o: OffersContext, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted) {
    const now = o.clock.now();
    const abandonedBefore = new Date(now.getTime() - ABANDONED_AFTER_MS);
    const claimed = await claimAbandoned(o.postgres, abandonedBefore, now);
    if (claimed === null) return;
    try {
      await endCreation(o, claimed.hold, claimed.creation);
    } catch (error) {
      o.logger.warn({ error }, 'an abandoned creation could not be settled and will be tried again');
      await letGo(o.postgres, claimed.hold, now);
    }
  }
}

/** Decision 11: before the charge it is dropped; from then on billing says what became of it. */
async function endCreation(o: OffersContext, hold: Hold, creation: Creation): Promise<void> {
  if (creation.at !== 'charging') return freeKey(o.postgres, hold);
  const offer = await o.postgres.transaction((tx) => lockReservation(tx, hold, creation.offerId));
  const billed = await settle(o, systemErrand(offer, randomUUID()), offer.offerId);
  if (billed === null) await abandonCreation(o, hold, offer.offerId);
  else await finishCreation(o, hold, offer.offerId, billed, o.clock.now());
}

async function recoverDeletions(o: OffersContext, stopping: AbortSignal): Promise<void> {
  const now = o.clock.now().getTime();
  const stranded = {
    before: new Date(now - STRANDED_AFTER_MS),
    orAfter: new Date(now + CLOCK_SKEW_MS),
    atMost: BATCH,
  };
  for (const offer of await findStrandedDeletions(o.postgres, stranded)) {
    if (stopping.aborted) return;
    const page = await closePage(o, systemErrand(offer, randomUUID()), offer);
    // Nobody was told that the deletion failed, so it is tried until billing knows.
    if (page === 'closed' || page === 'paid') await closedOrLeftAlone(o, offer, page, o.clock.now());
  }
}

/** Whoever was told that nothing was deleted finds the page as it was. */
async function keepPages(o: OffersContext, stopping: AbortSignal): Promise<void> {
  for (const offer of await findPagesToKeep(o.postgres, BATCH)) {
    if (stopping.aborted) return;
    try {
      await keepPage(o, systemErrand(offer, randomUUID()), offer);
    } catch (error) {
      o.logger.warn(
        { error, offerId: offer.offerId },
        'a payment page may be closed and will be opened again',
      );
    }
  }
}
