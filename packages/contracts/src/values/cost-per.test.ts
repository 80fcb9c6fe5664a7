import { expect, it } from '@jest/globals';
import { costPer } from './cost-per.ts';

it.each([
  ['a click', 1_000n, 3, 1, 333n],
  ['a half minor unit, upwards', 5n, 2, 1, 3n],
  ['a thousand views', 1_000n, 40_000, 1_000, 25n],
  ['nothing, where no more is left than was credited', -1n, 5, 1, 0n],
  ['no one, where nothing was clicked', 1_000n, 0, 1, null],
] as const)('the cost of %s', (_, spendMinor, count, per, cost) => {
  expect(costPer(spendMinor, count, per)).toBe(cost);
});
