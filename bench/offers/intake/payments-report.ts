/** The table of payments beside waiting views. */
import { median, percentile, shown, table } from '../../markdown.ts';
import type { Payments } from './payments.ts';

const AIM_MS = 1_000;

export function paymentsReport(o: Payments): string {
  const row = (title: string, values: readonly number[]) => [
    title,
    `${values.length}`,
    ...[median(values), percentile(values, 99), Math.max(...values)].map((value) => shown(value, 1)),
  ];
  const [first, last] = o.waitingViews;
  const longest = Math.max(...o.besideViewsMs);
  return [
    `${shown(o.views)} views were published in ${shown(o.fillSeconds)} s. Meanwhile ${shown(o.viewsPerSecond)} views a second went into the roll-ups of one replica.`,
    table(
      ['from OfferPaid to Active', 'payments', 'p50 ms', 'p99 ms', 'longest ms'],
      [row('no view waits', o.aloneMs), row(`${shown(first)} to ${shown(last)} views wait`, o.besideViewsMs)],
    ),
    `Aim: every payment within ${shown(AIM_MS)} ms ${longest < AIM_MS ? '✓' : '✗'}`,
  ].join('\n\n');
}
