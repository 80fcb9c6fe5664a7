/**
 * Who may use the admin routes (ADR 23). Each person and each program has one token of its own. Every service is sent another
 * credential made of it, and knows only the SHA-256 of those that it accepts, each with a name.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { ServiceName } from '@offer-ads/contracts/values/primitives';

/** Who takes a token: the services for their admin routes, the console for its sign-in. */
export type AdminAudience = ServiceName | 'console';

/** 32 characters: not to be guessed. Neither a comma nor a blank, which would part it in a list. */
export const tokenPattern = /^[!-+\--~]{32,200}$/;
/** It stands in audit logs. */
export const namePattern = /^[a-z0-9][a-z0-9.@_-]{0,63}$/;

/** What the owner of the token sends to one service. It opens nothing elsewhere, and does not give the token away. */
export function adminCredential(token: string, audience: AdminAudience): string {
  return createHmac('sha256', token).update(`offer-ads admin ${audience}`).digest('base64url');
}

/** `ann:HASH`, for the list of the service that shall accept the token. */
export function hashEntry(name: string, token: string, audience: AdminAudience): string {
  return entryOf(name, adminCredential(token, audience));
}

/** The same where the credential is at hand. */
export function entryOf(name: string, credential: string): string {
  return `${name}:${sha256(credential).toString('hex')}`;
}

export type NamedHashes = {
  /** Whose credential it is, or null. Takes the same time whatever was sent. */
  readonly nameOf: (credential: string) => string | null;
  /** Whether the credential with this hash is still this person's. */
  readonly has: (name: string, hash: Buffer) => boolean;
};

export type ParsedHashes = { ok: true; hashes: NamedHashes } | { ok: false; problem: string };

/** `ann:HASH,bo:HASH`; somebody whose token is replaced stands there twice meanwhile. */
export function parseTokenHashes(setting: string): ParsedHashes {
  const entries: { readonly name: string; readonly hash: Buffer }[] = [];
  for (const [index, part] of setting.split(',').entries()) {
    const [name = '', hex = ''] = part.split(/:(.*)/s);
    // Never the text itself, which may be a token in the wrong place.
    const where = `entry ${index + 1}`;
    if (!namePattern.test(name))
      return wrong(`${where} must begin with a name of lower case letters, digits, ".", "@", "_" or "-"`);
    if (!/^[0-9a-f]{64}$/.test(hex))
      return wrong(`${where} must have a hash of 64 hexadecimal digits, as \`admin token create\` prints it`);
    const hash = Buffer.from(hex, 'hex');
    if (entries.some((entry) => entry.hash.equals(hash)))
      return wrong(`${where} has the hash of another entry, and nobody could tell who it was`);
    entries.push({ name, hash });
  }
  // Every entry is compared, whether one was found or not.
  const matching = (hash: Buffer) => entries.filter((entry) => timingSafeEqual(entry.hash, hash));
  return {
    ok: true,
    hashes: {
      nameOf: (credential) => matching(sha256(credential))[0]?.name ?? null,
      has: (name, hash) => matching(hash).some((entry) => entry.name === name),
    },
  };
}

export function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function wrong(problem: string) {
  return { ok: false, problem } as const;
}
