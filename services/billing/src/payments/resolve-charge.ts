/**
 * Resolves the charge of an abandoned creation: the offer or group is either charged or closed for ever, so that no late charge can follow
 * (decision 11, abandoned creations).
 */
import type { ResolveChargeReply } from '@offer-ads/contracts/internal/billing-api';
import type { Deadline } from '@offer-ads/platform/calls/deadline';
import type { Billing } from '../billing.ts';
import { purchaseName } from '../domain/payments/card-payment.ts';
import { paidAt, purchaseOf, type SaleOfBook } from '../domain/payments/offer-payment.ts';
import { closeCheckout } from './close-checkout.ts';
import { paymentUrl } from './payment-link.ts';
import { findPayment } from './payments-store.ts';

export async function resolveCharge(
  billing: Billing,
  sale: SaleOfBook,
  deadline: Deadline,
): Promise<ResolveChargeReply> {
  const closing = await closeCheckout(billing, sale, deadline);
  if (closing !== 'paid') return { outcome: closing };
  const purchase = purchaseOf(sale);
  const payment = await findPayment(billing.postgres, purchase);
  const at = payment && paidAt(payment);
  if (!payment?.method || !at) throw new Error(`${purchaseName(purchase)} is paid but has no payment`);
  return {
    outcome: 'charged',
    paymentMethod: payment.method,
    paymentUrl: payment.method === 'E' ? paymentUrl(billing, payment) : null,
    netMinor: `${payment.netMinor}`,
    vatMinor: `${payment.vatMinor}`,
    paidAt: at.toISOString(),
  };
}
