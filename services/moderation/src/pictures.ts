/** Reading pictures of strangers: three decoders and no other, bounds before decoding, and out comes a clean picture. */
import sharp, { type Sharp, type SharpOptions } from 'sharp';
import { gifFrameCount } from './domain/gif-structure.ts';
import { framesToLookAt, opaqueLooks } from './domain/looks.ts';
import { type PictureType, pictureTypeOf } from './domain/picture-type.ts';

// sharp reads SVG, TIFF and more by default; each further decoder is a way in.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({
  operation: ['VipsForeignLoadJpegBuffer', 'VipsForeignLoadPngBuffer', 'VipsForeignLoadNsgifBuffer'],
});
// Every upload is another picture: a cache would only hold memory.
sharp.cache(false);

/** Decision 18, over all frames. A picture of 776 KB can hold 256 megapixels, which take 824 MB to decode. */
const mostPixels = 50_000_000;
/** Each frame costs a fixed effort however small it is; no animation in 5 MiB that anybody watches has more. */
const mostFrames = 2_000;
/** The side of the square that the model looks at. */
const lookSide = 224;
/** Visually the same as the upload, at a fraction of the bytes of quality 100. */
const jpegQuality = 88;

export type CleanPicture = { readonly type: PictureType; readonly frames: number; readonly bytes: Buffer };

/** Why a file is no picture that can be taken; offers tells the advertiser. */
export type Problem = 'not-a-picture' | 'damaged' | 'too-many-pixels' | 'too-many-frames';

/**
 * Auto-oriented, in sRGB, without metadata and whatever else hid in the file; of the same type, and a GIF still moves.
 * @param timeoutMs the decoder stops after about this time; that rejects, because it says nothing about the picture
 */
export async function cleanPicture(
  bytes: Uint8Array,
  timeoutMs: number,
): Promise<{ ok: true; picture: CleanPicture } | { ok: false; problem: Problem }> {
  const type = pictureTypeOf(bytes);
  if (type === undefined) return { ok: false, problem: 'not-a-picture' };
  const frames = type === 'gif' ? gifFrameCount(bytes) : 1;
  if (frames === undefined || frames === 0) return { ok: false, problem: 'damaged' };
  if (frames > mostFrames) return { ok: false, problem: 'too-many-frames' };
  const startedAt = performance.now();
  try {
    if ((await pixelsOf(bytes)) > mostPixels) return { ok: false, problem: 'too-many-pixels' };
    const clean = await encoded(sharp(bytes, readAs(type)), type)
      .timeout({ seconds: Math.max(1, Math.ceil(timeoutMs / 1_000)) })
      .toBuffer();
    return { ok: true, picture: { type, frames, bytes: clean } };
  } catch (error) {
    if (performance.now() - startedAt >= timeoutMs) throw error;
    return { ok: false, problem: 'damaged' };
  }
}

/** RGB squares of 224 pixels, as the model wants them, made from the very bytes that members will see. */
export async function looksAt(picture: CleanPicture): Promise<readonly Uint8Array[]> {
  const frames = await Promise.all(
    framesToLookAt(picture.frames).map((page) =>
      sharp(picture.bytes, picture.type === 'gif' ? { ...strict, page } : strict)
        .resize(lookSide, lookSide, { fit: 'fill' })
        .toColourspace('srgb')
        .ensureAlpha()
        .raw()
        .toBuffer(),
    ),
  );
  return frames.flatMap(opaqueLooks);
}

/** `error` refuses what is cut off or broken, but not a picture with an odd profile that every browser shows. */
const strict: SharpOptions = { failOn: 'error', limitInputPixels: mostPixels };

function readAs(type: PictureType): SharpOptions {
  return type === 'gif' ? { ...strict, animated: true } : strict;
}

/** Reads the header only; therefore no limit here, and the refusal can say what is wrong. */
async function pixelsOf(bytes: Uint8Array): Promise<number> {
  const header = { failOn: 'error', limitInputPixels: false, animated: true } as const;
  const { width, height } = await sharp(bytes, header).metadata();
  return width * height;
}

function encoded(image: Sharp, type: PictureType): Sharp {
  switch (type) {
    case 'jpeg':
      return image.autoOrient().jpeg({ quality: jpegQuality });
    case 'png':
      return image.autoOrient().png();
    case 'gif':
      // The frames come with their palettes, so neither dithering nor a long search for better ones adds anything.
      return image.gif({ effort: 1, dither: 0 });
  }
}
