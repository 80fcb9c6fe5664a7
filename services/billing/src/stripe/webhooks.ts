/** Reads Stripe's webhooks: an event is accepted only if Stripe signed it, recently, for the right mode. */
import { type Mode, mode as modeSchema } from '@offer-ads/contracts/values/primitives';
import { allSecrets } from '@offer-ads/platform/config/secrets';
import { Stripe } from 'stripe';
import type { StripeAccount } from './calls.ts';
import type { StripeAccounts } from './client.ts';
import { readEvent, type StripeEventReading } from './read-event.ts';

/** `unsigned`: forged, altered, too old, or signed with another secret. */
export type WebhookReading = StripeEventReading | { readonly ok: false; readonly reason: 'unsigned' };

/** Stripe's recommended limit against replays; Stripe signs each retry anew. */
const TOLERANCE_SECONDS = 300;

/** Pairs of name and value. On a part without a value, the SDK throws an unexpected error instead of refusing it. */
const isSignature = /^[^=,]+=[^=,][^,]*(,[^=,]+=[^=,][^,]*)*$/;

/** `body` is the unparsed bytes of the request: any re-encoding would break the signature. */
export function readWebhook(
  stripe: StripeAccounts,
  body: Buffer,
  signature: string,
  now: Date,
): WebhookReading {
  const mode = signerOf(stripe, body, signature, now);
  return mode === undefined ? { ok: false, reason: 'unsigned' } : readEvent(parsed(body), mode);
}

/** The mode of the account whose secret signed the body. */
function signerOf(stripe: StripeAccounts, body: Buffer, signature: string, now: Date): Mode | undefined {
  if (!isSignature.test(signature)) return undefined;
  return modeSchema.options.find((mode) =>
    allSecrets(stripe[mode].webhookSecret).some((secret) =>
      isSigned(stripe[mode], body, signature, secret, now),
    ),
  );
}

function isSigned(
  { client }: StripeAccount,
  body: Buffer,
  signature: string,
  secret: string,
  now: Date,
): boolean {
  try {
    const receivedAt = now.getTime();
    const { signature: signatures } = client.webhooks;
    return (
      signatures?.verifyHeader(body, signature, secret, TOLERANCE_SECONDS, undefined, receivedAt) === true
    );
  } catch (error) {
    if (error instanceof Stripe.errors.StripeSignatureVerificationError) return false;
    throw error;
  }
}

/** Text that is not JSON is read as a string, which is an unreadable event. */
function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return body.toString();
  }
}
