/** The table of the intake. */
import { median, overRounds, percent, shown, table } from '../../markdown.ts';
import type { Sample } from '../../progress.ts';
import type { IntakeSamples } from './measure.ts';
import { isOurs, oneByOneLike } from './turns.ts';

const AIM = 5_000;

export function intakeReport(samples: IntakeSamples): string {
  const rates = new Map([...samples].map(([{ title }, taken]) => [title, median(taken.map(perSecond))]));
  const rateOf = (title: string) => rates.get(title) ?? Number.NaN;
  const rows = [...samples].map(([turn, taken]) => {
    const cpu = taken.map(({ cpuMicros }) => cpuMicros);
    return [
      turn.title,
      overRounds(taken.map(perSecond), 0),
      `${shown(rateOf(turn.title) / rateOf(oneByOneLike(turn)), 1)} ×`,
      median(cpu) === 0 ? '' : overRounds(cpu, 0),
      overRounds(
        taken.map(({ cpuMicrosInAll }) => cpuMicrosInAll),
        0,
      ),
    ];
  });
  const ours = [...samples.keys()].filter(isOurs).map(({ title }) => rateOf(title));
  const slowest = Math.min(...ours);
  const disturbed = Math.max(...[...samples.values()].flat().map(({ foreignLoad }) => foreignLoad));
  const rounds = Math.max(...[...samples.values()].map((taken) => taken.length));
  return [
    `${rounds} ${rounds === 1 ? 'round' : 'rounds'}; medians, in brackets the least and the most. Other processes took at most ${percent(disturbed)} of the cores.`,
    table(['', 'views/s', 'to one by one', 'CPU µs/view, service', 'CPU µs/view, all'], rows),
    `Aim: at least ${shown(AIM)} views a second with roll-ups. The slowest of our rows has ${shown(slowest)} ${slowest >= AIM ? '✓' : '✗'}`,
  ].join('\n\n');
}

function perSecond(sample: Sample): number {
  return sample.perSecond;
}
