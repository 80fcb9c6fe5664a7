/** The interface of the store of cleaned pictures, and the names of pictures. */
import { createHash, randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { VerdictReply } from '@offer-ads/contracts/internal/moderation-api';

export type PictureType = Extract<VerdictReply, { verdict: 'allowed' }>['contentType'];

export const extensions = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/gif': 'gif',
} as const satisfies Record<PictureType, string>;

/** Stores bytes under names. An aborted signal ends the wait for an answer; it does not cut a body that is being read. */
export type ImageStore = AsyncDisposable & {
  /** Atomic, and durable once it resolves. It replaces an existing picture of that name. */
  readonly put: (name: string, picture: Uint8Array, signal: AbortSignal) => Promise<void>;
  /** Null if there is no such picture. The caller must read the body to its end or destroy it. */
  readonly read: (name: string, signal: AbortSignal) => Promise<StoredImage | null>;
  /** Resolves also if there is no such picture. */
  readonly remove: (name: string, signal?: AbortSignal) => Promise<void>;
  /** All our names in the store, page by page, including unfinished writes. */
  readonly list: () => AsyncIterable<readonly string[]>;
  /** The id of the database that the store belongs to; null if it has none yet. */
  readonly readMark: (signal?: AbortSignal) => Promise<string | null>;
  readonly writeMark: (databaseId: string, signal?: AbortSignal) => Promise<void>;
};

export type StoredImage = { readonly sizeBytes: number; readonly bytes: Readable };

/** At most this many names in a page of `list`. */
export const PAGE_OF_NAMES = 1_000;

/** The object, beside the pictures, that holds the id of the database that the store belongs to. */
export const MARK = 'belongs-to-database';

/** The same for the same bytes, whoever uploads them. */
export function contentOf(picture: Uint8Array, type: PictureType): string {
  return `${createHash('sha256').update(picture).digest('hex')}.${extensions[type]}`;
}

/** The hash of the cleaned picture; every name begins with it. */
export function hashOf(name: string): string {
  return name.slice(0, 64);
}

/**
 * A name that is used only once. A late removal can therefore not delete a picture that was stored again meanwhile, because that one has
 * another name.
 */
export function newImageName(content: string): string {
  return content.replace('.', `-${randomBytes(8).toString('hex')}.`);
}

/** The type of a stored picture, from its name. */
export function pictureTypeOf(name: string): PictureType {
  const known = Object.entries(extensions).find(([, extension]) => name.endsWith(`.${extension}`));
  if (known === undefined) throw new Error('not the name of a stored picture');
  return known[0] as PictureType;
}

/** No other name is ever looked up, so no name can lead anywhere else. */
export function isImageName(name: string): boolean {
  return /^[0-9a-f]{64}-[0-9a-f]{16}\.(jpg|png|gif)$/.test(name);
}
