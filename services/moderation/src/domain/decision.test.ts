import { describe, expect, it } from '@jest/globals';
import { fc } from '@offer-ads/testing/profile';
import { decide, type Ruling, rulingOn, type Scores } from './decision.ts';

const neutral: Scores = { explicit: 0.1, suggestive: 0.2, labels: {} };
const thresholds = { explicit: 0.6, suggestive: 0.9 };

describe('the decision on a picture', () => {
  it('allows what stays under both thresholds', () => {
    expect(decide([neutral], thresholds)).toEqual({ verdict: 'allowed' });
  });

  it('refuses what reaches a threshold exactly', () => {
    const half = { ...neutral, explicit: 0.5, suggestive: 0.5 };
    expect(decide([half], { explicit: 0.5, suggestive: 1 })).toEqual({
      verdict: 'refused',
      reason: 'explicit',
    });
  });

  it('refuses the merely suggestive only at its own, higher threshold', () => {
    const swimwear = { ...neutral, suggestive: 0.75 };
    expect(decide([swimwear], thresholds)).toEqual({ verdict: 'allowed' });
    expect(decide([{ ...neutral, suggestive: 0.9 }], thresholds)).toEqual({
      verdict: 'refused',
      reason: 'suggestive',
    });
  });

  it('follows the worst frame, wherever it is', () => {
    const unsafe = { ...neutral, explicit: 0.75, suggestive: 0.75 };
    fc.assert(
      fc.property(fc.nat(7), (place) => {
        const looks = Array.from({ length: 8 }, (_, index) => (index === place ? unsafe : neutral));
        expect(decide(looks, thresholds).verdict).toBe('refused');
      }),
    );
  });

  it('takes a score that is no number for no sign of safety', () => {
    expect(decide([neutral, { ...neutral, explicit: Number.NaN }], thresholds).verdict).toBe('refused');
  });

  it('is never made without a look at the picture', () => {
    expect(() => decide([], thresholds)).toThrow('at least one look');
  });
});

const ruling = (number: number, action: 'allow' | 'block'): Ruling => ({
  number,
  action,
  contentHash: 'c',
  cleanHash: 'm',
  author: 'ann',
  reason: 'because',
  at: new Date(0),
});

describe('what people decided about a picture', () => {
  it('is nothing when nobody decided anything', () => {
    expect(rulingOn(undefined, undefined)).toBeUndefined();
  });

  it('holds whatever it was', () => {
    expect(rulingOn(ruling(1, 'allow'), undefined)).toMatchObject({ verdict: 'allowed' });
    expect(rulingOn(ruling(1, 'block'), undefined)).toMatchObject({ verdict: 'refused', reason: 'blocked' });
  });

  it('is the block of the picture that it is a copy of, unless it was allowed itself since', () => {
    const block = ruling(2, 'block');
    const asCopy = { verdict: 'refused', reason: 'copy-of-blocked', ruling: block };
    expect(rulingOn(undefined, block)).toEqual(asCopy);
    expect(rulingOn(ruling(1, 'allow'), block)).toEqual(asCopy);
    expect(rulingOn(ruling(3, 'allow'), block)).toMatchObject({ verdict: 'allowed' });
  });

  it('is its own block, though it is like itself', () => {
    const block = ruling(4, 'block');
    expect(rulingOn(block, block)).toMatchObject({ reason: 'blocked' });
  });
});
