/** A period of whole days that a caller chooses, for figures of offers. */
import { DAY_MS } from './durations.ts';

/** Days such as `2026-06-30`, the last one included. */
export type DayRange = { readonly from: string; readonly to: string };

/** A year. */
export const MAX_DAYS = 366;

export function daysIn({ from, to }: DayRange): number {
  return (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
}

type Fault = { readonly path: 'from' | 'to'; readonly message: string };

/** What is wrong with two valid days; null: nothing, or there are none. */
export function faultOfDays({
  from,
  to,
}: {
  from?: string | undefined;
  to?: string | undefined;
}): Fault | null {
  if (from === undefined)
    return to === undefined ? null : { path: 'from', message: 'must be sent too where `to` is' };
  if (to === undefined) return { path: 'to', message: 'must be sent too where `from` is' };
  if (to < from) return { path: 'to', message: 'must not be before `from`' };
  return daysIn({ from, to }) > MAX_DAYS
    ? { path: 'to', message: `must be at most ${MAX_DAYS} days from \`from\` on` }
    : null;
}
