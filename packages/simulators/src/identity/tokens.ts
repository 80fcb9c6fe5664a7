/** The keys of the sign-in simulator, and its ID tokens with the faults that a test asks for. */
import { createHmac } from 'node:crypto';
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import { z } from 'zod';

export const identityFaults = z.strictObject({
  /** Replace claims of the ID token; null removes one. */
  claims: z.record(z.string(), z.unknown()).optional(),
  /** `other-key`: signed with a key that is not published, under the id of a published one. `HS256-of-key`: keyed with the published key. */
  signature: z.enum(['none', 'HS256', 'HS256-of-key', 'other-key']).optional(),
  /** How long each reply to the console takes. */
  slowMs: z.int().min(0).max(60_000).optional(),
  /** Replies to the console have this many more bytes. */
  padding: z
    .int()
    .min(0)
    .max(64 * 2 ** 20)
    .optional(),
  /** Replies to the console have this status. */
  status: z.int().min(400).max(599).optional(),
});
export type IdentityFaults = z.infer<typeof identityFaults>;

export type SigningKeys = {
  readonly published: () => { keys: JWK[] };
  /** A new key signs from now on, and the old one is no longer published. */
  readonly rotate: () => Promise<void>;
  readonly sign: (claims: Record<string, unknown>, faults: IdentityFaults, secret: string) => Promise<string>;
};

export async function createSigningKeys(): Promise<SigningKeys> {
  let made = 0;
  const newKey = async () => {
    const { privateKey, publicKey } = await generateKeyPair('RS256');
    made += 1;
    const jwk = { ...(await exportJWK(publicKey)), kid: `key-${made}`, alg: 'RS256', use: 'sig' };
    return { privateKey, jwk };
  };
  let current = await newKey();
  return {
    published: () => ({ keys: [current.jwk] }),
    rotate: async () => void (current = await newKey()),
    sign: async (claims, { signature }, secret) => {
      if (signature === 'none') return `${encoded({ alg: 'none' })}.${encoded(claims)}.`;
      if (signature === 'HS256') return hmacToken(claims, secret);
      if (signature === 'HS256-of-key') return hmacToken(claims, JSON.stringify(current.jwk));
      const key = signature === 'other-key' ? (await newKey()).privateKey : current.privateKey;
      return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: current.jwk.kid }).sign(key);
    },
  };
}

function hmacToken(claims: object, key: string): string {
  const content = `${encoded({ alg: 'HS256' })}.${encoded(claims)}`;
  return `${content}.${createHmac('sha256', key).update(content).digest('base64url')}`;
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
