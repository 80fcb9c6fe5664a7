/**
 * Work that no request starts. It writes the events of offers that start or end by the clock; it never writes a status (decision 1, state is
 * computed). And it completes work whose request died. Several replicas may run it.
 */

import { type Loop, startLoop } from '@offer-ads/platform/process/loops';
import type { OffersContext } from '../context.ts';
import { recoverCreations, recoverDeletions, reportFailedDeletions } from '../creation/recovery.ts';
import { activatedAt, type Offer } from '../domain/offer.ts';
import { type Change, changeDueOffers } from '../offers-store.ts';
import { activated, ended } from './offer-events.ts';

export type Sweeper = AsyncDisposable & {
  /** Writes the events of offers that became live or ended. */
  readonly announce: () => Promise<void>;
  /** Completes creations and deletions whose request died. */
  readonly recover: () => Promise<void>;
};

/** OfferActivated and OfferEnded are published within two seconds of their moment. */
const ANNOUNCE_EVERY_MS = 1_000;
const RECOVER_EVERY_MS = 5_000;
/** Small, so that few rows are locked for a short time, even when many offers begin on the hour. */
const BATCH = 200;

export function startSweeper(o: OffersContext): Sweeper {
  const announcing = startLoop({
    ...o,
    name: 'offers-announcing',
    everyMs: ANNOUNCE_EVERY_MS,
    work: async (stopping) => {
      await announceDue(o, 'to-activate', announceActivation, stopping);
      await announceDue(o, 'to-end', announceEnd, stopping);
    },
  });
  // Separate loops, because calls to billing can be slow and must not delay the others.
  const recovering = [
    { name: 'offers-creations', recover: recoverCreations },
    { name: 'offers-deletions', recover: recoverDeletions },
    { name: 'offers-failed-deletions', recover: reportFailedDeletions },
  ].map(({ name, recover }) =>
    startLoop({ ...o, name, everyMs: RECOVER_EVERY_MS, work: (stopping) => recover(o, stopping) }),
  );
  const loops: readonly Loop[] = [announcing, ...recovering];
  return {
    announce: announcing.runNow,
    recover: async () => {
      await Promise.all(recovering.map((loop) => loop.runNow()));
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(loops.map((loop) => loop[Symbol.asyncDispose]()));
    },
  };
}

async function announceDue(
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

function announceActivation(offer: Offer, now: Date): Change<'not-due'> {
  const since = activatedAt(offer, now);
  if (since === null) return { ok: false, reason: 'not-due' };
  return {
    ok: true,
    offer: { ...offer, activationAnnouncedAt: now },
    events: [activated(offer, since, now)],
  };
}

function announceEnd(offer: Offer, now: Date): Change<'not-due'> {
  return { ok: true, offer: { ...offer, endAnnouncedAt: now }, events: [ended(offer, now)] };
}
