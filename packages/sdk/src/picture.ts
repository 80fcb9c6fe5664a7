/** The pictures of offers as parts of a body that can be sent more than once. */
import { invalidArgument, type OfferAdsError } from './error.ts';
import type { Picture, Pictures } from './types.ts';

/** More than the service accepts for all pictures of a form (5 MB), so that every accepted form can be sent again. Bounds the memory for streams. */
const keptBytes = 6 * 1_024 * 1_024;

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

export type Content = Blob | AsyncIterable<Uint8Array>;

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

export type ReplayableStream = {
  /** Returns all chunks from the first one, at every call. */
  readonly open: () => AsyncGenerator<Uint8Array>;
  /** False when more was read than is stored. */
  readonly canOpenAgain: () => boolean;
  /** The error of the source; a retry cannot help. */
  readonly failure: () => OfferAdsError | undefined;
  /** Call it when no further attempt follows. */
  readonly close: () => void;
};

/**
 * Reads each chunk once from the source and stores it, so that an attempt can be repeated from the beginning although the source cannot.
 */
export function replayable(source: AsyncIterator<unknown>): ReplayableStream {
  const kept = new Map<number, Promise<Uint8Array | undefined>>();
  let bytes = 0;
  let tooLong = false;
  let failure: OfferAdsError | undefined;

  async function read(): Promise<Uint8Array | undefined> {
    try {
      const { done, value } = await source.next();
      if (done === true) return undefined;
      if (!ArrayBuffer.isView(value)) throw new TypeError('a chunk is not a Uint8Array');
      bytes += value.byteLength;
      tooLong ||= bytes > keptBytes;
      return value as Uint8Array;
    } catch (error) {
      failure = invalidArgument('image could not be read', error);
      throw failure;
    }
  }
  return {
    async *open() {
      for (let index = 0; ; index += 1) {
        const reading = kept.get(index) ?? read();
        kept.set(index, reading);
        const chunk = await reading;
        if (chunk === undefined) return;
        yield chunk;
        if (tooLong) kept.clear();
      }
    },
    canOpenAgain: () => !tooLong && failure === undefined,
    failure: () => failure,
    close: () => {
      source.return?.().catch(() => {});
    },
  };
}

/** Some runtimes cannot iterate over a ReadableStream. */
export async function* chunksOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
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
