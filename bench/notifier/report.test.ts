import { expect, test } from '@jest/globals';
import type { Sample } from '../progress.ts';
import { notifierReport } from './report.ts';
import { alone, fourSlow, fromStore, oneSlow, slowMs, type Turn } from './turns.ts';

const sample = (perSecond: number): Sample => ({
  perSecond,
  cpuMicros: 1_000,
  cpuMicrosInAll: 3_000,
  foreignLoad: 0.1,
});
const turn = (title: string) => ({ title }) as Turn;
const slowTurn = (title: string) => ({ title, answerAfterMs: slowMs }) as Turn;

function report(ours: number, ofFour = 400): string {
  // One disturbed round does not decide.
  const taken = (rate: number) => [sample(rate), sample(1), sample(rate)];
  return notifierReport(
    new Map([
      [turn(fromStore), taken(ours)],
      [turn('two notifiers, from the store'), taken(900)],
      [slowTurn(oneSlow), taken(100)],
      [slowTurn(fourSlow), taken(ofFour)],
      [turn(alone), taken(1_000)],
    ]),
  );
}

test.each([
  [250, '✓'],
  [150, '✗'],
])('%d mails a second from the store are compared with the aim and with the pool alone', (ours, mark) => {
  const text = report(ours);
  expect(text).toContain(`The slowest of our rows has ${ours} ${mark}; from the store it is ${ours / 10} %`);
  expect(text).toContain('| two notifiers, from the store | 900 (1–900) | 90 % |');
});

test.each([
  [300, '3.0 | at least 3 ✓'],
  [290, '2.9 | at least 3 ✗'],
])(
  '%d mails a second of four notifiers are compared with the aim, and with one notifier',
  (ofFour, shown) => {
    const text = report(250, ofFour);
    expect(text).toContain(`| 100 (1–100) | ${ofFour} (1–${ofFour}) | ${shown} |`);
    // Not with a library that waits for no answer.
    expect(text).toContain('The slowest of our rows has 250 ✓');
  },
);
