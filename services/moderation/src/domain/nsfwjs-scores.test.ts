import { describe, expect, it } from '@jest/globals';
import { nsfwjsScores } from './nsfwjs-scores.ts';

describe("the scores of nsfwjs' network", () => {
  it('count as explicit what it finds unsafe without being sure of the kind', () => {
    const scores = nsfwjsScores([0.05, 0.375, 0.0, 0.5, 0.075]);
    expect(scores.explicit).toBe(0.875);
    expect(scores.suggestive).toBeCloseTo(0.95);
    expect(scores.labels).toEqual({ Drawing: 0.05, Hentai: 0.375, Neutral: 0, Porn: 0.5, Sexy: 0.075 });
  });

  it('are not made of another number of outputs', () => {
    expect(() => nsfwjsScores([1])).toThrow('1 numbers instead of 5');
  });
});
