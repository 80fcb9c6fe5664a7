/**
 * Opens a top-up of the prepaid balance by card: the net amount goes to the balance, VAT is added (decision 13, VAT). Once per idempotency key;
 * a refusal stores nothing, so the key can be used again.
 */

import type { CardTopUpReply } from '@offer-ads/contracts/internal/billing-api';
import { cardMinimumMinor } from '@offer-ads/contracts/values/currencies';
import type { Refused } from '@offer-ads/contracts/values/refused';
import type { Deadline } from '@offer-ads/platform/calls/deadline';
import type { Billing } from '../billing.ts';
import { vatOnCardPayment } from '../domain/invoices/vat.ts';
import { type Book, isSameBook } from '../domain/ledger/ledger.ts';
import type { CardPayment } from '../domain/payments/card-payment.ts';
import { newCheckout } from '../domain/payments/checkout.ts';
import { type TopUpRefusal, tooManyOpen, topUpExpiry, topUpProblem } from '../domain/payments/top-up.ts';
import { insertCheckout } from './checkouts-store.ts';
import { ensureSession } from './ensure-session.ts';
import { newPayToken, paymentUrl } from './payment-link.ts';
import { lockTopUpByKey, lockTopUpsOf, openTopUpsOf } from './top-ups-store.ts';

export type TopUpOrder = {
  readonly book: Book;
  readonly idempotencyKey: string;
  readonly netMinor: bigint;
};

export type TopUpOutcome =
  | { readonly ok: true; readonly reply: CardTopUpReply }
  | Refused<TopUpRefusal | { readonly reason: 'different-payload' }>;

/** @throws a 503 if Stripe does not answer; a repeat with the same key continues */
export async function openTopUp(
  billing: Billing,
  order: TopUpOrder & { readonly country: string },
  deadline: Deadline,
): Promise<TopUpOutcome> {
  const { netMinor, book } = order;
  const vatMinor = vatOnCardPayment(netMinor, order.country);
  const problem = topUpProblem({ currency: book.currency, netMinor, vatMinor });
  if (problem !== null) return { ok: false, ...problem };
  const payment = await reserve(billing, { ...order, vatMinor }, deadline);
  if ('reason' in payment) return { ok: false, ...payment };
  const ready = await ensureSession(billing, payment, deadline);
  if (ready === 'too-small') {
    const minimumMinor = cardMinimumMinor(book.currency) ?? 0n;
    return { ok: false, reason: 'below-minimum', minimumMinor, currency: book.currency };
  }
  // The amounts of the first request: VAT is that of the first day, even if the organisation's country has changed since.
  return {
    ok: true,
    reply: {
      topUpId: payment.purchase.id,
      paymentUrl: paymentUrl(billing, payment),
      currency: book.currency,
      netMinor: `${payment.netMinor}`,
      vatMinor: `${payment.vatMinor}`,
      expiresAt: payment.checkout.expiryAt.toISOString(),
    },
  };
}

async function reserve(
  billing: Billing,
  order: TopUpOrder & { readonly vatMinor: bigint },
  deadline: Deadline,
): Promise<CardPayment | TopUpRefusal | { readonly reason: 'different-payload' }> {
  const now = billing.clock.now();
  const { book, netMinor, vatMinor, idempotencyKey } = order;
  return billing.postgres.transaction(async (tx) => {
    await lockTopUpsOf(tx, book);
    const known = await lockTopUpByKey(tx, book, idempotencyKey);
    if (known !== undefined)
      return isSameBook(known.book, book) && known.netMinor === netMinor
        ? known
        : { reason: 'different-payload' };
    const problem = tooManyOpen(await openTopUpsOf(tx, book, now));
    if (problem !== null) return problem;
    const checkout = newCheckout(topUpExpiry(now), now);
    const topUp = { of: { idempotencyKey }, book, title: 'Prepaid balance', netMinor, vatMinor };
    const payment = await insertCheckout(tx, { ...topUp, payToken: newPayToken() }, checkout, now);
    if (payment === undefined) throw new Error(`the top-up of key ${idempotencyKey} was not inserted`);
    return payment;
  }, deadline);
}
