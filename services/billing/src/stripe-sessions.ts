/** Checkout Sessions: opened, asked about and expired, in billing's own words. */
import { offerId, organisationId } from '@offer-ads/contracts/primitives';
import type { Deadline } from '@offer-ads/platform/deadline';
import type { Stripe } from 'stripe';
import { z } from 'zod';
import type { CardPayment, Receipt } from './domain/offer-payment.ts';
import { isRefusal, type StripeAccounts, stripeUnavailable, withinDeadline } from './stripe-client.ts';
import { forgetVatRate, vatRateId } from './stripe-tax-rate.ts';

export type OpenedSession =
  | { readonly kind: 'opened'; readonly sessionId: string; readonly url: string | null }
  /** Stripe's own minimum; ours is a table that may be older (decision 14). */
  | { readonly kind: 'too-small' }
  /** The stored expiry is too near by now. No session exists under this key, so a later generation may be tried. */
  | { readonly kind: 'too-late' }
  /** Refused for another reason, which no repeat would change. No session exists. */
  | { readonly kind: 'refused'; readonly reason: string };

/** What Stripe knows of a session. */
export type SessionFacts = {
  readonly status: 'open' | 'complete' | 'expired';
  readonly isPaid: boolean;
  /** Null when the session is none of ours. */
  readonly receipt: Receipt | null;
};

/**
 * The session of the payment's present generation: made when it is not there yet, the same one when it is. Repeats ask
 * for exactly the same, from what is stored, under the same key. A 503 means that it is not known whether it exists.
 */
export async function openSession(
  stripe: StripeAccounts,
  payment: CardPayment,
  publicUrl: string,
  deadline: Deadline,
): Promise<OpenedSession> {
  const { client } = stripe[payment.book.mode];
  try {
    const taxRates = payment.vatMinor > 0n ? [await vatRateId(client, deadline)] : [];
    const session = await client.checkout.sessions.create(sessionParameters(payment, publicUrl, taxRates), {
      ...withinDeadline(deadline),
      idempotencyKey: idempotencyKey(payment),
    });
    return { kind: 'opened', sessionId: session.id, url: session.url };
  } catch (error) {
    // The tax rate that was remembered is gone: the repeat finds or makes another.
    if (isMissing(error)) forgetVatRate(client);
    if (isMissing(error) || !isRefusal(error)) throw stripeUnavailable(error);
    if (error.code === 'amount_too_small') return { kind: 'too-small' };
    if (error.param === 'expires_at') return { kind: 'too-late' };
    return { kind: 'refused', reason: error.message };
  }
}

export async function retrieveSession(
  stripe: StripeAccounts,
  mode: Receipt['mode'],
  sessionId: string,
  deadline: Deadline,
): Promise<SessionFacts> {
  try {
    const { client } = stripe[mode];
    return factsOf(await client.checkout.sessions.retrieve(sessionId, {}, withinDeadline(deadline)));
  } catch (error) {
    throw stripeUnavailable(error);
  }
}

/** Makes sure that the session can no longer be paid, and tells what it has come to. */
export async function expireSession(
  stripe: StripeAccounts,
  mode: Receipt['mode'],
  sessionId: string,
  deadline: Deadline,
): Promise<SessionFacts> {
  try {
    const { client } = stripe[mode];
    return factsOf(await client.checkout.sessions.expire(sessionId, {}, withinDeadline(deadline)));
  } catch (error) {
    // Only an open session can be expired: this one is paid or over already.
    if (isRefusal(error)) return retrieveSession(stripe, mode, sessionId, deadline);
    throw stripeUnavailable(error);
  }
}

/** The start of the link's secret keeps apart what databases of different days have numbered alike. */
function idempotencyKey({ offerId, payToken, checkout }: CardPayment): string {
  return `offer-${offerId}-${payToken.slice(0, 8)}-generation-${checkout.session.generation}`;
}

function sessionParameters(
  payment: CardPayment,
  publicUrl: string,
  taxRates: string[],
): Stripe.Checkout.SessionCreateParams {
  const { book, checkout, payToken } = payment;
  const metadata = {
    offer_id: `${payment.offerId}`,
    organisation_id: `${book.organisationId}`,
    mode: book.mode,
    generation: `${checkout.session.generation}`,
  };
  const link = `${publicUrl}/pay/${payToken}`;
  return {
    mode: 'payment',
    allowed_payment_method_types: ['card'],
    // The card is charged in the organisation's billing currency and no other.
    adaptive_pricing: { enabled: false },
    line_items: [
      {
        quantity: 1,
        price_data: {
          currency: book.currency.toLowerCase(),
          unit_amount: Number(payment.netMinor),
          product_data: { name: payment.title },
        },
        ...(taxRates.length > 0 && { tax_rates: taxRates }),
      },
    ],
    metadata,
    payment_intent_data: { metadata },
    expires_at: checkout.session.expiresAt.getTime() / 1_000,
    success_url: `${link}/thanks`,
    cancel_url: `${link}/cancelled`,
  };
}

const ourMetadata = z.object({
  offer_id: z.coerce.number().pipe(offerId),
  organisation_id: z.coerce.number().pipe(organisationId),
  generation: z.coerce.number().int().positive(),
});

export function factsOf(session: Stripe.Checkout.Session): SessionFacts {
  return {
    status: statusOf(session),
    isPaid: session.payment_status === 'paid',
    receipt: receiptOf(session),
  };
}

/** A status that this version does not know promises nothing, so the session counts as open. */
function statusOf({ status }: Stripe.Checkout.Session): SessionFacts['status'] {
  if (status === 'complete') return 'complete';
  return status === 'expired' ? 'expired' : 'open';
}

function receiptOf(session: Stripe.Checkout.Session): Receipt | null {
  const ours = ourMetadata.safeParse(session.metadata);
  if (!ours.success || session.amount_total === null || session.currency === null) return null;
  return {
    sessionId: session.id,
    amountMinor: BigInt(session.amount_total),
    currency: session.currency.toUpperCase(),
    offerId: ours.data.offer_id,
    organisationId: ours.data.organisation_id,
    // Not from the metadata: which account it was paid to is what counts.
    mode: session.livemode ? 'LIVE' : 'TEST',
    generation: ours.data.generation,
  };
}

function isMissing(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === 'resource_missing';
}
