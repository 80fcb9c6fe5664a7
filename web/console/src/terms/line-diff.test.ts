import { describe, expect, it } from '@jest/globals';
import { fc, runs } from '@offer-ads/testing/profile';
import { lineDiff, withoutDistant } from './line-diff.ts';

/** As `diff` prints it. */
const shown = (before: string, after: string) =>
  lineDiff(before, after).map(({ kind, text }) => `${{ same: ' ', removed: '-', added: '+' }[kind]}${text}`);

describe('the changes between two texts', () => {
  it('are whole lines: what goes comes before what takes its place', () => {
    expect(shown('a\nb\nc', 'a\nB\nc')).toEqual([' a', '-b', '+B', ' c']);
    expect(shown('a\nc', 'a\nb\nc')).toEqual([' a', '+b', ' c']);
    expect(shown('a\nb\nc\nd', 'b\nd\ne')).toEqual(['-a', ' b', '-c', ' d', '+e']);
  });

  it('contain both texts whole, and every line that both share in order', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 }).map((all) => all.join('\n'));
    fc.assert(
      fc.property(text, text, (before, after) => {
        const diff = lineDiff(before, after);
        const without = (kind: string) => diff.filter((line) => line.kind !== kind).map((line) => line.text);
        expect(without('added').join('\n')).toBe(before);
        expect(without('removed').join('\n')).toBe(after);
        if (before === after) expect(diff.every(({ kind }) => kind === 'same')).toBe(true);
      }),
      { numRuns: runs(200, 20_000) },
    );
  });

  it('of long texts that share nothing are one replacement, in bounded time', () => {
    const long = (word: string) => Array.from({ length: 3_000 }, (_, index) => `${word}${index}`).join('\n');
    const diff = lineDiff(long('a'), long('b'));
    expect(diff.map(({ kind }) => kind)).toEqual([
      ...Array<string>(3_000).fill('removed'),
      ...Array<string>(3_000).fill('added'),
    ]);
  });

  it('are shown with the lines around them; a gap stands for the rest', () => {
    const before = 'a\nb\nc\nd\ne\nf\ng';
    const near = withoutDistant(lineDiff(before, before.replace('d', 'D')), 1);
    expect(near.map((line) => line?.text ?? '…')).toEqual(['…', 'c', 'd', 'D', 'e', '…']);
    expect(withoutDistant(lineDiff('a', 'a'))).toEqual([null]);
  });
});
