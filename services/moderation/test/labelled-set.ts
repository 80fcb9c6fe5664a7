/** Pictures that anybody may look at, and what a model of this kind should say of them. */
import { photographLikeJpeg } from '@offer-ads/testing/pictures/pictures';
import {
  type BlobPicture,
  blobPixels,
  blobPng,
  unsafeLooking,
} from '@offer-ads/testing/pictures/unsafe-picture';
import { randomNumbers } from '@offer-ads/testing/random';
import sharp from 'sharp';
import type { Model } from '../src/model/nsfwjs-model.ts';
import { scenePng } from './scenes.ts';

export type Labelled = { readonly name: string; readonly safe: boolean; readonly file: Buffer };

const seeds = [1, 2, 3, 4];
export async function labelledSet(model: Model): Promise<readonly Labelled[]> {
  const set: Labelled[] = [];
  for (const seed of seeds) {
    set.push({ name: `gradients with grain ${seed}`, safe: true, file: await photographLikeJpeg({ seed }) });
    set.push({ name: `photograph-like scene ${seed}`, safe: true, file: await scenePng(seed) });
    set.push({ name: `drawing ${seed}`, safe: true, file: await drawing(seed) });
    set.push({ name: `gradients led astray ${seed}`, safe: false, file: await unsafeGradients(model, seed) });
  }
  return set;
}

/** Plain areas with dark outlines on white paper. */
async function drawing(seed: number): Promise<Buffer> {
  const [width, height] = [240, 180];
  const random = randomNumbers(seed);
  const pixels = Buffer.alloc(width * height * 3, 255);
  for (let shape = 0; shape < 12; shape += 1) {
    const [x, y, reach] = [width * random(), height * random(), 12 + 40 * random()];
    const colour = [Math.round(255 * random()), Math.round(255 * random()), Math.round(255 * random())];
    const isRound = random() < 0.5;
    for (let row = Math.max(0, Math.round(y - reach)); row < Math.min(height, y + reach); row += 1)
      for (
        let column = Math.max(0, Math.round(x - reach));
        column < Math.min(width, x + reach);
        column += 1
      ) {
        const [across, down] = [(column - x) / reach, (row - y) / reach];
        const edge = isRound ? across ** 2 + down ** 2 : Math.max(across ** 2, down ** 2);
        if (edge < 1) pixels.set(edge > 0.8 ? [20, 20, 20] : colour, 3 * (row * width + column));
      }
  }
  return sharp(pixels, { raw: { width, height, channels: 3 } })
    .png()
    .toBuffer();
}

/** How sure the model is to be made, and after how many looks it is not going to be. */
const sureEnough = 0.8;
const maxLooks = 400;

/** Soft blobs, shifted at random and then step by step towards whatever the model finds more explicit. */
async function unsafeGradients(model: Model, seed: number): Promise<Buffer> {
  const random = randomNumbers(seed);
  const explicitness = async (picture: BlobPicture) => {
    const [scores] = await model.score([blobPixels(picture)], new AbortController().signal);
    return scores?.explicit ?? 0;
  };
  let best = changed(unsafeLooking, () => 0.24 * (random() - 0.5));
  let score = await explicitness(best);
  for (let looks = 1; score < sureEnough; looks += 1) {
    if (looks === maxLooks) throw new Error(`the model is only ${score} sure after ${looks} looks`);
    const next = changed(best, () => (random() < 0.25 ? 0.16 * (random() - 0.5) : 0));
    const nextScore = await explicitness(next);
    if (nextScore > score) [best, score] = [next, nextScore];
  }
  return blobPng(best);
}

function changed({ background, blobs }: BlobPicture, by: () => number): BlobPicture {
  const number = (value: number) => Math.max(0.02, Math.min(1, value + by()));
  const pair = ([one, other]: readonly [number, number]) => [number(one), number(other)] as const;
  const triple = ([one, two, three]: readonly [number, number, number]) =>
    [number(one), number(two), number(three)] as const;
  return {
    background: triple(background),
    blobs: blobs.map(({ at, radius, colour }) => ({
      at: pair(at),
      radius: pair(radius),
      colour: triple(colour),
    })),
  };
}
