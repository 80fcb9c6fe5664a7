/** Reads Stripe's webhooks: an event is accepted only if Stripe signed it, recently, for the right mode. */
import { type Mode, mode as modeSchema } from '@offer-ads/contracts/values/primitives';
import { allSecrets } from '@offer-ads/platform/config/secrets';
import { Stripe } from 'stripe';
import type { Reversal } from '../domain/payments/reversal.ts';
import type { StripeAccounts } from './client.ts';
import { reversalOf } from './reversals.ts';
import { factsOf, type SessionFacts } from './sessions.ts';

export type ProviderEvent = {
  readonly eventId: string;
  readonly type: string;
  readonly mode: Mode;
  readonly createdAt: Date;
  /** The session, refund or dispute of the event; null if the event is about something else. */
  readonly content: EventContent | null;
};

type EventContent =
  | { readonly kind: 'completed' | 'ended'; readonly session: SessionFacts }
  | { readonly kind: 'reversal'; readonly reversal: Reversal };

export type WebhookReading =
  | { readonly ok: true; readonly event: ProviderEvent }
  /** `unsigned`: forged, altered, too old, or signed with another secret. `wrong-mode`: genuine, but of the other mode. */
  | { readonly ok: false; readonly reason: 'unsigned' | 'wrong-mode' };

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
  if (!isSignature.test(signature)) return { ok: false, reason: 'unsigned' };
  for (const mode of modeSchema.options) {
    const event = verified(stripe, mode, body, signature, now);
    if (event === undefined) continue;
    if (event.livemode !== (mode === 'LIVE')) return { ok: false, reason: 'wrong-mode' };
    return { ok: true, event: providerEventOf(event, mode) };
  }
  return { ok: false, reason: 'unsigned' };
}

/** @param mode the mode of the account that the event belongs to */
export function providerEventOf(event: Stripe.Event, mode: Mode): ProviderEvent {
  const { id: eventId, type, created } = event;
  return { eventId, type, mode, createdAt: new Date(created * 1_000), content: contentOf(event, mode) };
}

function verified(
  stripe: StripeAccounts,
  mode: Mode,
  body: Buffer,
  signature: string,
  now: Date,
): Stripe.Event | undefined {
  const { client, webhookSecret } = stripe[mode];
  for (const secret of allSecrets(webhookSecret)) {
    try {
      return client.webhooks.constructEvent(
        body,
        signature,
        secret,
        TOLERANCE_SECONDS,
        undefined,
        now.getTime(),
      );
    } catch (error) {
      if (!(error instanceof Stripe.errors.StripeSignatureVerificationError)) throw error;
    }
  }
  return undefined;
}

function contentOf(event: Stripe.Event, mode: Mode): EventContent | null {
  if (
    event.type === 'checkout.session.completed' ||
    event.type === 'checkout.session.async_payment_succeeded'
  ) {
    return { kind: 'completed', session: factsOf(event.data.object) };
  }
  if (event.type === 'checkout.session.expired' || event.type === 'checkout.session.async_payment_failed') {
    return { kind: 'ended', session: factsOf(event.data.object) };
  }
  const reversal = reversalOf(event, mode);
  return reversal && { kind: 'reversal', reversal };
}
