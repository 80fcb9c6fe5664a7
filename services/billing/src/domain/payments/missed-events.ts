/**
 * Finds events of the card provider whose webhook never arrived. The provider retries a webhook for three days, but lists its events for 30 days.
 * That list is read in stretches of time; events that are already on record change nothing.
 */
import { DAY_MS } from '@offer-ads/contracts/values/durations';

export type EventReading = {
  /** All events created before this time have been read. */
  readonly readUpTo: Date;
  /** Set while a stretch is partly read. A stretch is read from its newest event to its oldest. */
  readonly partlyRead: { readonly stretchTo: Date; readonly lastEventId: string } | null;
};

export type Stretch = { readonly from: Date; readonly to: Date; readonly afterEventId: string | null };

const MINUTE_MS = 60_000;
/** How long the provider lists an event. */
const LISTED_FOR_MS = 30 * DAY_MS;
/** Younger events are left to their webhooks, which normally come within seconds. */
const LEFT_TO_WEBHOOKS_MS = 10 * MINUTE_MS;
/** This part is read twice, because an event can appear in the list some time after it happened. */
const OVERLAP_MS = 60 * MINUTE_MS;
/** Reports of refunds are not urgent; reading more often would only cost calls. */
const EVERY_MS = 10 * MINUTE_MS;

/** For a mode whose list was never read: everything that is still listed. */
export function firstReading(now: Date): EventReading {
  return { readUpTo: new Date(now.getTime() - LISTED_FOR_MS), partlyRead: null };
}

/** The next round starts after one minute while a stretch is partly read. */
export function nextReadingAt(now: Date, { partlyRead }: EventReading): Date {
  return new Date(now.getTime() + (partlyRead === null ? EVERY_MS : MINUTE_MS));
}

/** In whole seconds, like the provider's times, so that no event falls between two stretches. */
export function stretchOf({ readUpTo, partlyRead }: EventReading, now: Date): Stretch {
  return {
    from: wholeSeconds(readUpTo.getTime() - OVERLAP_MS),
    to: partlyRead?.stretchTo ?? wholeSeconds(now.getTime() - LEFT_TO_WEBHOOKS_MS),
    afterEventId: partlyRead?.lastEventId ?? null,
  };
}

/** @param lastEventId the oldest event read if the stretch continues after it; null if the stretch is complete */
export function readOn(reading: EventReading, { to }: Stretch, lastEventId: string | null): EventReading {
  if (lastEventId !== null) return { ...reading, partlyRead: { stretchTo: to, lastEventId } };
  return { readUpTo: to > reading.readUpTo ? to : reading.readUpTo, partlyRead: null };
}

/** True if the last reading is older than the provider's list: the events in between cannot be found any more. */
export function isGap({ readUpTo }: EventReading, now: Date): boolean {
  return now.getTime() - readUpTo.getTime() > LISTED_FOR_MS + OVERLAP_MS;
}

function wholeSeconds(ms: number): Date {
  return new Date(Math.floor(ms / 1_000) * 1_000);
}
