import { describe, expect, it } from '@jest/globals';
import { gif } from '@offer-ads/testing/pictures/pictures';
import { gifDelaysMs, wholeGif } from './gif-frames.ts';

const gifFrameCount = (bytes: Uint8Array) => gifDelaysMs(bytes, 100)?.length;

describe('the structure of a GIF', () => {
  it('gives the number of frames without decoding them', async () => {
    expect(gifFrameCount(await gif({ frames: 2, width: 16, height: 16 }))).toBe(2);
    expect(gifFrameCount(await gif({ frames: 12, width: 16, height: 16 }))).toBe(12);
  });

  it('gives the time for which each frame is shown', async () => {
    const delaysMs = [20, 4_000, 650];
    expect(gifDelaysMs(await gif({ width: 8, height: 8, delaysMs }), 100)).toEqual(delaysMs);
  });

  it('is read up to one frame more than asked for', async () => {
    expect(gifDelaysMs(await gif({ frames: 6, width: 8, height: 8 }), 3)).toHaveLength(4);
  });

  it('is incomplete when the file is cut inside of a block', async () => {
    const whole = await gif({ frames: 2, width: 8, height: 8 });
    const cuts = Array.from({ length: whole.length - 13 }, (_, index) =>
      gifFrameCount(whole.subarray(0, index + 13)),
    );
    // A cut between two blocks only removes later frames.
    expect(cuts.filter((frames) => frames !== undefined).length).toBeLessThan(8);
    expect(gifFrameCount(whole.subarray(0, -2))).toBeUndefined();
  });

  it('may have no trailer, or bytes after it', async () => {
    const whole = await gif({ frames: 2, width: 8, height: 8 });
    expect(gifFrameCount(whole.subarray(0, -1))).toBe(2);
    expect(gifFrameCount(Buffer.concat([whole, Buffer.from('<svg/>')]))).toBe(2);
  });

  it.each([
    ['a zero byte', Buffer.of(0)],
    ['another GIF', Buffer.from('GIF89a\x01\x00\x01\x00\x00\x00\x00', 'latin1')],
  ])('ends, as in browsers, where %s stands in the place of a block', async (_name, other) => {
    const whole = await gif({ frames: 2, width: 8, height: 8 });
    const [blocks, trailer] = [whole.subarray(0, -1), whole.subarray(-1)];
    const file = Buffer.concat([blocks, other, trailer]);
    expect(gifFrameCount(file)).toBe(2);
    // So no decoder reads more frames than were counted.
    expect(wholeGif(file)).toEqual(blocks);
    expect(wholeGif(whole)).toEqual(blocks);
  });

  it('is not that of a text behind the signature of a GIF', () => {
    expect(gifFrameCount(Buffer.from('GIF89a<svg xmlns="http://www.w3.org/2000/svg"/>'))).toBe(0);
  });
});
