/** The report of placements. */
import { median, overRounds, percent, percentile, shown, table } from '../../markdown.ts';
import type { PlacementsEndpoint } from './endpoint.ts';
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

export function placementsEndpointReport(o: PlacementsEndpoint): string {
  const { rounds, shownAfterPauseMs: shownAfter } = o;
  const facts: [string, string][] = [
    [
      'requests a second',
      overRounds(
        rounds.map(({ perSecond }) => perSecond),
        0,
      ),
    ],
    [
      'p50 ms',
      overRounds(
        rounds.map(({ p50Ms }) => p50Ms),
        1,
      ),
    ],
    [
      'p99 ms',
      overRounds(
        rounds.map(({ p99Ms }) => p99Ms),
        1,
      ),
    ],
    [
      'CPU µs a request, gateway',
      overRounds(
        rounds.map(({ cpuMicros }) => cpuMicros.gateway),
        0,
      ),
    ],
    [
      'CPU µs a request, offers',
      overRounds(
        rounds.map(({ cpuMicros }) => cpuMicros.offers),
        0,
      ),
    ],
  ];
  const pauses = (times: readonly number[]) =>
    `${shown(median(times), 0)} ms at the median, ${shown(Math.max(...times), 0)} ms at most`;
  return [
    `${shown(o.offers)} offers; ${o.connections} connections; other processes took at most ${percent(o.foreignLoad)} of the cores.`,
    table(['`POST /placements` through gateway and offers', ''], facts),
    `Under this load an offer was shown after its pause was answered for ${pauses(shownAfter.loaded)} by the replica with the load, and for ${pauses(shownAfter.other)} by another one (${shownAfter.loaded.length} pauses).`,
  ].join('\n\n');
}
