/** Reads a chosen picture, turned as its EXIF data say, and makes the file that is sent. */

import { MAX_IMAGE_BYTES } from '@offer-ads/contracts/values/offer-limits';
import { type Crop, canBeSentAsIs, middle, sentPixels, squareOf } from './crop.ts';

/** More than cameras make; decoding needs about ten times as much memory. */
const MAX_SOURCE_BYTES = 40 * 1024 * 1024;
const JPEG_QUALITY = 0.9;

/** A picture as it was chosen, ready to be cropped. */
export type Source = { readonly file: File; readonly bitmap: ImageBitmap };

/** Null: the browser cannot read it. */
export async function readSource(file: File): Promise<Source | null> {
  if (file.size === 0 || file.size > MAX_SOURCE_BYTES) return null;
  try {
    return { file, bitmap: await createImageBitmap(file, { imageOrientation: 'from-image' }) };
  } catch {
    return null;
  }
}

/** From which source a file was made, and how. As long as the file lives, so that its crop can be changed after other pages. */
const origins = new WeakMap<File, { readonly source: Source; readonly crop: Crop }>();

export function originOf(file: File | null): { readonly source: Source; readonly crop: Crop } | null {
  return file === null ? null : (origins.get(file) ?? null);
}

/** A GIF may move, and would not after a crop: it is sent as it is, and members see its middle square. */
export function isKeptWhole({ type, size }: File): boolean {
  return type === 'image/gif' && size <= MAX_IMAGE_BYTES;
}

/** The file that is sent for this part of the picture. */
export async function croppedFile(source: Source, crop: Crop = middle): Promise<File> {
  const { file, bitmap } = source;
  const asIs = isKeptWhole(file) || canBeSentAsIs(file, bitmap, crop);
  const made = asIs ? file : await encoded(source, crop);
  origins.set(made, { source, crop });
  return made;
}

/** A JPEG of its middle with as many pixels as the bytes allow; a GIF as it is, if it fits. */
export async function fileWithin({ file, bitmap }: Source, mostBytes: number): Promise<File> {
  if (isKeptWhole(file) && file.size <= mostBytes) return file;
  const canvas = document.createElement('canvas');
  let pixels = sentPixels(bitmap, middle);
  for (;;) {
    canvas.width = pixels;
    canvas.height = pixels;
    draw(canvas, bitmap, middle, 'white');
    const jpeg = await blobOf(canvas, 'image/jpeg');
    if (jpeg.size <= mostBytes || pixels < 100) return new File([jpeg], file.name, { type: 'image/jpeg' });
    pixels = Math.round(pixels * 0.75);
  }
}

async function encoded({ file, bitmap }: Source, crop: Crop): Promise<File> {
  const canvas = document.createElement('canvas');
  canvas.width = sentPixels(bitmap, crop);
  canvas.height = canvas.width;
  const name = file.name.replace(/\.\w+$/, '');
  if (file.type === 'image/png') {
    draw(canvas, bitmap, crop);
    const png = await blobOf(canvas, 'image/png');
    if (png.size <= MAX_IMAGE_BYTES) return new File([png], `${name}.png`, { type: 'image/png' });
  }
  draw(canvas, bitmap, crop, 'white');
  const jpeg = await blobOf(canvas, 'image/jpeg');
  return new File([jpeg], `${name}.jpg`, { type: 'image/jpeg' });
}

/** @param ground the colour behind transparent parts, where the format has none */
export function draw(canvas: HTMLCanvasElement, bitmap: ImageBitmap, crop: Crop, ground?: string): void {
  const pen = canvas.getContext('2d');
  if (pen === null) return;
  const { left, top, side } = squareOf(bitmap, crop);
  pen.clearRect(0, 0, canvas.width, canvas.height);
  if (ground !== undefined) {
    pen.fillStyle = ground;
    pen.fillRect(0, 0, canvas.width, canvas.height);
  }
  pen.imageSmoothingQuality = 'high';
  pen.drawImage(bitmap, left, top, side, side, 0, 0, canvas.width, canvas.height);
}

function blobOf(canvas: HTMLCanvasElement, type: string): Promise<Blob> {
  return new Promise((resolve, reject) => {
    const made = (blob: Blob | null) =>
      blob === null ? reject(new Error('the browser could not write the picture')) : resolve(blob);
    canvas.toBlob(made, type, JPEG_QUALITY);
  });
}
