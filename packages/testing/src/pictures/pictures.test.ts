import { describe, expect, it } from '@jest/globals';
import sharp from 'sharp';
import { gif, jpegOfBytes, photographLikeJpeg, png } from './pictures.ts';

describe('pictures for tests', () => {
  it('have the format that their name says', async () => {
    expect((await sharp(await photographLikeJpeg()).metadata()).format).toBe('jpeg');
    expect((await sharp(await png({ width: 10, height: 20 })).metadata()).height).toBe(20);
    expect(await sharp(await gif({ frames: 4 }), { animated: true }).metadata()).toMatchObject({
      format: 'gif',
      pages: 4,
    });
  });

  it('are equal for the same seed and differ for another one', async () => {
    const first = await photographLikeJpeg({ seed: 7 });
    expect(first.equals(await photographLikeJpeg({ seed: 7 }))).toBe(true);
    expect(first.equals(await photographLikeJpeg({ seed: 8 }))).toBe(false);
  });

  it('can have an exact length and be decoded', async () => {
    const exact = await jpegOfBytes(5_242_880);
    expect(exact).toHaveLength(5_242_880);
    expect((await sharp(exact).raw().toBuffer()).length).toBe(320 * 240 * 3);
  });
});
