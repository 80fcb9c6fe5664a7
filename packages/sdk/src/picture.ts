/** The pictures of offers as parts of a body that can be sent more than once. */
import { invalidArgument, OfferAdsError } from './error.ts';
import type { Picture, Pictures } from './types.ts';

/** More than the service accepts for all pictures of a form, which then refuses it. Bounds the memory for a stream. */
const longestStream = 6 * 1_024 * 1_024;

/** The pictures of a form by their file names. Only those of a group have names of their own. */
export function namedPictures(
  image: Picture | Pictures | null | undefined,
): readonly (readonly [fileName: string, Content])[] {
  if (image === undefined || image === null) return [];
  if (!isPictures(image)) return [['image', contentOf(image)]];
  return Object.entries(image).map(([name, picture]) => {
    // The service unescapes other characters than browsers escape.
    if (/["\\\p{Cc}]/u.test(name))
      throw invalidArgument(
        `the file name ${JSON.stringify(name)} of an image has quotes, backslashes or line breaks`,
      );
    return [name, contentOf(picture)];
  });
}

function isPictures(image: Picture | Pictures): image is Pictures {
  if (typeof image !== 'object' || Symbol.asyncIterator in image || 'getReader' in image) return false;
  return [Object.prototype, null].includes(Object.getPrototypeOf(image) as object | null);
}

type Content = Blob | AsyncIterable<Uint8Array>;

function contentOf(picture: Picture): Content {
  if (picture instanceof Blob) return picture;
  if (picture instanceof ArrayBuffer) return new Blob([picture]);
  // Copied, because a Blob does not accept shared memory.
  if (ArrayBuffer.isView(picture)) return new Blob([new Uint8Array(picture)]);
  const isStream = typeof picture === 'object' && picture !== null;
  if (isStream && Symbol.asyncIterator in picture) return picture;
  if (isStream && 'getReader' in picture) return { [Symbol.asyncIterator]: () => chunksOf(picture) };
  throw invalidArgument(
    'image must be a Blob, bytes or a stream of bytes (for a file: `await openAsBlob(path)` of node:fs)',
  );
}

/** Reads a stream to its end, because it can be read once only and an attempt may be repeated. */
export async function readPicture(piece: string | Content): Promise<string | Blob> {
  if (typeof piece === 'string' || piece instanceof Blob) return piece;
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  try {
    for await (const chunk of piece as AsyncIterable<unknown>) {
      if (!ArrayBuffer.isView(chunk)) throw new TypeError('a chunk is not a Uint8Array');
      bytes += chunk.byteLength;
      if (bytes > longestStream) throw invalidArgument('image must have at most 5 MB');
      chunks.push(chunk as Uint8Array<ArrayBuffer>);
    }
  } catch (error) {
    throw error instanceof OfferAdsError ? error : invalidArgument('image could not be read', error);
  }
  return new Blob(chunks);
}

/** Some runtimes cannot iterate over a ReadableStream. */
async function* chunksOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel();
  }
}
