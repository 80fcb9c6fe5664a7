/** The table of webhooks. */
import { overRounds, percent, percentile, shown, table } from '../markdown.ts';
import type { Round } from './measure.ts';

const aimMs = 1_000;

export function webhooksReport(rounds: readonly Round[]): string {
  const groups = [...Map.groupBy(rounds, ({ hanging }) => hanging)];
  const over = (of: readonly Round[], wave: 'delaysOfFirst' | 'delaysLater', share: number) =>
    overRounds(
      of.map((round) => percentile(round[wave], share)),
      0,
    );
  const rows = groups.map(([hanging, of]) => [
    hanging === 0 ? 'all answer' : `${hanging} of ${shown(of[0]?.endpoints ?? 0)} hang`,
    over(of, 'delaysOfFirst', 50),
    over(of, 'delaysOfFirst', 99),
    over(of, 'delaysLater', 50),
    over(of, 'delaysLater', 99),
  ]);
  const medianWith = (count: number) =>
    percentile(
      rounds.filter(({ hanging }) => hanging === count).flatMap(({ delaysOfFirst }) => delaysOfFirst),
      50,
    );
  const added = medianWith(1) - medianWith(0);
  const disturbed = Math.max(...rounds.map(({ foreignLoad }) => foreignLoad));
  const count = groups[0]?.[1].length ?? 0;
  return [
    `${count} ${count === 1 ? 'round' : 'rounds'}; milliseconds, medians over rounds, in brackets the least and the most. Other processes took at most ${percent(disturbed)} of the cores.`,
    table(
      [
        'delay of the others',
        'first wave, half',
        'first wave, 99 %',
        'later waves, half',
        'later waves, 99 %',
      ],
      rows,
    ),
    `Aim: one endpoint that hangs adds less than ${shown(aimMs)} ms to half of the others. It adds ${shown(added)} ms ${added < aimMs ? '✓' : '✗'}.`,
  ].join('\n\n');
}
