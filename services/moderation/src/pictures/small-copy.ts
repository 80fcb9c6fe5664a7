/** A copy of a refused picture for the person who reviews it: small, not animated, with everything that the model looked at. */
import sharp, { type Sharp } from 'sharp';
import { type CleanPicture, framesAs, type TakeRoom } from './pictures.ts';

/** Enough to recognise everything in a still picture, and in each frame of an animation. */
const stillSide = 768;
const frameSide = 384;
const framesAcross = 4;
const fewFrames = 8;
/** With more frames, each is smaller, so that the copy stays about as large. */
const manyFramesSide = 256;
const manyFramesAcross = 6;
const quality = 75;

/** A JPEG: the picture on white and, if that differs, on black; for an animation, the frames that are looked at. */
export async function smallCopyOf(picture: CleanPicture, takeRoom: TakeRoom): Promise<Buffer> {
  const { seen, bytes } = picture;
  const tiles: Buffer[] = [];
  if (seen.length === 1) {
    await takeRoom(picture.heldBytes);
    const limits = { fit: 'inside', withoutEnlargement: true } as const;
    const still = sharp(bytes).resize(stillSide, stillSide, limits).toColourspace('srgb');
    tiles.push(...(await onBackgrounds(still)));
  } else {
    const size = await frameSize(bytes, seen.length > fewFrames ? manyFramesSide : frameSide);
    for await (const frame of framesAs(picture, size, takeRoom)) {
      const raw = { ...size, channels: 4 } as const;
      tiles.push(...(await onBackgrounds(sharp(frame, { raw }))));
    }
  }
  const across = seen.length > fewFrames ? manyFramesAcross : framesAcross;
  return sideBySide(tiles, across).jpeg({ quality }).toBuffer();
}

/** In the picture's proportions, never larger than the picture. */
async function frameSize(bytes: Buffer, side: number): Promise<{ width: number; height: number }> {
  const { width, height } = await sharp(bytes).metadata();
  const scale = Math.min(1, side / Math.max(width, height));
  const scaled = (length: number) => Math.max(1, Math.round(length * scale));
  return { width: scaled(width), height: scaled(height) };
}

async function onBackgrounds(image: Sharp): Promise<readonly Buffer[]> {
  const frame = await image.png().toBuffer();
  const backgrounds = await backgroundsFor(frame);
  return Promise.all(backgrounds.map((background) => sharp(frame).flatten({ background }).png().toBuffer()));
}

function sideBySide(tiles: readonly Buffer[], most: number): Sharp {
  if (tiles.length === 1) return sharp(tiles[0]);
  const across = Math.min(most, tiles.length);
  return sharp([...tiles], { join: { across, shim: 8, background: '#808080' } });
}

async function backgroundsFor(frame: Buffer): Promise<readonly string[]> {
  const { isOpaque } = await sharp(frame).stats();
  return isOpaque ? ['#fff'] : ['#fff', '#000'];
}
