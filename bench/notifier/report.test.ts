import { expect, test } from '@jest/globals';
import type { Sample } from '../progress.ts';
import { notifierReport } from './report.ts';
import { alone, fromStore, type Turn } from './turns.ts';

const sample = (perSecond: number): Sample => ({
  perSecond,
  cpuMicros: 1_000,
  cpuMicrosInAll: 3_000,
  foreignLoad: 0.1,
});
const turn = (title: string) => ({ title }) as Turn;

function report(ours: number): string {
  // One disturbed round does not decide.
  const taken = (rate: number) => [sample(rate), sample(1), sample(rate)];
  return notifierReport(
    new Map([
      [turn(fromStore), taken(ours)],
      [turn('two notifiers, from the store'), taken(900)],
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
