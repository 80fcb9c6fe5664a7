import { describe, expect, it } from '@jest/globals';
import { fc } from '@offer-ads/testing/profile';
import { decide, type Scores } from './decision.ts';

const neutral: Scores = { Drawing: 0.1, Hentai: 0.05, Neutral: 0.7, Porn: 0.05, Sexy: 0.1 };
const thresholds = { explicit: 0.6, suggestive: 0.9 };

describe('the decision on a picture', () => {
  it('allows what stays under both thresholds', () => {
    expect(decide([neutral], thresholds)).toEqual({ verdict: 'allowed' });
  });

  it('refuses what reaches a threshold exactly', () => {
    const half = { ...neutral, Neutral: 0.5, Porn: 0.5, Hentai: 0 };
    expect(decide([half], { explicit: 0.5, suggestive: 1 })).toEqual({
      verdict: 'refused',
      reason: 'explicit',
    });
  });

  it('refuses what the model finds unsafe without being sure of the kind', () => {
    const between = { Drawing: 0.1, Hentai: 0.4, Neutral: 0.1, Porn: 0.4, Sexy: 0 };
    expect(decide([between], thresholds)).toEqual({ verdict: 'refused', reason: 'explicit' });
  });

  it('refuses the merely suggestive only at its own, higher threshold', () => {
    const swimwear = { ...neutral, Neutral: 0.15, Sexy: 0.65 };
    expect(decide([swimwear], thresholds)).toEqual({ verdict: 'allowed' });
    expect(decide([{ ...neutral, Neutral: 0, Drawing: 0, Sexy: 0.9 }], thresholds)).toEqual({
      verdict: 'refused',
      reason: 'suggestive',
    });
  });

  it('follows the worst frame, wherever it is', () => {
    const unsafe = { ...neutral, Neutral: 0, Porn: 0.75 };
    fc.assert(
      fc.property(fc.nat(7), (place) => {
        const looks = Array.from({ length: 8 }, (_, index) => (index === place ? unsafe : neutral));
        expect(decide(looks, thresholds).verdict).toBe('refused');
      }),
    );
  });

  it('is never made without a look at the picture', () => {
    expect(() => decide([], thresholds)).toThrow('at least one look');
  });
});
