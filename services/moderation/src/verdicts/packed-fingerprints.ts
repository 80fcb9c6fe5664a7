/** Fingerprints as the stores keep them: one behind the other, 64 bytes each. */
import { type Fingerprint, fingerprintWords } from '../domain/fingerprint.ts';

export function packed(fingerprints: readonly Fingerprint[]): Buffer {
  return Buffer.concat(
    fingerprints.map(({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength)),
  );
}

export function unpacked(bytes: Uint8Array): readonly Fingerprint[] {
  // A copy, because words must lie at places that are divisible by four.
  const words = new Int32Array(Uint8Array.from(bytes).buffer);
  return Array.from({ length: words.length / fingerprintWords }, (_, index) =>
    words.subarray(index * fingerprintWords, (index + 1) * fingerprintWords),
  );
}
