/**
 * Events of the card provider whose webhook may never come. The provider tries for three days and then gives up; it lists what
 * happened for 30. So its list is read too, stretch after stretch, and what is on record already changes nothing.
 */

export type EventReading = {
  /** All that was created before it has been read. */
  readonly readUpTo: Date;
  /** In the middle of a stretch, which is read from its newest event to its oldest. */
  readonly under: { readonly stretchTo: Date; readonly lastEventId: string } | null;
};

export type Stretch = { readonly from: Date; readonly to: Date; readonly afterEventId: string | null };

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** What the provider keeps. */
const LISTED_FOR_MS = 30 * DAY_MS;
/** Younger ones are left to their webhooks, which come within seconds as a rule. */
const LEFT_TO_WEBHOOKS_MS = 10 * MINUTE_MS;
/** Read twice: an event may appear in the list some time after it happened. */
const OVERLAP_MS = 60 * MINUTE_MS;
/** Nobody waits for news of a refund; more often would only cost calls. */
const EVERY_MS = 10 * MINUTE_MS;

/** Of a mode whose list was never read: all that is still listed. */
export function firstReading(now: Date): EventReading {
  return { readUpTo: new Date(now.getTime() - LISTED_FOR_MS), under: null };
}

/** The next round comes a minute later while a stretch is under way. */
export function nextReadingAt(now: Date, { under }: EventReading): Date {
  return new Date(now.getTime() + (under === null ? EVERY_MS : MINUTE_MS));
}

/** In whole seconds, as the provider counts, so that no event falls between two stretches. */
export function stretchOf({ readUpTo, under }: EventReading, now: Date): Stretch {
  return {
    from: wholeSeconds(readUpTo.getTime() - OVERLAP_MS),
    to: under?.stretchTo ?? wholeSeconds(now.getTime() - LEFT_TO_WEBHOOKS_MS),
    afterEventId: under?.lastEventId ?? null,
  };
}

/** @param lastEventId the oldest that was read when the stretch goes on after it; null when it is at its end */
export function readOn(reading: EventReading, { to }: Stretch, lastEventId: string | null): EventReading {
  if (lastEventId !== null) return { ...reading, under: { stretchTo: to, lastEventId } };
  return { readUpTo: to > reading.readUpTo ? to : reading.readUpTo, under: null };
}

/** What was between the last reading and the provider's list can be learned of no more. */
export function isGap({ readUpTo }: EventReading, now: Date): boolean {
  return now.getTime() - readUpTo.getTime() > LISTED_FOR_MS + OVERLAP_MS;
}

function wholeSeconds(ms: number): Date {
  return new Date(Math.floor(ms / 1_000) * 1_000);
}
