import { describe, expect, it } from '@jest/globals';
import sharp from 'sharp';
import { gif, jpegOfBytes, manyPixelPng, photographLikeJpeg, png } from './pictures.ts';

describe('pictures for tests', () => {
  it('are what their names say', async () => {
    expect((await sharp(await photographLikeJpeg()).metadata()).format).toBe('jpeg');
    expect((await sharp(await png({ width: 10, height: 20 })).metadata()).height).toBe(20);
    expect(await sharp(await gif({ frames: 4 }), { animated: true }).metadata()).toMatchObject({
      format: 'gif',
      pages: 4,
    });
  });

  it('come out the same for the same seed and different for another', async () => {
    const first = await photographLikeJpeg({ seed: 7 });
    expect(first.equals(await photographLikeJpeg({ seed: 7 }))).toBe(true);
    expect(first.equals(await photographLikeJpeg({ seed: 8 }))).toBe(false);
  });

  it('can be exactly as long as a limit and still decode', async () => {
    const exact = await jpegOfBytes(5_242_880);
    expect(exact).toHaveLength(5_242_880);
    expect((await sharp(exact).raw().toBuffer()).length).toBe(320 * 240 * 3);
  });

  it('can hold too many pixels in few bytes', async () => {
    expect((await manyPixelPng()).length).toBeLessThan(2_000_000);
  });
});
