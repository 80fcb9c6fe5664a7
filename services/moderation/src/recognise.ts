/** By what a picture is known: names for itself, fingerprints for its copies. */
import { createHash } from 'node:crypto';
import { serviceUnavailable } from '@offer-ads/platform/faults';
import { fingerprintsOf } from './domain/fingerprint.ts';
import { budgetMs, type CleanPicture, cleanPicture, looksAt, Unopenable } from './pictures.ts';
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

/** Of a picture that a person brings, whatever it is: no model is asked. Rejects with a 503 when there was no time to open it. */
export async function recognise(
  bytes: Uint8Array,
  forMs = budgetMs,
): Promise<{ ok: true; picture: PictureFacts } | { ok: false; reason: 'unreadable' }> {
  try {
    const clean = await cleanPicture(bytes, forMs);
    if (!clean.ok) return { ok: false, reason: 'unreadable' };
    const looks = await looksAt(clean.picture);
    return { ok: true, picture: factsOf(sha256(bytes), clean.picture, looks) };
  } catch (error) {
    if (error instanceof Unopenable) return { ok: false, reason: 'unreadable' };
    throw serviceUnavailable('the picture could not be opened in time', error);
  }
}
