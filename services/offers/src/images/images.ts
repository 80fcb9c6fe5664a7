/** The interface of the store of cleaned pictures and their renditions, and the names of both. */
import { createHash, randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { VerdictReply } from '@offer-ads/contracts/internal/moderation-api';
import { type PictureSize, renditionWidths } from '@offer-ads/contracts/pictures/renditions';

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
};

export type StoredImage = { readonly sizeBytes: number; readonly bytes: Readable };

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
 * another name. It says the size, so that renditions can be offered without a look at the picture.
 */
export function newImageName(content: string, { width, height }: PictureSize): string {
  return content.replace('.', `-${randomBytes(8).toString('hex')}-${width}x${height}.`);
}

/** The type of a stored picture, from its name. */
export function pictureTypeOf(name: string): PictureType {
  const known = Object.entries(extensions).find(([, extension]) => name.endsWith(`.${extension}`));
  if (known === undefined) throw new Error('not the name of a stored picture');
  return known[0] as PictureType;
}

const named =
  /^(?<unique>[0-9a-f]{64}-[0-9a-f]{16}-(?<width>\d{1,5})x(?<height>\d{1,5}))(?:_(?<renditionWidth>\d{1,5}))?(?<type>\.(?:jpg|png|gif))$/;

/** Of a picture or a rendition. No other name is ever looked up, so no name can lead anywhere else. */
export function isImageName(name: string): boolean {
  return named.test(name);
}

/** The size that the name of a picture says. */
export function sizeOf(name: string): PictureSize {
  const { width, height } = partsOf(name);
  return { width: Number(width), height: Number(height) };
}

/** The name of a rendition begins with that of its picture, so that it is removed with it. */
export function renditionName(name: string, width: number): string {
  const { unique, type } = partsOf(name);
  return `${unique}_${width}${type}`;
}

/** The names of all renditions that a picture can have; none if it is not the name of a picture. */
export function renditionNames(name: string): readonly string[] {
  if (!isImageName(name) || renditionOf(name) !== null) return [];
  const { width } = sizeOf(name);
  return renditionWidths
    .filter((narrower) => narrower < width)
    .map((narrower) => renditionName(name, narrower));
}

/** The picture and the width of a rendition; null if it is not the name of a rendition. */
export function renditionOf(name: string): { readonly picture: string; readonly width: number } | null {
  const { unique, renditionWidth, type } = named.exec(name)?.groups ?? {};
  return renditionWidth === undefined ? null : { picture: `${unique}${type}`, width: Number(renditionWidth) };
}

/** The picture of a rendition; any other name itself. */
export function pictureOf(name: string): string {
  return renditionOf(name)?.picture ?? name;
}

function partsOf(name: string): Record<string, string | undefined> {
  const { groups } = named.exec(name) ?? {};
  if (groups === undefined) throw new Error('not the name of a stored picture');
  return groups;
}
