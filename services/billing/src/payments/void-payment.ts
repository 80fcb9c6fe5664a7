/** Takes back the payment of an offer that no longer exists because the offers database was restored from an older backup. */
import type { VoidReply } from '@offer-ads/contracts/internal/payments-api';
import { creditUnusedTime, whollyUnused } from '../balance/credit-offer.ts';
import type { Billing } from '../billing.ts';
import { paidAt, purchaseOf } from '../domain/payments/offer-payment.ts';
import { stripeDeadline } from '../stripe/client.ts';
import { closeCheckout } from './close-checkout.ts';
import { findPayment, lockPayment } from './payments-store.ts';

/** Undefined if the offer has no payment. A group that was not paid is closed as a whole. The amount goes to the balance, never back to a card (price rule 7). */
export async function voidPayment(
  billing: Billing,
  offerId: number,
): Promise<VoidReply['outcome'] | undefined> {
  const payment = await findPayment(billing.postgres, purchaseOf({ offerId }));
  if (payment === undefined) return undefined;
  const { groupId, book } = payment;
  const sale = groupId !== null && paidAt(payment) === null ? { groupId, book } : { offerId, book };
  const closing = await closeCheckout(billing, sale, stripeDeadline());
  if (closing !== 'paid') return closing;
  await billing.postgres.transaction(async (tx) => {
    const paid = await lockPayment(tx, payment.purchase);
    if (paid !== undefined) await creditUnusedTime(tx, paid, whollyUnused, billing.clock.now());
  });
  return 'credited';
}
