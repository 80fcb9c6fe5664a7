/** Checkout Sessions: opens, retrieves and expires them, in billing's types. */
import { type Mode, offerId, organisationId } from '@offer-ads/contracts/values/primitives';
import type { Deadline } from '@offer-ads/platform/calls/deadline';
import { serviceUnavailable } from '@offer-ads/platform/process/faults';
import { Stripe } from 'stripe';
import { z } from 'zod';
import {
  type CardPayment,
  type Purchase,
  purchaseName,
  type Receipt,
} from '../domain/payments/card-payment.ts';
import { callStripe, isRefusal, isSpentKey } from './calls.ts';
import type { StripeAccounts } from './client.ts';
import { forgetVatRate, vatRateId } from './tax-rate.ts';

export type OpenedSession =
  | { readonly kind: 'opened'; readonly sessionId: string; readonly url: string | null }
  /** Below Stripe's own minimum; our table of minimums may be older (decision 14, card minimums). */
  | { readonly kind: 'too-small' }
  /** The stored expiry is now too soon for Stripe. No session exists under this key, so a later generation may be tried. */
  | { readonly kind: 'too-late' }
  /**
   * Stripe has stored a failure under this key and only repeats it. If Stripe made a session under it after all, no payer ever reached it:
   * payers get only sessions on record. So a later generation may be tried.
   */
  | { readonly kind: 'spent' }
  /** Refused for another reason, which a retry would not change. No session exists. */
  | { readonly kind: 'refused'; readonly reason: string };

/** The state of a session at Stripe. */
export type SessionFacts = {
  /** `missing`: the account of our key has no such session. */
  readonly status: 'open' | 'complete' | 'expired' | 'missing';
  readonly isPaid: boolean;
  /** Null if billing did not create the session. */
  readonly receipt: Receipt | null;
};

/**
 * Opens the session of the payment's current generation, or returns the existing one: every repeat sends exactly the same request, built
 * from stored data, with the same idempotency key. A 503 means that it is unknown whether the session exists.
 */
export async function openSession(
  stripe: StripeAccounts,
  payment: CardPayment,
  publicUrl: string,
  deadline: Deadline,
): Promise<OpenedSession> {
  const account = stripe[payment.book.mode];
  try {
    const taxRates = payment.vatMinor > 0n ? [await vatRateId(account, deadline)] : [];
    const session = await callStripe(account, deadline, (client, options) =>
      client.checkout.sessions.create(sessionParameters(payment, publicUrl, taxRates), {
        ...options,
        idempotencyKey: idempotencyKey(payment),
      }),
    );
    return { kind: 'opened', sessionId: session.id, url: session.url };
  } catch (error) {
    if (isSpentKey(error)) return { kind: 'spent' };
    if (isMissing(error)) {
      // Stripe no longer knows the cached tax rate: the retry finds or creates another.
      forgetVatRate(account);
      throw serviceUnavailable('stripe: something that the session needs is gone', error);
    }
    if (!isRefusal(error)) throw error;
    if (error.code === 'amount_too_small') return { kind: 'too-small' };
    if (error.param === 'expires_at') return { kind: 'too-late' };
    return { kind: 'refused', reason: error.message };
  }
}

export function retrieveSession(
  stripe: StripeAccounts,
  mode: Mode,
  sessionId: string,
  deadline: Deadline,
): Promise<SessionFacts> {
  return callStripe(stripe[mode], deadline, (client, options) =>
    client.checkout.sessions.retrieve(sessionId, {}, options),
  ).then(factsOf, missingOrThrow);
}

/** Makes sure that the session can no longer be paid, and returns its final state. */
export function expireSession(
  stripe: StripeAccounts,
  mode: Mode,
  sessionId: string,
  deadline: Deadline,
): Promise<SessionFacts> {
  return callStripe(stripe[mode], deadline, (client, options) =>
    client.checkout.sessions.expire(sessionId, {}, options),
  ).then(factsOf, (error: unknown) =>
    // Only an open session can be expired; this one was paid or has expired already.
    isRefusal(error) ? retrieveSession(stripe, mode, sessionId, deadline) : missingOrThrow(error),
  );
}

