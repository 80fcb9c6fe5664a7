/** Computes what recognises a picture: names for itself, fingerprints for its copies. */
import { createHash } from 'node:crypto';
import { fingerprintsOf } from '../domain/fingerprint.ts';
import { Unopenable } from '../domain/picture-limits.ts';
import type { Slot } from '../verdicts/admission.ts';
import type { CleanPicture } from './pictures.ts';
import type { PictureFacts } from './pictures-store.ts';

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

export function factsOf(
  contentHash: string,
  { type, frames, bytes }: CleanPicture,
  looks: readonly Uint8Array[],
): PictureFacts {
  return {
    contentHash,
    cleanHash: sha256(bytes),
    type,
    frames,
    fingerprints: looks.flatMap((look) => fingerprintsOf(look)),
  };
}

/** A picture that is known, as it was cleaned now: another version of the encoder may have written other bytes than before. */
export function factsCleanedAgain(known: PictureFacts, { frames, bytes }: CleanPicture): PictureFacts {
  const cleanHash = sha256(bytes);
  if (cleanHash === known.cleanHash) return known;
  const earlierCleanHashes = [...(known.earlierCleanHashes ?? []), known.cleanHash];
  return { ...known, cleanHash, earlierCleanHashes, frames };
}

/** For a picture that a person uploads for a decision; the model is not asked. Rejects with a 422 if opening it took too long. */
export async function recognise(
  bytes: Uint8Array,
  { decoder, signal }: Pick<Slot, 'decoder' | 'signal'>,
): Promise<{ ok: true; picture: PictureFacts } | { ok: false; reason: 'unreadable' }> {
  try {
    const { picture, looks } = await decoder.run('clean', [bytes], signal);
    return {
      ok: true,
      picture: factsOf(sha256(bytes), picture, looks ?? (await decoder.run('looks', [], signal))),
    };
  } catch (error) {
    if (error instanceof Unopenable) return { ok: false, reason: 'unreadable' };
    throw error;
  }
}
