/** Where cleaned pictures lie, behind one small interface, and what they are called there. */
import { createHash, randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import { extensions, type PictureType } from './picture-types.ts';

/** Bytes under names. A signal ends the wait for an answer, not a body that is on its way. */
export type ImageStore = AsyncDisposable & {
  /** Whole or not at all, and for good once it resolves. What is there of that name is replaced. */
  readonly keep: (name: string, picture: Uint8Array, signal: AbortSignal) => Promise<void>;
  /** Null when there is none of that name. Whoever asks reads the bytes to their end or destroys them. */
  readonly read: (name: string, signal: AbortSignal) => Promise<StoredImage | null>;
  /** Content when there is none. */
  readonly remove: (name: string, signal?: AbortSignal) => Promise<void>;
  /** Page by page everything of ours that lies there, also what was never finished. */
  readonly list: () => AsyncIterable<readonly string[]>;
  /** The id of the database that the store belongs to; null while it has none. */
  readonly readMark: (signal?: AbortSignal) => Promise<string | null>;
  readonly writeMark: (databaseId: string, signal?: AbortSignal) => Promise<void>;
};

export type StoredImage = { readonly sizeBytes: number; readonly bytes: Readable };

/** At most this many names in a page of `list`. */
export const PAGE_OF_NAMES = 1_000;

/** What the mark of a store is called, beside the pictures. It holds the id of the database that the store belongs to. */
export const MARK = 'belongs-to-database';

/** The same for the same picture, whoever brings it. */
export function contentOf(picture: Uint8Array, type: PictureType): string {
  return `${createHash('sha256').update(picture).digest('hex')}.${extensions[type]}`;
}

/** Of the cleaned picture: what every name begins with. */
export function hashOf(name: string): string {
  return name.slice(0, 64);
}

/**
 * A name that was never given before and never will be again: a removal that arrives late cannot hit a picture that
 * was kept anew meanwhile, because that has another name.
 */
export function newImageName(content: string): string {
  return content.replace('.', `-${randomBytes(8).toString('hex')}.`);
}

/** Nothing else is ever looked up, so no name can lead anywhere else. */
export function isImageName(name: string): boolean {
  return /^[0-9a-f]{64}-[0-9a-f]{16}\.(jpg|png|gif)$/.test(name);
}