/** @throws a 503 if the session's state stays unknown, for example because the key may not read sessions */
function missingOrThrow(error: unknown): SessionFacts {
  // The session itself is unknown. A 404 without this code comes from a wrong address; a missing tax rate gives a 400.
  if (isMissing(error) && error instanceof Stripe.errors.StripeError && error.statusCode === 404) {
    return { status: 'missing', isPaid: false, receipt: null };
  }
  if (!(error instanceof Stripe.errors.StripeError)) throw error;
  throw serviceUnavailable(`stripe: ${error.type} ${error.code ?? ''} ${error.requestId ?? ''}`, error);
}

/** Contains the start of the link's token: after a restore, the database can give the same purchase id a second time. */
function idempotencyKey({ purchase, payToken, checkout }: CardPayment): string {
  const what = purchaseName(purchase).replace(' ', '-');
  return `${what}-${payToken.slice(0, 8)}-generation-${checkout.session.generation}`;
}

function sessionParameters(
  payment: CardPayment,
  publicUrl: string,
  taxRates: string[],
): Stripe.Checkout.SessionCreateParams {
  const { book, checkout, payToken, purchase } = payment;
  const metadata = {
    ...(purchase.kind === 'offer'
      ? { offer_id: `${purchase.offerId}` }
      : { top_up_id: `${purchase.topUpId}` }),
    organisation_id: `${book.organisationId}`,
    mode: book.mode,
    generation: `${checkout.session.generation}`,
  };
  const link = `${publicUrl}/pay/${payToken}`;
  return {
    mode: 'payment',
    payment_method_types: ['card'],
    // The card is charged in the organisation's billing currency only.
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

const sharedMetadata = {
  organisation_id: z.coerce.number().pipe(organisationId),
  generation: z.coerce.number().int().positive(),
};
const ourMetadata = z.union([
  z
    .object({ offer_id: z.coerce.number().pipe(offerId), ...sharedMetadata })
    .transform((ours) => ({ ...ours, purchase: { kind: 'offer', offerId: ours.offer_id } as Purchase })),
  z
    .object({ top_up_id: z.coerce.number().int().positive(), ...sharedMetadata })
    .transform((ours) => ({ ...ours, purchase: { kind: 'top-up', topUpId: ours.top_up_id } as Purchase })),
]);

export function factsOf(session: Stripe.Checkout.Session): SessionFacts {
  return {
    status: statusOf(session),
    isPaid: session.payment_status === 'paid',
    receipt: receiptOf(session),
  };
}

/** A status unknown to this version may still allow a payment, so it counts as open. */
function statusOf({ status }: Stripe.Checkout.Session): SessionFacts['status'] {
  if (status === 'complete') return 'complete';
  return status === 'expired' ? 'expired' : 'open';
}

function receiptOf(session: Stripe.Checkout.Session): Receipt | null {
  const ours = ourMetadata.safeParse(session.metadata);
  if (!ours.success || session.amount_total === null || session.currency === null) return null;
  return {
    sessionId: session.id,
    paymentIntentId: idOf(session.payment_intent),
    amountMinor: BigInt(session.amount_total),
    currency: session.currency.toUpperCase(),
    purchase: ours.data.purchase,
    organisationId: ours.data.organisation_id,
    // From the session and not from its metadata, because the account that got the money decides.
    mode: session.livemode ? 'LIVE' : 'TEST',
    generation: ours.data.generation,
  };
}

/** Stripe returns an id, or the whole object if it was expanded. */
export function idOf(reference: string | { readonly id: string } | null): string | null {
  return typeof reference === 'string' ? reference : (reference?.id ?? null);
}

function isMissing(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === 'resource_missing';
}
