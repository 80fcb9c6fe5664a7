/** Tokens of links and sessions: 256 random bits that are never stored; only their SHA-256 is. */
import { createHash, createHmac, randomBytes } from 'node:crypto';

/** 43 characters of base64url, which a cookie and the fragment of a link can hold. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** Whether a text has the form of a token; others need no look-up. */
export function isToken(text: string | undefined): text is string {
  return text !== undefined && /^[A-Za-z0-9_-]{43}$/.test(text);
}

/** The token is random and as long as the hash, so no salt and no slow hash is needed. */
export function sha256OfToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

export function newSalt(): Buffer {
  return randomBytes(32);
}

/** The next token: always the same for this token and salt, and unknown without both. */
export function followingToken(token: string, salt: Buffer): string {
  return createHmac('sha256', token).update(salt).digest('base64url');
}
