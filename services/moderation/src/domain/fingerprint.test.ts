import { beforeAll, describe, expect, it } from '@jest/globals';
import { runs } from '@offer-ads/testing/profile';
import sharp, { type Sharp } from 'sharp';
import { changes, scene, scenePng } from '../../test/scenes.ts';
import { createBlockedFingerprints } from '../verdicts/blocked-fingerprints.ts';
import { type Fingerprint, fingerprintsOf, isDistinctive, onesIn, wholeLooks } from './fingerprint.ts';

const side = 224;

async function fingerprints(picture: Sharp): Promise<readonly Fingerprint[]> {
  const look = picture.resize(side, side, { fit: 'fill' }).toColourspace('srgb').removeAlpha();
  return fingerprintsOf(await look.raw().toBuffer());
}

async function blockedScenes(count: number) {
  const blocked = createBlockedFingerprints();
  for (let seed = 1; seed <= count; seed += 1) blocked.add(seed, await fingerprints(scene(seed)));
  return blocked;
}

describe('a fingerprint', () => {
  const count = runs(6, 150);
  let blocked: Awaited<ReturnType<typeof blockedScenes>>;
  beforeAll(async () => {
    blocked = await blockedScenes(count);
  });

  it.each(Object.entries(changes))('recognises a copy that is %s', async (_how, change) => {
    let recognised = 0;
    for (let seed = 1; seed <= count; seed += 1) {
      const copy = sharp(await change(await scenePng(seed)));
      if (blocked.latestLike(wholeLooks(await fingerprints(copy))) === seed) recognised += 1;
    }
    // Of thousands of copies, one or two in a hundred are missed: those without colours, or cropped most.
    expect(recognised).toBeGreaterThanOrEqual(count === 6 ? 6 : 0.97 * count);
  });

  it('takes no picture for another', async () => {
    const count = runs(50, 2_000);
    const blocked = await blockedScenes(count);
    for (let seed = count + 1; seed <= 2 * count; seed += 1)
      expect(blocked.latestLike(wholeLooks(await fingerprints(scene(seed))))).toBeUndefined();
  }, 600_000);

  it.each<[string, () => Sharp]>([
    ['a blank picture', () => sharp({ create: { width: 99, height: 70, channels: 3, background: '#c33' } })],
    ['an even gradient', () => drawn((x) => 255 * x)],
    [
      'a disc near the middle of white',
      () => drawn((x, y) => ((x - 0.5) ** 2 + (y - 0.5) ** 2 < 0.1 ? 30 : 255)),
    ],
    ['a half that is dark', () => drawn((_x, y) => (y > 0.5 ? 20 : 220))],
  ])('of %s tells nothing, and is like no other', async (_what, picture) => {
    const plain = await fingerprints(picture());
    expect(plain.some(isDistinctive)).toBe(false);
    const blocked = createBlockedFingerprints();
    blocked.add(1, plain);
    expect(blocked.latestLike(wholeLooks(plain))).toBeUndefined();
  });

  it('counts half of its signs, so that a few differences always mean the same', async () => {
    for (const fingerprint of await fingerprints(scene(7)))
      expect(fingerprint.subarray(8).reduce((sum, word) => sum + onesIn(word), 0)).toBe(128);
  });
});

/** A grey picture, given by a function of positions from 0 to 1. */
function drawn(shade: (x: number, y: number) => number): Sharp {
  const pixels = Buffer.from(
    Array.from({ length: side * side }, (_, at) => shade((at % side) / side, Math.floor(at / side) / side)),
  );
  return sharp(pixels, { raw: { width: side, height: side, channels: 1 } });
}
