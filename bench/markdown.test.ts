import { describe, expect, test } from '@jest/globals';
import { median, overRounds, percentile, table } from './markdown.ts';

describe('figures', () => {
  test('the median of an even number lies between the two in the middle', () => {
    expect(median([4, 1, 2, 3])).toBe(2.5);
  });

  test('a percentile is a value that was measured', () => {
    const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);
    expect([percentile(hundred, 50), percentile(hundred, 99), percentile([7], 99)]).toEqual([50, 99, 7]);
  });

  test('a cell shows the median with the least and the most', () => {
    expect(overRounds([1_000, 3_000, 2_000], 0)).toBe('2,000 (1,000–3,000)');
  });

  test('a table has its figures on the right', () => {
    expect(table(['', 'a'], [['x', '1']])).toBe('|  | a |\n| --- | ---: |\n| x | 1 |');
  });
});
