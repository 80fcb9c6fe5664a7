/**
 * Completes abandoned work, whose request died: finishes or drops creations, and ends deletions, which deletes the offer or leaves it if it
 * was paid. Also tells billing which deletions failed. Several replicas may run it at once.
 */
import { randomUUID } from 'node:crypto';
import type { OffersContext } from '../context.ts';
import { CLOCK_SKEW_MS } from '../domain/creation/idempotency-key.ts';
import { closePage, reportFailedDeletion, storeDeletionEnd } from '../lifecycle/delete-offer.ts';
import { findAbandonedDeletions, findUnreportedDeletions } from '../offers-store.ts';
import { systemCallContext } from '../other-services.ts';
import { dropCreation, finishCreation, resolveCharge } from './end-creation.ts';
import { type Creation, claimAbandoned, freeKey, type Hold, releaseLease } from './idempotency-store.ts';
import { findReservations } from './reservations-store.ts';

/** A client that retries does so within a minute after the lease has ended. Later the sweeper takes the creation over. */
const CREATION_ABANDONED_AFTER_LEASE_MS = 60_000;
/** Five seconds longer than a request may take, so that a running deletion is left alone. */
const DELETION_ABANDONED_AFTER_MS = 30_000;
/** Enough that a slow card provider does not delay creations that were paid from the balance. */
const AT_ONCE = 8;
const BATCH = 200;

export async function recoverCreations(o: OffersContext, stopping: AbortSignal): Promise<void> {
  const busy = new Set<Promise<void>>();
  try {
    while (!stopping.aborted) {
      const now = o.clock.now();
      const abandonedBefore = new Date(now.getTime() - CREATION_ABANDONED_AFTER_LEASE_MS);
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

/** Never rejects: an error in one creation does not delay the others. It is tried again in a minute, because its lease is released. */
async function endOrRelease(o: OffersContext, hold: Hold, creation: Creation): Promise<void> {
  try {
    await endCreation(o, hold, creation);
  } catch (error) {
    o.logger.warn({ error }, 'an abandoned creation could not be ended and will be tried again in a minute');
    await releaseLease(o.postgres, hold, o.clock.now()).catch((fault: unknown) => {
      o.logger.warn({ error: fault }, 'a creation stays leased until its lease runs out');
    });
  }
}

/** Decision 11, abandoned creations: before the charge, the creation is dropped; afterwards, billing says what became of the charge. */
async function endCreation(o: OffersContext, hold: Hold, creation: Creation): Promise<void> {
  if (creation.recoveryPoint !== 'charging') return freeKey(o.postgres, hold);
  const offers = await findReservations(o.postgres, hold, creation.offerId);
  const billed = await resolveCharge(o, systemCallContext(offers[0], randomUUID()), offers);
  if (billed === null) await dropCreation(o, hold, offers);
  else await finishCreation(o, hold, offers, billed, o.clock.now());
}

export async function recoverDeletions(o: OffersContext, stopping: AbortSignal): Promise<void> {
  const now = o.clock.now().getTime();
  const begun = {
    before: new Date(now - DELETION_ABANDONED_AFTER_MS),
    // A mark from the future was written by a replica whose clock ran ahead.
    orAfter: new Date(now + CLOCK_SKEW_MS),
    atMost: BATCH,
  };
  for (const offer of await findAbandonedDeletions(o.postgres, begun)) {
    if (stopping.aborted) return;
    const page = await closePage(o, systemCallContext(offer, randomUUID()), offer);
    // No caller was told that the deletion failed, so it is tried until billing gives a clear answer. `paid`: only the mark is removed.
    if (page === 'closed' || page === 'paid') await storeDeletionEnd(o, offer, page, o.clock.now());
  }
}

/** Tells billing which deletions failed, so that the payment pages work: the callers were told that nothing was deleted (decision 54). */
export async function reportFailedDeletions(o: OffersContext, stopping: AbortSignal): Promise<void> {
  for (const offer of await findUnreportedDeletions(o.postgres, BATCH)) {
    if (stopping.aborted) return;
    try {
      await reportFailedDeletion(o, systemCallContext(offer, randomUUID()), offer);
    } catch (error) {
      o.logger.warn(
        { error, offerId: offer.offerId },
        'billing does not know yet that a deletion failed: its payment page may be closed until billing is told again',
      );
    }
  }
}
