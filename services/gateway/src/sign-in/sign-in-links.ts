/** Creates one-time links, to sign in and for invitations. */
import type { Transaction } from '@offer-ads/platform/postgres/postgres';
import { type LinkPurpose, linkExpiry, signInUrl } from '../domain/accounts/sign-in-link.ts';
import { addressOfPerson, insertLink } from './sign-in-store.ts';
import { newToken, sha256OfToken } from './sign-in-tokens.ts';

export type IssuedLink = { readonly url: string; readonly expiresAt: Date };

/**
 * The token exists only in the url: write the url into the event of the same transaction and nowhere else, above all into no reply and no
 * log. Earlier links of the person stay valid until one of them is used.
 */
export async function issueSignInLink(
  tx: Transaction,
  o: { personId: number; purpose: LinkPurpose; at: Date; publicUrl: string },
): Promise<IssuedLink> {
  const email = await addressOfPerson(tx, o.personId);
  if (email === null) throw new Error(`a link for person ${o.personId}, who does not exist`);
  const token = newToken();
  const expiresAt = linkExpiry(o.purpose, o.at);
  await insertLink(tx, {
    sha256: sha256OfToken(token),
    personId: o.personId,
    email,
    purpose: o.purpose,
    at: o.at,
    expiresAt,
  });
  return { url: signInUrl(o.publicUrl, token), expiresAt };
}
