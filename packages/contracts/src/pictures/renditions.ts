/** Renditions: smaller copies of a picture, in the widths of one ladder and the proportions of the picture. */

/** A fixed ladder bounds how many copies of a picture there can be. The last is the recommended width of an upload. */
export const renditionWidths = [160, 320, 640, 1080] as const;

export type PictureSize = { readonly width: number; readonly height: number };

/** The height is rounded, and at least 1. */
export function renditionSize(picture: PictureSize, width: number): PictureSize {
  return { width, height: Math.max(1, Math.round((picture.height * width) / picture.width)) };
}

/** The sizes to answer, the narrowest first, each once. Never larger than the picture: a greater width answers the picture's own size. */
export function renditionSizes(picture: PictureSize, widths: readonly number[]): readonly PictureSize[] {
  const possible = new Set(widths.map((width) => Math.min(width, picture.width)));
  return [...possible].toSorted((a, b) => a - b).map((width) => renditionSize(picture, width));
}
