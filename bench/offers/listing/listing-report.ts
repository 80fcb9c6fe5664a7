/** The report of the listing, with its aim. */
import { median, overRounds, percent, percentile, shown, table } from '../../markdown.ts';
import { far, first, type Listing, pageSize } from './listing.ts';

/** p99 of the two pages lie within this factor of each other. */
const aim = 1.5;

export function listingReport({ plan, pages, foreignLoad }: Listing): string {
  const p99 = (name: string) => median((pages.get(name) ?? []).map((times) => percentile(times, 99)));
  const ratio = p99(far) / p99(first);
  const isMet = ratio <= aim && ratio >= 1 / aim;
  return [
    `${shown(plan.offers)} offers of one organisation, 500 of them not ended; pages of ${pageSize}; the far page is the ` +
      `${shown(plan.farPage)}th. Other processes took at most ${percent(foreignLoad)} of the cores. Medians over the rounds, in ` +
      'brackets the least and the most.',
    table(['', 'p50 ms', 'p99 ms'], rows(pages)),
    `p99 of the far page ÷ p99 of the first: ${shown(ratio, 2)}, aim: at most ${aim} either way ${isMet ? '✓' : '✗'}`,
  ].join('\n\n');
}

function rows(latencies: Listing['pages']): string[][] {
  return [...latencies].map(([name, rounds]) =>
    [name].concat(
      [50, 99].map((at) =>
        overRounds(
          rounds.map((times) => percentile(times, at)),
          2,
        ),
      ),
    ),
  );
}
