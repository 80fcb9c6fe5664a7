/** A place in the list of pictures, which is sorted by upload time, latest first. */
export type PicturePlace = { readonly at: Date; readonly contentHash: string };

export function writePlace({ at, contentHash }: PicturePlace): string {
  return `${at.getTime()}-${contentHash}`;
}

/** Null if the text is not a place. */
export function parsePlace(text: string): PicturePlace | null {
  const [, time, contentHash] = /^(\d{1,14})-([0-9a-f]{64})$/.exec(text) ?? [];
  return time === undefined || contentHash === undefined ? null : { at: new Date(Number(time)), contentHash };
}
