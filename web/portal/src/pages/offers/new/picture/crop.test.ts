import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { canBeSentAsIs, dragged, MAX_ZOOM, middle, sentPixels, squareOf } from './crop.ts';

const wide = { width: 2_000, height: 1_000 };

describe('the square that members see', () => {
  test('is the largest one in the middle at first', () => {
    expect(squareOf(wide, middle)).toEqual({ left: 500, top: 0, side: 1_000 });
  });
  test('is never outside the picture', () => {
    const size = fc.record({
      width: fc.integer({ min: 1, max: 10_000 }),
      height: fc.integer({ min: 1, max: 10_000 }),
    });
    const part = fc.double({ min: -2, max: 2, noNaN: true });
    const crop = fc.record({ zoom: fc.double({ min: 0, max: 2 * MAX_ZOOM, noNaN: true }), x: part, y: part });
    fc.assert(
      fc.property(size, crop, fc.record({ x: part, y: part }), (picture, first, by) => {
        for (const each of [first, dragged(first, picture, by)]) {
          const { left, top, side } = squareOf(picture, each);
          expect(side).toBeGreaterThan(0);
          expect(left).toBeGreaterThanOrEqual(0);
          expect(top).toBeGreaterThanOrEqual(0);
          expect(left + side).toBeLessThanOrEqual(picture.width + 1e-6);
          expect(top + side).toBeLessThanOrEqual(picture.height + 1e-6);
        }
      }),
    );
  });
  test('moves to the left by as much as the picture is dragged to the right', () => {
    const after = squareOf(wide, dragged(middle, wide, { x: 0.25, y: 0.25 }));
    expect(after).toEqual({ left: 250, top: 0, side: 1_000 });
  });
  test('is sent with 1,080 pixels, or with those that it has', () => {
    expect(sentPixels({ width: 5_000, height: 4_000 }, middle)).toBe(1_080);
    expect(sentPixels(wide, { ...middle, zoom: 4 })).toBe(250);
  });
});

describe('a file is sent as it is', () => {
  const file = { type: 'image/png', size: 100 };
  const square = { width: 540, height: 540 };
  test('if it is square and within the limits', () => {
    expect(canBeSentAsIs(file, square, middle)).toBe(true);
  });
  test.each([
    ['it is no square', file, wide, middle],
    ['a part of it was chosen', file, square, { ...middle, zoom: 1.1 }],
    ['it is too large', { ...file, size: 6_000_000 }, square, middle],
    ['it has another type', { ...file, type: 'image/webp' }, square, middle],
  ])('but not if %s', (_why, of, size, crop) => {
    expect(canBeSentAsIs(of, size, crop)).toBe(false);
  });
});
