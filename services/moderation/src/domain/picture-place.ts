/** A place in the list of pictures, which lists those first that were uploaded last. */
export type PicturePlace = { readonly at: Date; readonly contentHash: string };

export function writePlace({ at, contentHash }: PicturePlace): string {
  return `${at.getTime()}-${contentHash}`;
}

/** Null for what was never written here. */
export function parsePlace(text: string): PicturePlace | null {
  const [, time, contentHash] = /^(\d{1,14})-([0-9a-f]{64})$/.exec(text) ?? [];
  return time === undefined || contentHash === undefined ? null : { at: new Date(Number(time)), contentHash };
}
