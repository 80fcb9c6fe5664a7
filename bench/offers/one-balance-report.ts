/** The report of many clients at one balance. */
import { percentile, shown, table } from '../markdown.ts';
import type { OneBalanceSample, TimedAnswer } from './one-balance.ts';

export function oneBalanceReport(samples: readonly OneBalanceSample[]): string {
  return [
    'Each line is a run of its own; answers are counted, a creation that is asked for again counts each time.',
    table(
      [
        '',
        '200',
        '503',
        'others',
        'creations/s',
        'p50 ms',
        'p99 ms',
        'worst ms',
        '503: p50 ms',
        '503: p99 ms',
        '503: worst ms',
      ],
      samples.map(speeds),
    ),
    samples.map(money).join('\n'),
  ].join('\n\n');
}

function titleOf({ clients, isBusy }: Pick<OneBalanceSample, 'clients' | 'isBusy'>): string {
  return `${clients} clients${isBusy ? ', beside two busy loops' : ''}`;
}

function speeds(sample: OneBalanceSample): string[] {
  const of = (status: number) => sample.answers.filter((answer) => answer.status === status);
  const [created, refused] = [of(200), of(503)];
  return [
    titleOf(sample),
    `${created.length}`,
    `${refused.length}`,
    `${sample.answers.length - created.length - refused.length}`,
    shown(created.length / sample.seconds, 1),
    ...[50, 99, 100].map((at) => took(created, at)),
    ...[50, 99, 100].map((at) => took(refused, at)),
  ];
}

function took(answers: readonly TimedAnswer[], at: number): string {
  return answers.length === 0
    ? '-'
    : shown(
        percentile(
          answers.map(({ tookMs }) => tookMs),
          at,
        ),
      );
}

function money({ creations, answers, money, ...sample }: OneBalanceSample): string {
  const { charges, chargedMinor, balanceFellMinor, offersShown } = money;
  const isRight = chargedMinor === balanceFellMinor && charges === creations && offersShown === creations;
  const silent = answers.filter(
    ({ status, retryAfter }) => status === 503 && retryAfter === undefined,
  ).length;
  return (
    `- ${titleOf(sample)}: ${creations} creations, ${charges} charges of ${minor(chargedMinor)} together, the balance fell by ` +
    `${minor(balanceFellMinor)}, ${offersShown} offers are shown ${isRight ? '✓' : '✗'}; ` +
    `${silent} 503 without \`Retry-After\` ${silent === 0 ? '✓' : '✗'}${othersOf(answers)}`
  );
}

/** Each kind once. */
function othersOf(answers: readonly TimedAnswer[]): string {
  const others = answers.filter(({ status }) => status !== 200 && status !== 503);
  const kinds = new Set(others.map(({ status, text }) => `${status} ${text}`));
  return [...kinds].map((kind) => `; ${kind}`).join('');
}

function minor(amount: bigint): string {
  return shown(Number(amount) / 100, 2);
}
