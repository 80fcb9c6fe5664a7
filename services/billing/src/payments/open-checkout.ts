/**
 * The card checkout of an offer or a group. First the row is stored, then Stripe is called, then the answer is stored (rule: no network call inside a
 * transaction). After a failure in between, a repeat continues the same generation with the same idempotency key.
 */
import type { CheckoutReply, ExceededLimit } from '@offer-ads/contracts/internal/billing-api';
import { cardMaximumMinor, cardMinimumMinor, isBilledCurrency } from '@offer-ads/contracts/values/currencies';
import type { Deadline } from '@offer-ads/platform/calls/deadline';
import { Fault, serviceUnavailable } from '@offer-ads/platform/process/faults';
import type { Billing } from '../billing.ts';
import { vatOnCardPayment } from '../domain/invoices/vat.ts';
import { type CardPayment, purchaseName } from '../domain/payments/card-payment.ts';
import { newCheckout } from '../domain/payments/checkout.ts';
import {
  isOfGroup,
  isSameSale,
  type OfferSale,
  type Order,
  purchaseOf,
  type Sale,
} from '../domain/payments/offer-payment.ts';
import { conflictingSale } from '../faults.ts';
import { insertCheckout } from './checkouts-store.ts';
import { ensureSession } from './ensure-session.ts';
import { newPayToken, paymentUrl } from './payment-link.ts';
import { hasSameOffers, insertGroupOffers, lockPayment } from './payments-store.ts';
import { lockSpending } from './spending-store.ts';

export type CheckoutOrder<S extends Sale = OfferSale> = Order<S> & {
  readonly country: string;
  readonly offerExpiryAt: Date;
};

export async function openCheckout(
  billing: Billing,
  order: CheckoutOrder<Sale>,
  deadline: Deadline,
): Promise<CheckoutReply> {
  const minimumMinor = requireMinimum(order.book.currency);
  if (order.netMinor < minimumMinor) return belowMinimum(minimumMinor);
  const grossMinor = order.netMinor + vatOnCardPayment(order.netMinor, order.country);
  if (grossMinor > cardMaximumMinor(order.book.currency)) {
    return { outcome: 'refused', reason: 'above-maximum', minimumMinor: null };
  }
  const payment = await reserve(billing, order, deadline);
  if (payment === 'closed') return closedForEver;
  if ('per' in payment)
    return { outcome: 'refused', reason: 'above-limit', minimumMinor: null, exceeded: payment };
  const ready = await ensureSession(billing, payment, deadline);
  if (ready === 'too-small') return belowMinimum(minimumMinor);
  // Stripe's answer may take so long that offers asks billing to resolve the charge meanwhile.
  if (isClosed(ready)) return closedForEver;
  return {
    outcome: 'opened',
    paymentUrl: paymentUrl(billing, payment),
    netMinor: `${payment.netMinor}`,
    vatMinor: `${payment.vatMinor}`,
  };
}

/**
 * The offers service refuses these currencies earlier (`E6`). Billing checks again: an amount in a currency without decimals would be
 * charged 100 times.
 */
function requireMinimum(currency: string): bigint {
  const minimumMinor = cardMinimumMinor(currency);
  if (minimumMinor === undefined || !isBilledCurrency(currency)) {
    throw new Fault(`checkout asked for in ${currency}, which is not billed`, {
      status: 400,
      publicMessage: `${currency} is not a billed currency`,
    });
  }
  return minimumMinor;
}

async function reserve(
  billing: Billing,
  order: CheckoutOrder<Sale>,
  deadline: Deadline,
): Promise<CardPayment | ExceededLimit | 'closed'> {
  const { book, title, netMinor, spending } = order;
  const purchase = purchaseOf(order);
  const name = purchaseName(purchase);
  const now = billing.clock.now();
  const vatMinor = vatOnCardPayment(netMinor, order.country);
  return billing.postgres.transaction(async (tx) => {
    const checkout = newCheckout(order.offerExpiryAt, now);
    const exceeded = await lockSpending(tx, { ...order, costMinor: netMinor + vatMinor }, now);
    if (exceeded !== null) return exceeded;
    const id = isOfGroup(order) ? { groupId: order.groupId } : { offerId: order.offerId };
    const sale = { of: { ...id, spender: spending.spender }, book, title, netMinor, vatMinor };
    const inserted = await insertCheckout(tx, { ...sale, payToken: newPayToken() }, checkout, now);
    if (inserted !== undefined && isOfGroup(order)) await insertGroupOffers(tx, order, null);
    const payment = await lockPayment(tx, purchase);
    if (payment === undefined) throw serviceUnavailable(`checkout of ${name} vanished, ask again`);
    if (payment.method === null) return 'closed';
    const isSame = isSameSale(payment, order) && (await hasSameOffers(tx, order));
    if (payment.method !== 'E' || !isSame) throw conflictingSale(name);
    return isClosed(payment) ? 'closed' : payment;
  }, deadline);
}

/** A request to resolve the charge may still be running. An offer must not be returned with a link that is about to close. */
function isClosed({ purchase, checkout }: CardPayment): boolean {
  if (checkout.state === 'closing') throw serviceUnavailable(`${purchaseName(purchase)} is being closed`);
  return checkout.state === 'closed';
}

const closedForEver: CheckoutReply = { outcome: 'refused', reason: 'closed', minimumMinor: null };

function belowMinimum(minimumMinor: bigint): CheckoutReply {
  return { outcome: 'refused', reason: 'below-minimum', minimumMinor: `${minimumMinor}` };
}
