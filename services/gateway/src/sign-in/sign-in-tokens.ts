/** Tokens of links and sessions: 256 random bits that nobody stores; what is stored is their SHA-256. */
import { createHash, createHmac, randomBytes } from 'node:crypto';

/** 43 characters of base64url: fit for a cookie and for the fragment of a link. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** Whether a text can be a token at all; anything else needs no look-up. */
export function isToken(text: string | undefined): text is string {
  return text !== undefined && /^[A-Za-z0-9_-]{43}$/.test(text);
}

/** The token is as long as the hash and random, so that no salt and no slow hash is needed. */
export function sha256OfToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

export function newSalt(): Buffer {
  return randomBytes(32);
}

/** The token that follows: the same whenever it is asked for, and only for who has both the token and the salt. */
export function followingToken(token: string, salt: Buffer): string {
  return createHmac('sha256', token).update(salt).digest('base64url');
}
