/**
 * Work that no request starts. It writes the events of offers that start or end by the clock; it never writes a status (decision 1, state is
 * computed). And it completes work whose request died. Several replicas may run it.
 */

import { type Loop, startLoop } from '@offer-ads/platform/process/loops';
import type { OffersContext } from '../context.ts';
import { recoverCreations, recoverDeletions, reportFailedDeletions } from '../creation/recovery.ts';
import { activatedAt, type Offer } from '../domain/offer.ts';
import {
  type Around,
  type Change,
  changeDueOffers,
  type Due,
  isAnyDue,
  kindsOfDueWork,
  type Whose,
} from '../offers-store.ts';
import { weeklyReports } from '../results/weekly-reports.ts';
import { activated, ended, endsSoon } from './offer-events.ts';

export type Sweeper = AsyncDisposable & {
  /** Writes the events of offers that became live or ended. */
  readonly announce: () => Promise<void>;
  /** Writes the weekly reports that are due. */
  readonly report: () => Promise<void>;
  /** Completes creations and deletions whose request died. */
  readonly recover: () => Promise<void>;
};

/** OfferActivated and OfferEnded are published within two seconds of their moment. */
const ANNOUNCE_EVERY_MS = 1_000;
const RECOVER_EVERY_MS = 5_000;
const REPORT_EVERY_MS = 60_000;
/** Small, so that few rows are locked for a short time, even when many offers begin on the hour. */
const BATCH = 200;

export function startSweeper(o: OffersContext): Sweeper {
  const announcing = startLoop({
    ...o,
    name: 'offers-announcing',
    everyMs: ANNOUNCE_EVERY_MS,
    work: async (stopping) => {
      for (const whose of ['due by the real time', 'due by test clocks'] as const)
        for (const due of kindsOfDueWork) await announceAll(o, due, whose, stopping);
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
  const reporting = startLoop({
    ...o,
    name: 'offers-weekly-reports',
    everyMs: REPORT_EVERY_MS,
    work: weeklyReports(o),
  });
  const loops: readonly Loop[] = [announcing, ...recovering, reporting];
  return {
    announce: announcing.runNow,
    report: reporting.runNow,
    recover: async () => {
      await Promise.all(recovering.map((loop) => loop.runNow()));
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(loops.map((loop) => loop[Symbol.asyncDispose]()));
    },
  };
}

async function announceAll(o: Announcing, due: Due, whose: Whose, stopping: AbortSignal): Promise<void> {
  let changed: number;
  do changed = await announceBatch(o, due, whose);
  while (changed === BATCH && !stopping.aborted);
}

type Announcing = Pick<OffersContext, 'postgres' | 'clock'>;

/**
 * The same at once, for the offers of one organisation that are due by its test clock. Offers that another replica is announcing are waited
 * for.
 * @returns false if some are still due, because `isOver`
 */
export async function announceByTestClock(
  o: Announcing,
  organisationId: number,
  isOver: () => boolean,
): Promise<boolean> {
  while (await isAnyDue(o.postgres, organisationId, o.clock.now())) {
    if (isOver()) return false;
    for (const due of kindsOfDueWork) await announceBatch(o, due, { organisationId });
  }
  return true;
}

function announceBatch(o: Announcing, due: Due, whose: Whose): Promise<number> {
  return changeDueOffers(o.postgres, due, { whose, now: o.clock.now(), atMost: BATCH }, announcements[due]);
}

const announcements: Record<Due, (offer: Offer, now: Date, around: Around) => Change<'not-due'>> = {
  'to-activate': announceActivation,
  'to-end-soon': announceEndSoon,
  'to-end': announceEnd,
};

function announceActivation(offer: Offer, now: Date): Change<'not-due'> {
  const since = activatedAt(offer, now);
  if (since === null) return { ok: false, reason: 'not-due' };
  return {
    ok: true,
    offer: { ...offer, activationAnnouncedAt: now },
    events: [activated(offer, since)],
  };
}

/** The real time may come to the last day of a TEST offer that a test clock has already seen end. */
function announceEndSoon(offer: Offer, now: Date, { isExtended, together }: Around): Change<'not-due'> {
  if (now >= offer.expiryAt) return { ok: false, reason: 'not-due' };
  return {
    ok: true,
    offer: { ...offer, endSoonAnnouncedAt: now },
    events: isExtended ? [] : [endsSoon(offer, together)],
  };
}

function announceEnd(offer: Offer, now: Date, around: Around): Change<'not-due'> {
  const since = startPassedOver(offer);
  return {
    ok: true,
    offer: { ...offer, endAnnouncedAt: now },
    events: [...(since === null ? [] : [activated(offer, since)]), ended(offer, around, now)],
  };
}

/** When a TEST offer became live whose start was not announced: an advance of the test clock may pass its start and its end at once. */
function startPassedOver(offer: Offer): Date | null {
  if (offer.mode !== 'TEST' || offer.activationAnnouncedAt !== null) return null;
  const since = activatedAt(offer, new Date(offer.expiryAt.getTime() - 1));
  return since !== null && since < offer.expiryAt ? since : null;
}
