/** Who of the platform's own people may sign in to the console, and by which tokens: the setting CONSOLE_STAFF. */
import {
  adminCredential,
  type ParsedHashes,
  parseTokenHashes,
  sha256,
} from '@offer-ads/platform/admin/tokens';

/** Removed means out at once: a session is worth nothing once its `proof` is no longer among these. */
export type Staff = {
  /** What the session keeps of the token, or null. Takes the same time whoever asks, with whatever. */
  readonly prove: (name: string, token: string) => Buffer | null;
  readonly has: (name: string, proof: Buffer) => boolean;
};

export type ParsedStaff = { ok: true; staff: Staff } | Extract<ParsedHashes, { ok: false }>;

/** `ann:HASH,bo:HASH`, hashes of tokens as the services have them for their admin routes. */
export function parseStaff(setting: string): ParsedStaff {
  const parsed = parseTokenHashes(setting);
  if (!parsed.ok) return parsed;
  const { has } = parsed.hashes;
  const prove: Staff['prove'] = (name, token) => {
    const proof = sha256(adminCredential(token, 'console'));
    return has(name, proof) ? proof : null;
  };
  return { ok: true, staff: { has, prove } };
}

export const nobody: Staff = { prove: () => null, has: () => false };
