/** Limits how often one payment link is followed. Counted per replica: it protects against floods and is not an exact quota. */
import type { Clock } from '@offer-ads/platform/process/clock';

const MINUTE_MS = 60_000;
/** Invented links must not fill the memory: above this number all counts are reset. */
const MOST_LINKS = 100_000;

export function createVisitLimit(o: {
  readonly clock: Clock;
  readonly perMinute: number;
}): (link: string) => boolean {
  let minute = 0;
  const visits = new Map<string, number>();
  return (link) => {
    const now = Math.floor(o.clock.now().getTime() / MINUTE_MS);
    if (now !== minute || visits.size >= MOST_LINKS) visits.clear();
    minute = now;
    const count = (visits.get(link) ?? 0) + 1;
    visits.set(link, count);
    return count <= o.perMinute;
  };
}
