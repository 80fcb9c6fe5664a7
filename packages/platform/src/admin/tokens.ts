/**
 * Who may use the admin routes (ADR 23). Each person and each program has its own token. From it a different credential is derived
 * for each service. A service stores only names and the SHA-256 of the credentials that it accepts.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { ServiceName } from '@offer-ads/contracts/values/primitives';

/** Who accepts credentials: the services for their admin routes, the console for its sign-in. */
export type AdminAudience = ServiceName | 'console';

/** At least 32 characters, so that it cannot be guessed. No comma and no blank, because these separate entries of a list. */
export const tokenPattern = /^[!-+\--~]{32,200}$/;
/** Audit logs show this name. */
export const namePattern = /^[a-z0-9][a-z0-9.@_-]{0,63}$/;

/** The credential that the owner of the token sends to one service. It is useless elsewhere and does not reveal the token. */
export function adminCredential(token: string, audience: AdminAudience): string {
  return createHmac('sha256', token).update(`offer-ads admin ${audience}`).digest('base64url');
}

/** `ann:HASH`: an entry for the settings of the service that is to accept the token. */
export function hashEntry(name: string, token: string, audience: AdminAudience): string {
  return entryOf(name, adminCredential(token, audience));
}

/** The same entry, made from the credential. */
export function entryOf(name: string, credential: string): string {
  return `${name}:${sha256(credential).toString('hex')}`;
}

export type NamedHashes = {
  /** The owner's name, or null. Takes the same time for every input. */
  readonly nameOf: (credential: string) => string | null;
  /** Whether this person's credential with this hash is still accepted. */
  readonly has: (name: string, hash: Buffer) => boolean;
  readonly names: ReadonlySet<string>;
};

export type ParsedHashes = { ok: true; hashes: NamedHashes } | { ok: false; problem: string };

/** `ann:HASH,bo:HASH`. While somebody's token is being replaced, the list has two entries for them. */
export function parseTokenHashes(setting: string): ParsedHashes {
  const entries: { readonly name: string; readonly hash: Buffer }[] = [];
  for (const [index, part] of setting.split(',').entries()) {
    const [name = '', hex = ''] = part.split(/:(.*)/s);
    // Never quotes the text: somebody may have put a token here by mistake.
    const where = `entry ${index + 1}`;
    if (!namePattern.test(name))
      return wrong(`${where} must begin with a name of lower case letters, digits, ".", "@", "_" or "-"`);
    if (!/^[0-9a-f]{64}$/.test(hex))
      return wrong(`${where} must have a hash of 64 hexadecimal digits, as \`admin token create\` prints it`);
    const hash = Buffer.from(hex, 'hex');
    if (entries.some((entry) => entry.hash.equals(hash)))
      return wrong(`${where} has the same hash as another entry: audit logs could not tell the two apart`);
    entries.push({ name, hash });
  }
  // Always compares all entries, so that the time does not depend on the match.
  const matching = (hash: Buffer) => entries.filter((entry) => timingSafeEqual(entry.hash, hash));
  return {
    ok: true,
    hashes: {
      nameOf: (credential) => matching(sha256(credential))[0]?.name ?? null,
      has: (name, hash) => matching(hash).some((entry) => entry.name === name),
      names: new Set(entries.map(({ name }) => name)),
    },
  };
}

export function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function wrong(problem: string) {
  return { ok: false, problem } as const;
}
