/** The table of the intake. */
import { median, overRounds, percent, shown, table } from '../../markdown.ts';
import type { Sample } from '../../progress.ts';
import type { IntakeSamples } from './measure.ts';

const AIM = 5_000;

export function intakeReport(samples: IntakeSamples): string {
  const rows = [...samples].map(([turn, taken]) => {
    return [
      turn.title,
      overRounds(taken.map(perSecond), 0),
      overRounds(
        taken.map(({ cpuMicros }) => cpuMicros),
        0,
      ),
      overRounds(
        taken.map(({ cpuMicrosInAll }) => cpuMicrosInAll),
        0,
      ),
    ];
  });
  const slowest = Math.min(...[...samples.values()].map((taken) => median(taken.map(perSecond))));
  const disturbed = Math.max(...[...samples.values()].flat().map(({ foreignLoad }) => foreignLoad));
  const rounds = Math.max(...[...samples.values()].map((taken) => taken.length));
  return [
    `${rounds} ${rounds === 1 ? 'round' : 'rounds'}; medians, in brackets the least and the most. Other processes took at most ${percent(disturbed)} of the cores.`,
    table(['', 'views/s', 'CPU µs/view, service', 'CPU µs/view, all'], rows),
    `Aim: at least ${shown(AIM)} views a second with roll-ups. The slowest row has ${shown(slowest)} ${slowest >= AIM ? '✓' : '✗'}`,
  ].join('\n\n');
}

function perSecond(sample: Sample): number {
  return sample.perSecond;
}
