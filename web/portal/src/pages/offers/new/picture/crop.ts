/** Which square of a picture members see, and whether the file can be sent as it is. */
import { MAX_IMAGE_BYTES } from '@offer-ads/contracts/values/offer-limits';

/** The recommended size (specification, Create). */
export const PICTURE_PIXELS = 1_080;
export const MAX_ZOOM = 4;

export type Crop = {
  /** 1: the largest square that fits into the picture. */
  readonly zoom: number;
  /** Where the square is: from 0, the left edge, to 1, the right edge. */
  readonly x: number;
  /** From 0, the upper edge, to 1, the lower edge. */
  readonly y: number;
};

export const middle: Crop = { zoom: 1, x: 0.5, y: 0.5 };

type Size = { readonly width: number; readonly height: number };

/** The square in pixels of the picture. */
export function squareOf({ width, height }: Size, { zoom, x, y }: Crop) {
  const side = Math.min(width, height) / bounded(zoom, 1, MAX_ZOOM);
  return { left: (width - side) * bounded(x, 0, 1), top: (height - side) * bounded(y, 0, 1), side };
}

/** The crop after the picture was dragged by a part of the side of the square: to the right and down. */
export function dragged(crop: Crop, size: Size, by: { readonly x: number; readonly y: number }): Crop {
  const { side } = squareOf(size, crop);
  const moved = (at: number, length: number, part: number) =>
    length - side < 1 ? at : bounded(at - (part * side) / (length - side), 0, 1);
  return { ...crop, x: moved(crop.x, size.width, by.x), y: moved(crop.y, size.height, by.y) };
}

/** Pixels of a side of the picture that is sent: never more than the source has. */
export function sentPixels(size: Size, crop: Crop): number {
  return Math.max(1, Math.min(PICTURE_PIXELS, Math.round(squareOf(size, crop).side)));
}

const sendable: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/gif']);

/** A square file within the limits is sent unchanged, so that it loses no quality. */
export function canBeSentAsIs(
  file: Pick<File, 'type' | 'size'>,
  { width, height }: Size,
  crop: Crop,
): boolean {
  return (
    sendable.has(file.type) &&
    file.size <= MAX_IMAGE_BYTES &&
    Math.abs(width - height) <= 1 &&
    crop.zoom === 1
  );
}

function bounded(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}
