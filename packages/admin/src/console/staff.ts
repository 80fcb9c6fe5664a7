/** The staff who may sign in with an emergency token, with the hashes of their tokens: the setting CONSOLE_BREAK_GLASS. */
import {
  adminCredential,
  type ParsedHashes,
  parseTokenHashes,
  sha256,
} from '@offer-ads/platform/admin/tokens';

/** A session is valid only while its `proof` is in this list, so a removed person is signed out at once. */
export type Staff = {
  /** Returns the proof that the session stores, or null. Takes the same time for every input. */
  readonly prove: (name: string, token: string) => Buffer | null;
  readonly has: (name: string, proof: Buffer) => boolean;
  readonly knows: (name: string) => boolean;
};

export type ParsedStaff = { ok: true; staff: Staff } | Extract<ParsedHashes, { ok: false }>;

/** `ann:HASH,bo:HASH`, in the format of the services' ADMIN_TOKEN_HASHES. */
export function parseStaff(setting: string): ParsedStaff {
  const parsed = parseTokenHashes(setting);
  if (!parsed.ok) return parsed;
  const { has, names } = parsed.hashes;
  const prove: Staff['prove'] = (name, token) => {
    const proof = sha256(adminCredential(token, 'console'));
    return has(name, proof) ? proof : null;
  };
  return { ok: true, staff: { has, prove, knows: (name) => names.has(name) } };
}

export const nobody: Staff = { prove: () => null, has: () => false, knows: () => false };
