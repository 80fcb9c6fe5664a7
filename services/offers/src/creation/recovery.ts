/**
 * Completes work whose request died: finishes or drops creations, finishes deletions, reopens payment pages. Several replicas may run it at
 * once.
 */
import { randomUUID } from 'node:crypto';
import type { OffersContext } from '../context.ts';
import { CLOCK_SKEW_MS } from '../domain/creation/idempotency-key.ts';
import { closePage, finishDeletion, keepPage } from '../lifecycle/delete-offer.ts';
import { findPagesToKeep, findStrandedDeletions } from '../offers-store.ts';
import { systemCallContext } from '../other-services.ts';
import { abandonCreation, finishCreation, resolveCharge } from './end-creation.ts';
import { type Creation, claimAbandoned, freeKey, type Hold, releaseLease } from './idempotency-store.ts';
import { findReservation } from './reservations-store.ts';

/** Clients that get a 503 retry sooner than this; a creation that is older has no client any more. */
const ABANDONED_AFTER_MS = 60_000;
/** Five seconds longer than a request may take, so that a running deletion is left alone. */
const STRANDED_AFTER_MS = 30_000;
/** Enough that a slow card provider does not delay creations that were paid from the balance. */
const AT_ONCE = 8;
const BATCH = 200;

export async function recoverCreations(o: OffersContext, stopping: AbortSignal): Promise<void> {
  const busy = new Set<Promise<void>>();
  try {
    while (!stopping.aborted) {
      const now = o.clock.now();
      const abandonedBefore = new Date(now.getTime() - ABANDONED_AFTER_MS);
      const claimed = await claimAbandoned(o.postgres, abandonedBefore, now);
      if (claimed === null) break;
      const work = endOrRelease(o, claimed.hold, claimed.creation).finally(() => busy.delete(work));
      busy.add(work);
      if (busy.size === AT_ONCE) await Promise.race(busy);
    }
  } finally {
    // Waits for all running work, however the search ended: the next run starts with none, and a shutdown waits.
    await Promise.all(busy);
  }
}

/** Never rejects: a creation that fails does not delay the others, and it is tried again later. */
async function endOrRelease(o: OffersContext, hold: Hold, creation: Creation): Promise<void> {
  try {
    await endCreation(o, hold, creation);
  } catch (error) {
    o.logger.warn({ error }, 'an abandoned creation could not be ended and will be tried again');
    await releaseLease(o.postgres, hold, o.clock.now()).catch((fault: unknown) => {
      o.logger.warn({ error: fault }, 'a creation stays leased until its lease runs out');
    });
  }
}

/** Decision 11, abandoned creations: before the charge, the creation is dropped; afterwards, billing says what became of the charge. */
async function endCreation(o: OffersContext, hold: Hold, creation: Creation): Promise<void> {
  if (creation.at !== 'charging') return freeKey(o.postgres, hold);
  const offer = await findReservation(o.postgres, hold, creation.offerId);
  const billed = await resolveCharge(o, systemCallContext(offer, randomUUID()), offer.offerId);
  if (billed === null) await abandonCreation(o, hold, offer.offerId);
  else await finishCreation(o, hold, offer, billed, o.clock.now());
}

export async function recoverDeletions(o: OffersContext, stopping: AbortSignal): Promise<void> {
  const now = o.clock.now().getTime();
  const stranded = {
    before: new Date(now - STRANDED_AFTER_MS),
    orAfter: new Date(now + CLOCK_SKEW_MS),
    atMost: BATCH,
  };
  for (const offer of await findStrandedDeletions(o.postgres, stranded)) {
    if (stopping.aborted) return;
    const page = await closePage(o, systemCallContext(offer, randomUUID()), offer);
    // No caller was told that the deletion failed, so it is tried until billing gives a clear answer.
    if (page === 'closed' || page === 'paid') await finishDeletion(o, offer, page, o.clock.now());
  }
}

/** Reopens pages of deletions that failed: their callers were told that nothing was deleted. */
export async function keepPages(o: OffersContext, stopping: AbortSignal): Promise<void> {
  for (const offer of await findPagesToKeep(o.postgres, BATCH)) {
    if (stopping.aborted) return;
    try {
      await keepPage(o, systemCallContext(offer, randomUUID()), offer);
    } catch (error) {
      o.logger.warn(
        { error, offerId: offer.offerId },
        'a payment page may be closed and will be opened again',
      );
    }
  }
}
