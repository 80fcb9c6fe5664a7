/** The stable link of a card payment (decision 12); the same in every answer and every mail. */
import { randomBytes } from 'node:crypto';

/** 192 random bits: the link is the payer's only credential. */
const PAY_TOKEN_BYTES = 24;

export function newPayToken(): string {
  return randomBytes(PAY_TOKEN_BYTES).toString('base64url');
}

export function paymentUrl(
  { publicUrl }: { readonly publicUrl: string },
  { payToken }: { readonly payToken: string },
): string {
  return `${publicUrl}/pay/${payToken}`;
}
