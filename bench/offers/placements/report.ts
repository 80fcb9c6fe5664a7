/** The report of placements. */
import { median, overRounds, percentile, shown, table } from '../../markdown.ts';
import type { PlacementsSample } from './measure.ts';

export function placementsReport({ offers, matching, rounds }: PlacementsSample): string {
  const at = (percent: number, of: 'index' | 'postgis') =>
    rounds.map((round) => percentile(round[of], percent));
  const ratios = (percent: number) =>
    at(percent, 'postgis').map((theirs, round) => theirs / (at(percent, 'index')[round] ?? Number.NaN));
  const lines = [50, 99].map((percent) => [
    `p${percent} µs`,
    overRounds(at(percent, 'index'), 0),
    overRounds(at(percent, 'postgis'), 0),
    `${shown(median(ratios(percent)), 0)} times`,
  ]);
  return [
    `${shown(offers)} offers; a member matches ${shown(median(matching))} at the median (${shown(percentile(matching, 99))} at p99).`,
    table(['one member at a time', 'in memory, with the choice', 'PostGIS, matching alone', 'ratio'], lines),
  ].join('\n\n');
}
