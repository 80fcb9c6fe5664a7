/** Checkout Sessions: opens, retrieves and expires them, in billing's types. */
import type { Mode } from '@offer-ads/contracts/values/primitives';
import type { Deadline } from '@offer-ads/platform/calls/deadline';
import { serviceUnavailable } from '@offer-ads/platform/process/faults';
import { Stripe } from 'stripe';
import { type CardPayment, purchaseName } from '../domain/payments/card-payment.ts';
import { callStripe, isRefusal, isSpentKey } from './calls.ts';
import type { StripeAccounts } from './client.ts';
import { factsOf, metadataKey, type SessionFacts } from './read-event.ts';
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

type AskSession = readonly [stripe: StripeAccounts, mode: Mode, sessionId: string, deadline: Deadline];

async function askAbout([stripe, mode, sessionId, deadline]: AskSession, how: 'retrieve' | 'expire') {
  const session = await callStripe(stripe[mode], deadline, ({ checkout }, options) =>
    checkout.sessions[how](sessionId, {}, options),
  );
  return factsOf(session, mode);
}

export function retrieveSession(...asked: AskSession): Promise<SessionFacts> {
  return askAbout(asked, 'retrieve').catch(missingOrThrow);
}

/** Makes sure that the session can no longer be paid, and returns its final state. */
export function expireSession(...asked: AskSession): Promise<SessionFacts> {
  // Only an open session can be expired; one that Stripe refuses was paid or has expired already.
  return askAbout(asked, 'expire').catch((error: unknown) =>
    isRefusal(error) ? retrieveSession(...asked) : missingOrThrow(error),
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
    [metadataKey(purchase.kind)]: `${purchase.id}`,
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

function isMissing(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === 'resource_missing';
}
