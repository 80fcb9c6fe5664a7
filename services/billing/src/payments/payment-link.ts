/**
 * The stable link of a card payment (decision 12, stable payment link): the same in every answer and every mail. It works until it is
 * paid or its offer ends or is deleted, for a top-up until `topUpExpiry` (domain/payments/checkout.ts, domain/payments/top-up.ts).
 */
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
