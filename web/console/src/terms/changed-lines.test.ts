import { expect, it } from '@jest/globals';
import { changedLines } from './changed-lines.ts';

it('what goes comes before what takes its place, with the lines around; a gap stands for the rest', () => {
  expect(changedLines('a\nb\nc', 'a\nB\nc')).toEqual([' a', '-b', '+B', ' c']);
  expect(changedLines('', 'a')).toEqual(['-', '+a']);
  const before = 'a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk';
  expect(changedLines(before, before.replace('d', 'D').replace('j', 'J'))).toEqual([
    null,
    ' b',
    ' c',
    '-d',
    '+D',
    ' e',
    ' f',
    null,
    ' h',
    ' i',
    '-j',
    '+J',
    ' k',
  ]);
  expect(changedLines(before, `${before}\nl`)).toEqual([null, ' j', ' k', '+l']);
  expect(changedLines(before, before.replace('a', 'A')).at(-1)).toBeNull();
});

it('long texts that share nothing are one replacement, in bounded time', () => {
  const long = (word: string) => Array.from({ length: 3_000 }, (_, index) => `${word}${index}`).join('\n');
  const shown = changedLines(long('a'), long('b'));
  expect(shown.map((line) => line?.[0]).join('')).toBe('-'.repeat(3_000) + '+'.repeat(3_000));
});
