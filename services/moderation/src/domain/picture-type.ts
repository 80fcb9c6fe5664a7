/** The type of a picture by its bytes; names and headers that callers send are never believed (decision 18). */

export type PictureType = 'jpeg' | 'png' | 'gif';

const signatures: readonly { readonly type: PictureType; readonly starts: string }[] = [
  { type: 'jpeg', starts: '\xff\xd8\xff' },
  { type: 'png', starts: '\x89PNG\r\n\x1a\n' },
  { type: 'gif', starts: 'GIF87a' },
  { type: 'gif', starts: 'GIF89a' },
];

/** Undefined for everything that the specification does not take ("Limits": JPG, PNG, GIF). */
export function pictureTypeOf(bytes: Uint8Array): PictureType | undefined {
  const start = String.fromCharCode(...bytes.subarray(0, 8));
  return signatures.find((signature) => start.startsWith(signature.starts))?.type;
}
