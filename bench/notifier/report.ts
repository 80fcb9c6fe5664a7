/** The table of mails. */
import { median, overRounds, percent, shown, table } from '../markdown.ts';
import type { Sample } from '../progress.ts';
import type { Samples } from './measure.ts';
import { alone, fourSlow, fromStore, oneSlow, slowMs } from './turns.ts';

const aim = 200;
const timesAim = 3;

export function notifierReport(samples: Samples): string {
  const rates = new Map([...samples].map(([{ title }, taken]) => [title, median(taken.map(perSecond))]));
  const rateOf = (title: string) => rates.get(title) ?? Number.NaN;
  const ratesOf = (title: string) =>
    [...samples].find(([turn]) => turn.title === title)?.[1].map(perSecond) ?? [];
  const times = rateOf(fourSlow) / rateOf(oneSlow);
  const atOnce = [...samples].filter(([{ answerAfterMs }]) => answerAfterMs === undefined);
  const rows = atOnce.map(([{ title }, taken]) => [
    title,
    overRounds(taken.map(perSecond), 0),
    percent(rateOf(title) / rateOf(alone)),
    overRounds(
      taken.map(({ cpuMicros }) => cpuMicros),
      0,
    ),
    overRounds(
      taken.map(({ cpuMicrosInAll }) => cpuMicrosInAll),
      0,
    ),
  ]);
  const ours = atOnce
    .map(([{ title }]) => title)
    .filter((title) => title !== alone)
    .map(rateOf);
  const slowest = Math.min(...ours);
  const disturbed = Math.max(...[...samples.values()].flat().map(({ foreignLoad }) => foreignLoad));
  const rounds = Math.max(...[...samples.values()].map((taken) => taken.length));
  return [
    `${rounds} ${rounds === 1 ? 'round' : 'rounds'}; medians, in brackets the least and the most. Other processes took at most ${percent(disturbed)} of the cores.`,
    table(['', 'mails/s', `of ${alone}`, 'CPU µs/mail, who sends', 'CPU µs/mail, all'], rows),
    `Aim: at least ${shown(aim)} mails a second. The slowest of our rows has ${shown(slowest)} ${slowest >= aim ? '✓' : '✗'}; from the store it is ${percent(rateOf(fromStore) / rateOf(alone))} of ${alone}.`,
    table(
      ['', 'one notifier', 'four notifiers', 'times as many', 'aim'],
      [
        [
          `mails/s, the server answers after ${slowMs} ms`,
          ...[oneSlow, fourSlow].map((title) => overRounds(ratesOf(title), 0)),
          times.toFixed(1),
          `at least ${timesAim} ${times >= timesAim ? '✓' : '✗'}`,
        ],
      ],
    ),
  ].join('\n\n');
}

function perSecond(sample: Sample): number {
  return sample.perSecond;
}
