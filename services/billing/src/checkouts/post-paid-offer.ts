/** Posts the card payment of an offer and publishes it for the offers service. */
import { OfferPaid } from '@offer-ads/contracts/events/billing';
import { newEvent } from '@offer-ads/platform/messaging/events';
import { addToOutbox } from '@offer-ads/platform/messaging/outbox';
import type { Transaction } from '@offer-ads/platform/postgres/postgres';
import { creditUnusedTime, whollyUnused } from '../balance/credit-offer.ts';
import { movesMoney, offerPaidByCard } from '../domain/ledger/ledger.ts';
import type { OfferCardPayment } from '../domain/payments/offer-payment.ts';
import { postOrThrow } from '../ledger/ledger-store.ts';

/** The caller has locked the payment's row. Returns the content of the invoice. */
export async function postPaidOffer(tx: Transaction, payment: OfferCardPayment, now: Date) {
  const transaction = offerPaidByCard(payment.book, payment.offerId, payment);
  if (movesMoney(transaction)) await postOrThrow(tx, transaction, now);
  await addToOutbox(tx, [offerPaid(payment, now)]);
  // A closed checkout has no offer to run, so the price goes to the balance at once (decision 7, late card payments). The offers service
  // reports the same Unused Time later; that changes nothing, because credits are cumulative.
  if (payment.checkout.state === 'closed') await creditUnusedTime(tx, payment, whollyUnused, now);
  return { ...payment, kind: 'offer' as const, cause: transaction.cause };
}

function offerPaid({ book, ...payment }: OfferCardPayment, at: Date) {
  return newEvent(OfferPaid, {
    subject: `offer/${payment.offerId}`,
    subjectVersion: 1,
    at,
    data: {
      offerId: payment.offerId,
      ...book,
      netMinor: `${payment.netMinor}`,
      vatMinor: `${payment.vatMinor}`,
      paidAt: (payment.checkout.paidAt ?? at).toISOString(),
    },
  });
}
