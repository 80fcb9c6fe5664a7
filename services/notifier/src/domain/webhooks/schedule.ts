/** When a webhook is tried again, and when an endpoint is given up. */

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** After the first attempt, as Standard Webhooks recommends: ten attempts in about three days. */
const pauses = [
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
] as const;
export const attemptsAtMost = pauses.length + 1;

/** A pause is up to this much longer, so that messages that failed together do not come back together. */
const jitter = 0.1;

/** Undefined when it has been tried often enough. @param chance from 0 to 1 */
export function retryInMs(attempts: number, chance: number): number | undefined {
  const pauseMs = pauses[attempts - 1];
  return pauseMs === undefined ? undefined : Math.round(pauseMs * (1 + jitter * chance));
}

/** Attempts without a success in between. */
export type FailingSince = { readonly since: Date; readonly last: Date };

const givenUpAfterMs = 5 * day;
/** Longer than the longest pause: an endpoint that got no message for days has not failed for days. */
const newSpellAfterMs = 2 * day;

export function failingAfter(before: FailingSince | undefined, now: Date): FailingSince {
  const isSameSpell = before !== undefined && now.getTime() - before.last.getTime() <= newSpellAfterMs;
  return { since: isSameSpell ? before.since : now, last: now };
}

export function isGivenUp({ since, last }: FailingSince): boolean {
  return last.getTime() - since.getTime() >= givenUpAfterMs;
}

export function isDelivered(status: number | undefined): boolean {
  return status !== undefined && status >= 200 && status < 300;
}

/** "Gone": the receiver wants no more messages. */
export function isGone(status: number | undefined): boolean {
  return status === 410;
}
