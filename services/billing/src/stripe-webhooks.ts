/** Reading Stripe's webhooks: only what Stripe itself has signed, recently, for the right mode, is an event. */
import { type Mode, mode as modeSchema } from '@offer-ads/contracts/primitives';
import { Stripe } from 'stripe';
import type { StripeAccounts } from './stripe-client.ts';
import { factsOf, type SessionFacts } from './stripe-sessions.ts';

export type ProviderEvent = {
  readonly eventId: string;
  readonly type: string;
  readonly mode: Mode;
  /** What the event says of a session; null when it is about something else. */
  readonly news: { readonly kind: 'completed' | 'over'; readonly session: SessionFacts } | null;
};

export type WebhookReading =
  | { readonly ok: true; readonly event: ProviderEvent }
  /** `unsigned`: forged, altered, too old, or signed for nobody here. `wrong-mode`: genuine, but of the other mode. */
  | { readonly ok: false; readonly reason: 'unsigned' | 'wrong-mode' };

/** Stripe's own recommendation against replays; its retries are signed anew. */
const TOLERANCE_SECONDS = 300;

/** `body` is the exact bytes that arrived: any re-encoding would break the signature. */
export function readWebhook(
  stripe: StripeAccounts,
  body: Buffer,
  signature: string,
  now: Date,
): WebhookReading {
  for (const mode of modeSchema.options) {
    const event = verified(stripe, mode, body, signature, now);
    if (event === undefined) continue;
    if (event.livemode !== (mode === 'LIVE')) return { ok: false, reason: 'wrong-mode' };
    return { ok: true, event: { eventId: event.id, type: event.type, mode, news: newsOf(event) } };
  }
  return { ok: false, reason: 'unsigned' };
}

function verified(
  stripe: StripeAccounts,
  mode: Mode,
  body: Buffer,
  signature: string,
  now: Date,
): Stripe.Event | undefined {
  const { client, webhookSecret } = stripe[mode];
  try {
    return client.webhooks.constructEvent(
      body,
      signature,
      webhookSecret,
      TOLERANCE_SECONDS,
      undefined,
      now.getTime(),
    );
  } catch (error) {
    if (error instanceof Stripe.errors.StripeSignatureVerificationError) return undefined;
    throw error;
  }
}

function newsOf(event: Stripe.Event): ProviderEvent['news'] {
  if (
    event.type === 'checkout.session.completed' ||
    event.type === 'checkout.session.async_payment_succeeded'
  ) {
    return { kind: 'completed', session: factsOf(event.data.object) };
  }
  if (event.type === 'checkout.session.expired' || event.type === 'checkout.session.async_payment_failed') {
    return { kind: 'over', session: factsOf(event.data.object) };
  }
  return null;
}
