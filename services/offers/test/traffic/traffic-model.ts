/** The rule of decision 50, views and clicks, over all events at once; tests compare the intake's sums with it. */
import type { Period } from '../../src/domain/traffic/analytics-period.ts';
import type { Counts } from '../../src/domain/traffic/traffic.ts';
import type { TrafficEvent } from '../../src/traffic/intake.ts';

const HOUR_MS = 3_600_000;
const MAX_OFFERS = 100;

/** The counts of one offer in a period, from all events, each given once. */
export function modelCounts(
  events: readonly TrafficEvent[],
  o: { createdAt: ReadonlyMap<number, Date>; now: Date },
  offerId: number,
  period: Period,
): Counts {
  const sum = {
    views: 0,
    clicks: 0,
    viewsRepeated: 0,
    clicksRepeated: 0,
    viewsAutomated: 0,
    clicksAutomated: 0,
  };
  const real = events.filter((event) => event.seenAt >= (o.createdAt.get(event.offerId) ?? o.now));
  const instant = ({ seenAt }: TrafficEvent) => (seenAt < o.now ? seenAt : o.now);
  const hour = (event: TrafficEvent) => Math.floor(instant(event).getTime() / HOUR_MS);
  const offersOf = (event: TrafficEvent) =>
    new Set(
      real
        .filter((one) => !one.automated && one.viewer === event.viewer && hour(one) === hour(event))
        .map((one) => one.offerId),
    ).size;
  const counted = new Set<string>();
  for (const event of real.filter((one) => one.offerId === offerId)) {
    if (instant(event) < period.from || instant(event) > period.to) continue;
    const column = event.kind === 'view' ? 'views' : 'clicks';
    const slot = `${event.viewer} ${hour(event)} ${event.kind}`;
    if (event.automated) sum[`${column}Automated`] += 1;
    else if (event.viewer === undefined) sum[column] += 1;
    else if (offersOf(event) > MAX_OFFERS) sum[`${column}Automated`] += 1;
    else if (counted.has(slot)) sum[`${column}Repeated`] += 1;
    else {
      counted.add(slot);
      sum[column] += 1;
    }
  }
  return sum;
}
