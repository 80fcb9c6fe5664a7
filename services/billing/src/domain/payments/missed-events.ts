/**
 * Finds events of the card provider whose webhook never arrived. The provider retries a webhook for three days, but lists its events for 30 days.
 * That list is read in stretches of time; events that are already on record change nothing.
 */
import { DAY_MS } from '@offer-ads/contracts/values/durations';

export type Stretch = { readonly from: Date; readonly to: Date };

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
export function firstReadUpTo(now: Date): Date {
  return new Date(now.getTime() - LISTED_FOR_MS);
}

export function nextReadingAt(now: Date): Date {
  return new Date(now.getTime() + EVERY_MS);
}

/**
 * In whole seconds, like the provider's times, so that no event falls between two stretches.
 * @param readUpTo all events created before this time have been read
 */
export function stretchOf(readUpTo: Date, now: Date): Stretch {
  return {
    from: wholeSeconds(readUpTo.getTime() - OVERLAP_MS),
    to: wholeSeconds(now.getTime() - LEFT_TO_WEBHOOKS_MS),
  };
}

/** True if the last reading is older than the provider's list: the events in between cannot be found any more. */
export function isGap(readUpTo: Date, now: Date): boolean {
  return now.getTime() - readUpTo.getTime() > LISTED_FOR_MS + OVERLAP_MS;
}

function wholeSeconds(ms: number): Date {
  return new Date(Math.floor(ms / 1_000) * 1_000);
}
