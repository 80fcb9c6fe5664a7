/** Removes the chunks of a PNG that its pixels do not need, by their headers: texts and profiles can inflate to gigabytes. */

/**
 * Kept besides the critical chunks: transparency, colour profile, rotation, and the density, which the encoder writes anyway. A cleaned
 * picture therefore stays the same when it is cleaned again.
 */
const keptKinds: ReadonlySet<string> = new Set(['tRNS', 'iCCP', 'eXIf', 'pHYs']);
/** Profiles have a few kilobytes; the decoder inflates none to more than 8 MB. */
const maxAncillaryBytes = 2 ** 20;

const signatureEnd = 8;
/** Length and type before the data, a checksum after it. */
const frameBytes = 12;

/** Keeps each ancillary kind at most once. A truncated chunk stays as it is, and the decoder refuses it. */
export function essentialPng(bytes: Uint8Array): Uint8Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const kept = [bytes.subarray(0, signatureEnd)];
  const ancillaryKinds = new Set<string>();
  let at = signatureEnd;
  for (let end = 0; at + frameBytes <= bytes.length; at = end) {
    const dataBytes = view.getUint32(at);
    end = at + frameBytes + dataBytes;
    const kind = String.fromCharCode(...bytes.subarray(at + 4, at + 8));
    const isNeeded =
      isCritical(kind) ||
      (keptKinds.has(kind) && !ancillaryKinds.has(kind) && dataBytes <= maxAncillaryBytes);
    if (isNeeded) kept.push(bytes.subarray(at, end));
    if (kind === 'IEND') break;
    if (isNeeded && !isCritical(kind)) ancillaryKinds.add(kind);
  }
  return Buffer.concat(kept);
}

/** Bit 5 of the first letter makes it a lower-case letter and marks a chunk that a decoder may ignore. */
function isCritical(kind: string): boolean {
  return (kind.charCodeAt(0) & 0x20) === 0;
}
