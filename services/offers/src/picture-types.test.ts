import { describe, expect, it } from '@jest/globals';
import { gif, manyPixelPng, photographLikeJpeg, png } from '@offer-ads/testing/pictures';
import { GREATEST_PICTURE_PIXELS } from './domain/offer-form.ts';
import { inspectPicture } from './picture-types.ts';

describe('the type of a picture', () => {
  it('is told by its bytes', async () => {
    const pixels = 40 * 30;
    const size = { width: 40, height: 30 };
    expect(await inspectPicture(await photographLikeJpeg(size))).toEqual({ format: 'jpeg', pixels });
    expect(await inspectPicture(await png(size))).toEqual({ format: 'png', pixels });
    expect(await inspectPicture(await gif({ ...size, frames: 4 }))).toEqual({
      format: 'gif',
      pixels: 4 * pixels,
    });
  });

  it('of a decompression bomb is told without decoding it', async () => {
    const facts = await inspectPicture(await manyPixelPng());
    expect(facts).toMatchObject({ format: 'png' });
    expect(facts !== 'unknown' && facts.pixels > GREATEST_PICTURE_PIXELS).toBe(true);
  });

  it.each([
    ['nothing', ''],
    ['text', 'hello'],
    ['SVG', '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"/>'],
    ['a GIF that goes on as SVG', 'GIF89a<svg xmlns="http://www.w3.org/2000/svg"/>'],
    ['PDF', '%PDF-1.4\n'],
    ['the first bytes of a JPEG', '\xff\xd8\xff\xe0'],
  ])('of %s is unknown', async (_, bytes) => {
    expect(await inspectPicture(Buffer.from(bytes, 'latin1'))).toBe('unknown');
  });
});
