/** A picture that moderation refuses, but that shows nothing. */
import sharp from 'sharp';

type Blob = { readonly at: Point; readonly radius: Point; readonly colour: Colour };
/** Soft blobs on a plain background. All numbers are fractions of the side or of full brightness. */
export type BlobPicture = { readonly background: Colour; readonly blobs: readonly Blob[] };
type Point = readonly [x: number, y: number];
type Colour = readonly [red: number, green: number, blue: number];

/**
 * Five soft blobs on pink, found by a random search: the model classifies the picture as "Porn" with 92 %.
 */
export const unsafeLooking: BlobPicture = {
  background: [1, 0.76, 0.94],
  blobs: [
    { at: [0.4, 0.21], radius: [0.3, 0.16], colour: [0.87, 0.68, 0.75] },
    { at: [0.26, 0.72], radius: [0.18, 0.45], colour: [0.64, 0.62, 0.55] },
    { at: [0.84, 0.69], radius: [0.12, 0.44], colour: [0.76, 0.72, 0.56] },
    { at: [0.71, 0.95], radius: [0.23, 0.02], colour: [0.69, 0.57, 0.35] },
    { at: [0.66, 0.51], radius: [0.12, 0.37], colour: [0.99, 0.65, 0.56] },
  ],
};
const side = 224;

export async function unsafeLookingPng(): Promise<Buffer> {
  return blobPng(unsafeLooking);
}

export async function blobPng(picture: BlobPicture): Promise<Buffer> {
  return sharp(blobPixels(picture), { raw: { width: side, height: side, channels: 3 } })
    .png()
    .toBuffer();
}

/** RGB, 224 x 224, the input of the model. */
export function blobPixels({ background, blobs }: BlobPicture): Buffer {
  const pixels = Buffer.alloc(side * side * 3);
  for (let row = 0, to = 0; row < side; row += 1)
    for (let column = 0; column < side; column += 1)
      for (const share of blobs.reduce(
        (under, blob) => painted(under, blob, column / side, row / side),
        background,
      ))
        pixels[to++] = 255 * share;
  return pixels;
}

/** Opaque in the middle, and darker towards the soft edge. */
function painted(under: Colour, { at, radius, colour }: Blob, x: number, y: number): Colour {
  const distance = ((x - at[0]) / radius[0]) ** 2 + ((y - at[1]) / radius[1]) ** 2;
  const cover = 1 / (1 + Math.exp(8 * (distance - 1)));
  const light = 1 - 0.35 * Math.min(1, distance);
  const mix = (below: number, above: number) => below * (1 - cover) + cover * above * light;
  return [mix(under[0], colour[0]), mix(under[1], colour[1]), mix(under[2], colour[2])];
}
