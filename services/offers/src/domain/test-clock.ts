/** The rules of an organisation's test clock (decision 216, test clock): it moves forward only, and not without bounds. */

import { MOST_AHEAD_SECONDS } from '@offer-ads/contracts/public/api';
import { parseDateTime } from '@offer-ads/contracts/values/date-time';
import { type Refused, refused } from '@offer-ads/contracts/values/refused';

/** By a time, or to an instant of the test clock. */
export type Advance = { readonly bySeconds: number } | { readonly to: Date };

export type AdvanceRefusal =
  | { readonly reason: 'not-an-advance' }
  /** The instant is not after the test time, which is `now`. */
  | { readonly reason: 'not-forward'; readonly now: Date }
  | { readonly reason: 'too-far-ahead'; readonly leftSeconds: number };

/** Reads the body of POST /test/clock: an object with either `advance_seconds` or `now`. */
export function readAdvance(
  body: unknown,
): { readonly ok: true; readonly advance: Advance } | Refused<AdvanceRefusal> {
  if (typeof body !== 'object' || body === null) return refused({ reason: 'not-an-advance' });
  const { advance_seconds: bySeconds, now } = body as Record<string, unknown>;
  if (now === undefined && Number.isSafeInteger(bySeconds) && Number(bySeconds) > 0)
    return { ok: true, advance: { bySeconds: Number(bySeconds) } };
  const to = bySeconds === undefined ? parseDateTime(now) : undefined;
  return to === undefined ? refused({ reason: 'not-an-advance' }) : { ok: true, advance: { to } };
}

/**
 * @param aheadSeconds how far the test clock is ahead of the real time
 * @param realNow the real time
 * @returns how far it is ahead then. Whole seconds, so an instant is reached or passed by less than one
 */
export function advanceClock(
  aheadSeconds: number,
  advance: Advance,
  realNow: Date,
): { readonly ok: true; readonly aheadSeconds: number } | Refused<AdvanceRefusal> {
  const testMs = realNow.getTime() + aheadSeconds * 1_000;
  if ('to' in advance && advance.to.getTime() <= testMs)
    return refused({ reason: 'not-forward', now: new Date(testMs) });
  const bySeconds = 'to' in advance ? Math.ceil((advance.to.getTime() - testMs) / 1_000) : advance.bySeconds;
  const leftSeconds = MOST_AHEAD_SECONDS - aheadSeconds;
  if (bySeconds > leftSeconds) return refused({ reason: 'too-far-ahead', leftSeconds });
  return { ok: true, aheadSeconds: aheadSeconds + bySeconds };
}
