import { describe, expect, it } from '@jest/globals';
import { fc } from '@offer-ads/testing/profile';
import { type Frame, framesToLookAt, opaqueLooks } from './looks.ts';

describe('the frames to look at', () => {
  const frame = (shade: number, delayMs = 100): Frame => ({
    delayMs,
    thumbnail: new Uint8Array(12).fill(shade),
  });
  /** As different from each other as noise. */
  const noise = (index: number): Frame => ({
    delayMs: 100,
    thumbnail: Uint8Array.from({ length: 12 }, (_, at) => (index * 73 + at * index * 31) % 256),
  });
  const looked = (frames: readonly Frame[], chance: () => number) => framesToLookAt(frames, chance);

  it('are all of them while there are few', () => {
    expect(looked([frame(1)], () => 0)).toEqual([0]);
    expect(looked(Array(32).fill(frame(1)), () => 0)).toEqual(
      Array.from({ length: 32 }, (_, index) => index),
    );
  });

  it('are at most 32 different ones of any longer animation, in order, with the first and the last', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 33, max: 300 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (count, chance) => {
          const chosen = looked(
            Array.from({ length: count }, (_, index) => noise(index)),
            () => chance,
          );
          expect(chosen.length).toBeLessThanOrEqual(32);
          expect(chosen).toEqual([...new Set(chosen)].toSorted((one, other) => one - other));
          expect([chosen.at(0), chosen.at(-1)]).toEqual([0, count - 1]);
        },
      ),
      { numRuns: 30 },
    );
  });

  it('have every scene among them that is on the screen for an eighth of the time, in however many frames', () => {
    const chances = fc.infiniteStream(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }));
    fc.assert(
      fc.property(fc.constantFrom(1, 2, 4, 5, 10, 20), fc.nat(40), chances, (count, from, chances) => {
        // Hardly different from the first frame, while all others differ much: it is chosen only because of its time.
        const scene = Array.from({ length: count }, () => frame(3, 1_000 / count));
        const others = Array.from({ length: 69 }, (_, index) => noise(index + 100));
        const frames = [frame(0), ...others.slice(0, from), ...scene, ...others.slice(from)];
        const chosen = looked(frames, () => chances.next().value);
        expect(chosen.some((index) => index > from && index <= from + count)).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  it('have every frame among them that differs from all others, however briefly it is shown', () => {
    fc.assert(
      fc.property(fc.integer({ min: 33, max: 500 }), fc.nat(499), (count, at) => {
        const odd = at % count;
        const frames = Array.from({ length: count }, (_, index) =>
          index === odd ? frame(200, 20) : frame(index % 2, 10_000),
        );
        expect(looked(frames, () => 0.5)).toContain(odd);
      }),
      { numRuns: 50 },
    );
  });

  it('are at other instants when chance says so', () => {
    const alike = Array.from({ length: 64 }, () => frame(0));
    const [early, late] = [0, 0.9].map((chance) => looked(alike, () => chance));
    expect(early).toEqual([0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60, 63]);
    expect(late).toEqual([0, 3, 7, 11, 15, 19, 23, 27, 31, 35, 39, 43, 47, 51, 55, 59, 63]);
  });

  it('are no more than differ to the eye', () => {
    expect(
      looked(
        Array.from({ length: 100 }, (_, index) => frame(index % 2)),
        () => 0.5,
      ).length,
    ).toBeLessThan(20);
  });

  it('count a frame that asks for no time at all as long as browsers show it', () => {
    const frames = Array.from({ length: 64 }, (_, index) => frame(0, index < 32 ? 0 : 10));
    const chosen = looked(frames, () => 0.5);
    // Besides the first frame, one at each of eight instants.
    expect(chosen.filter((index) => index < 32)).toHaveLength(9);
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
