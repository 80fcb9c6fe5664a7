import { describe, expect, it } from '@jest/globals';
import { fc, runs } from '@offer-ads/testing/profile';
import { renditionSizes, renditionWidths } from './renditions.ts';

describe('the sizes of a picture', () => {
  it.each([
    ['in the widths asked for', [1_080, 1_080], [640, 160], ['160x160', '640x640']],
    ['with its own width, when that is asked for', [1_080, 540], [1_080, 320], ['320x160', '1080x540']],
    [
      'with its own size once, instead of all greater ones',
      [300, 200],
      [160, 320, 640],
      ['160x107', '300x200'],
    ],
    ['at least one pixel high', [16_000, 10], [160], ['160x1']],
  ] as const)('are %s', (_, [width, height], widths, expected) => {
    const sizes = renditionSizes({ width, height }, widths);
    expect(sizes.map((size) => `${size.width}x${size.height}`)).toEqual(expected);
  });

  it('are never larger than the picture, never twice the same, and the narrowest comes first', () => {
    const side = fc.integer({ min: 1, max: 16_384 });
    const asked = fc.array(fc.constantFrom(...renditionWidths), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(side, side, asked, (width, height, widths) => {
        const sizes = renditionSizes({ width, height }, widths);
        for (const size of sizes) {
          expect(size.width).toBeLessThanOrEqual(width);
          expect(size.height).toBeLessThanOrEqual(height);
          expect(size.height).toBeGreaterThanOrEqual(1);
          // The proportions of the picture, to half a pixel.
          expect(Math.abs(size.height - (height * size.width) / width)).toBeLessThan(1);
          expect(widths.includes(size.width as never) || size.width === width).toBe(true);
        }
        const found = sizes.map((size) => size.width);
        expect(found).toEqual([...new Set(found)].toSorted((a, b) => a - b));
        // Each asked width has one that is as wide, or as wide as it can be.
        for (const asked of widths) expect(found).toContain(Math.min(asked, width));
      }),
      { numRuns: runs(300, 20_000) },
    );
  });
});
