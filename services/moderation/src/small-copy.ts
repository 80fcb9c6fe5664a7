/** A refused picture for the person who reviews it: small, still, and nothing of it left out that the model looked at. */
import sharp, { type Sharp } from 'sharp';
import { framesToLookAt } from './domain/looks.ts';
import { pictureMemory } from './picture-memory.ts';
import { budgetMs, type CleanPicture } from './pictures.ts';

/** Enough to recognise everything in a still picture, and in each frame of an animation. */
const stillSide = 768;
const frameSide = 384;
const framesAcross = 4;
const quality = 75;

/**
 * A JPEG: the picture on white and, where that differs, on black; of an animation the frames that are looked at.
 * Rejects when there was no memory for it in time.
 */
export function smallCopyOf(
  picture: CleanPicture,
  signal: AbortSignal = AbortSignal.timeout(budgetMs),
): Promise<Buffer> {
  return pictureMemory.run(picture.heldBytes, signal, () => smallCopy(picture));
}

async function smallCopy({ bytes, type, frames }: CleanPicture): Promise<Buffer> {
  const side = frames === 1 ? stillSide : frameSide;
  const tiles: Buffer[] = [];
  // One after the other, because each may be a large frame.
  for (const page of framesToLookAt(frames)) {
    const frame = await sharp(bytes, type === 'gif' ? { page } : {})
      .resize(side, side, { fit: 'inside', withoutEnlargement: true })
      .toColourspace('srgb')
      .png()
      .toBuffer();
    for (const background of await backgroundsFor(frame))
      tiles.push(await sharp(frame).flatten({ background }).png().toBuffer());
  }
  return sideBySide(tiles).jpeg({ quality }).toBuffer();
}

function sideBySide(tiles: readonly Buffer[]): Sharp {
  if (tiles.length === 1) return sharp(tiles[0]);
  const across = Math.min(framesAcross, tiles.length);
  return sharp([...tiles], { join: { across, shim: 8, background: '#808080' } });
}

async function backgroundsFor(frame: Buffer): Promise<readonly string[]> {
  const { isOpaque } = await sharp(frame).stats();
  return isOpaque ? ['#fff'] : ['#fff', '#000'];
}
