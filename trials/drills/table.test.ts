import { expect, it } from '@jest/globals';
import { drillTable, passed } from './table.ts';

const fine = {
  alert: 'OutboxStuck',
  severity: 'page',
  pendingAfterS: 11.2,
  firingAfterS: 14,
  resolvedAfterS: 0.4,
  beside: ['LoopFailing'],
};
const broken = {
  alert: 'RatesStale',
  severity: 'page',
  beside: [],
  problem: 'the alert does not fire (waited 180 s)',
};

it('the table says when each alert came and went, and what went wrong', () => {
  expect(drillTable([fine, broken]).split('\n')).toEqual(
    [
      '| Alert       | Severity | Pending after | Firing after | Resolved after | Fired beside it                         |',
      '| ----------- | -------- | ------------- | ------------ | -------------- | --------------------------------------- |',
      '| OutboxStuck | page     | 11 s          | 14 s         | 0 s            | LoopFailing                             |',
      '| RatesStale  | page     | never         | never        | never          | the alert does not fire (waited 180 s) |',
    ].map((line) => expect.stringContaining(line.trim().slice(0, 60))),
  );
});

it('a drill has passed when its alert fired and resolved', () => {
  expect(passed(fine)).toBe(true);
  expect(passed(broken)).toBe(false);
  expect(passed({ ...fine, problem: 'the alert does not resolve' })).toBe(false);
});
