/** Fingerprints in the stores' format: one after the other, 64 bytes each. */
import { type Fingerprint, fingerprintWords } from '../domain/fingerprint.ts';

export function packed(fingerprints: readonly Fingerprint[]): Buffer {
  return Buffer.concat(
    fingerprints.map(({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength)),
  );
}

export function unpacked(bytes: Uint8Array): readonly Fingerprint[] {
  // A copy, because an Int32Array must start at a multiple of four bytes.
  const words = new Int32Array(Uint8Array.from(bytes).buffer);
  return Array.from({ length: words.length / fingerprintWords }, (_, index) =>
    words.subarray(index * fingerprintWords, (index + 1) * fingerprintWords),
  );
}
