import { describe, expect, it } from '@jest/globals';
import { fc } from '@offer-ads/testing/profile';
import { framesToLookAt, opaqueLooks } from './looks.ts';

describe('the frames to look at', () => {
  it('are all of them while there are few', () => {
    expect(framesToLookAt(1)).toEqual([0]);
    expect(framesToLookAt(8)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });

  it('are eight different ones of any longer animation, with the first and the last', () => {
    fc.assert(
      fc.property(fc.integer({ min: 9, max: 100_000 }), (frames) => {
        const chosen = framesToLookAt(frames);
        expect(new Set(chosen).size).toBe(8);
        expect(chosen.at(0)).toBe(0);
        expect(chosen.at(-1)).toBe(frames - 1);
      }),
    );
  });
});

describe('the looks at one frame', () => {
  it('are one for an opaque frame, with its own colours', () => {
    expect(opaqueLooks(Uint8Array.of(10, 20, 30, 255, 40, 50, 60, 255))).toEqual([
      Uint8Array.of(10, 20, 30, 40, 50, 60),
    ]);
  });

  it('are two for a transparent frame: on white and on black', () => {
    expect(opaqueLooks(Uint8Array.of(100, 100, 100, 255, 200, 200, 200, 0))).toEqual([
      Uint8Array.of(100, 100, 100, 255, 255, 255),
      Uint8Array.of(100, 100, 100, 0, 0, 0),
    ]);
  });
});
