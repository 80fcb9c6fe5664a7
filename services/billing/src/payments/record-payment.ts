/** Records a card payment that Stripe reports by webhook or in answer to a request: it is posted once, or stored with its problem. */
import { BalanceToppedUp, OfferPaid } from '@offer-ads/contracts/events/billing';
import { vatParts } from '@offer-ads/contracts/values/vat-parts';
import { newEvent } from '@offer-ads/platform/messaging/events';
import { addToOutbox } from '@offer-ads/platform/messaging/outbox';
import type { Transaction } from '@offer-ads/platform/postgres/postgres';
import { postCharges } from '../balance/charge-offer.ts';
import { creditUnusedTime, whollyUnused } from '../balance/credit-offer.ts';
import type { Billing } from '../billing.ts';
import type { Seller } from '../domain/invoices/invoice.ts';
import { paidByCard } from '../domain/ledger/card-ledger.ts';
import { movesMoney } from '../domain/ledger/ledger.ts';
import {
  type CardPayment,
  purchaseName,
  type Receipt,
  type ReceiptProblem,
  receiptProblem,
} from '../domain/payments/card-payment.ts';
import { isUnpayable, opened, paid } from '../domain/payments/checkout.ts';
import type { PaymentOutcome } from '../domain/payments/event-outcomes.ts';
import type { GroupOffer, Payment } from '../domain/payments/offer-payment.ts';
import { insertDueInvoice } from '../invoices/invoices-store.ts';
import { announceBalance, postOrThrow } from '../ledger/ledger-store.ts';
import { postReversalsOf } from '../reversals/record-reversal.ts';
import type { SessionFacts } from '../stripe/read-event.ts';
import { isRecordedProblem, recordOutcome, recordProviderEvent } from '../webhooks/provider-events-store.ts';
import { earlierSession, saveCheckout } from './checkouts-store.ts';
import { listGroupOffers, lockPaymentOf, markOffersCharged } from './payments-store.ts';

export type Issuing = {
  readonly seller: Seller;
  /** When it is booked. */
  readonly now: Date;
  /** When the payer paid, as far as it is known. After an outage it may be weeks earlier. */
  readonly paidAt: Date;
};

/**
 * A payment is posted together with its invoice.
 * @param payment that of the receipt, locked as by `lockPaymentOf`
 */
export async function recordPayment(
  tx: Transaction,
  payment: Payment | undefined,
  receipt: Receipt,
  { seller, now, ...reported }: Issuing,
): Promise<PaymentOutcome> {
  const { purchase, paymentIntentId } = receipt;
  const problem = receiptProblem(payment, receipt, await earlierSession(tx, payment, receipt));
  if (problem !== null) return problem;
  // `receiptProblem` returns a problem for every other payment.
  const unpaid = payment as CardPayment;
  if (unpaid.checkout.paidAt !== null) return 'paid-before';

  // Stripe's clock may be ahead.
  const paidAt = reported.paidAt < now ? reported.paidAt : now;
  // The webhook can arrive before the response that contains the session id.
  const checkout = paid(opened(unpaid.checkout, { ...receipt, url: null }), paidAt);
  const paidPayment = { ...unpaid, checkout, paymentIntentId };
  await saveCheckout(tx, purchase, checkout, now, receipt);
  const post = purchase.kind === 'offer' ? postPaidOffer : postForBalance;
  const invoiced = await post(tx, paidPayment, now);
  await insertDueInvoice(tx, { ...invoiced, paidAt, seller, issuedAt: now });
  if (paymentIntentId !== null) await postReversalsOf(tx, paidPayment, paymentIntentId, now);
  return 'paid';
}

/** Publishes the payment for the offers service. */
async function postPaidOffer(tx: Transaction, payment: CardPayment, now: Date) {
  const offer = { ...payment, offerId: payment.purchase.id };
  const transaction = paidByCard(payment);
  if (movesMoney(transaction)) await postOrThrow(tx, transaction, now);
  await addToOutbox(tx, [offerPaid(payment, offer, now)]);
  // A closed checkout has no offer to run, so the price goes to the balance at once (decision 7, late card payments). The offers service
  // reports the same Unused Time later; that changes nothing, because credits are cumulative.
  if (payment.checkout.state === 'closed') await creditUnusedTime(tx, payment, whollyUnused, now);
  return { ...offer, kind: 'offer' as const, cause: transaction.cause };
}

type PaidOffer = { readonly offerId: number; readonly netMinor: bigint; readonly vatMinor: bigint };

const inJson = ({ offerId, netMinor, vatMinor }: PaidOffer) => ({
  offerId,
  netMinor: `${netMinor}`,
  vatMinor: `${vatMinor}`,
});

function offerPaid(
  { book, checkout }: CardPayment,
  offer: PaidOffer,
  at: Date,
  together?: readonly PaidOffer[],
) {
  return newEvent(OfferPaid, {
    subject: `offer/${offer.offerId}`,
    subjectVersion: 1,
    at,
    data: {
      ...book,
      ...inJson(offer),
      paidAt: (checkout.paidAt ?? at).toISOString(),
      ...(together && { together: together.map(inJson) }),
    },
  });
}

/**
 * The net goes to the balance, even if the checkout was closed meanwhile. That of a group is taken from it again at once for its offers. A
 * group whose page was closed has none to run, so its payment is a top-up (decision 7, late card payments).
 */
async function postForBalance(tx: Transaction, payment: CardPayment, now: Date) {
  const { book, purchase, checkout } = payment;
  const transaction = paidByCard(payment);
  const invoiced = { ...payment, offerId: null, cause: transaction.cause };
  const offers = purchase.kind === 'group' ? await listGroupOffers(tx, purchase.id) : [];
  const posted = await postOrThrow(tx, transaction, now);
  if (purchase.kind === 'group' && checkout.state !== 'closed') {
    await markOffersCharged(tx, purchase.id, checkout.paidAt ?? now);
    await postCharges(tx, { book, offers }, 0n, now);
    await addToOutbox(tx, offersPaid(payment, offers, now));
  } else {
    const facts = {
      netMinor: `${payment.netMinor}`,
      vatMinor: `${payment.vatMinor}`,
      method: 'card',
    } as const;
    await announceBalance(tx, BalanceToppedUp, { book, posted, at: now }, facts);
  }
  return purchase.kind === 'group'
    ? { ...invoiced, kind: 'group' as const, offers }
    : { ...invoiced, kind: 'top-up' as const, title: null };
}

function offersPaid(payment: CardPayment, offers: readonly GroupOffer[], now: Date) {
  const parts = vatParts(
    offers.map(({ netMinor }) => netMinor),
    payment.vatMinor,
  );
  const paidOffers = offers.map((offer, index) => ({ ...offer, vatMinor: parts[index] ?? 0n }));
  return paidOffers.map((offer) => offerPaid(payment, offer, now, paidOffers));
}

/**
 * Applies what Stripe says of the latest session of a checkout: for callers who have asked about it, or have expired it. A payment that is
 * found is recorded. `unpayable`: the session can certainly not be paid any more.
 */
export async function applySessionFacts(
  billing: Billing,
  payment: CardPayment,
  { status, isPaid, receipt }: SessionFacts,
): Promise<{ readonly unpayable: boolean; readonly recorded: PaymentOutcome | null }> {
  const { session } = payment.checkout;
  const recorded =
    isPaid && receipt !== null ? await recordFoundPayment(billing, receipt, session.expiresAt) : null;
  if (status === 'missing') {
    const { sessionId, expiresAt } = session;
    // The key belongs to another account, or test data were deleted at Stripe.
    billing.logger.warn(
      { purchase: purchaseName(payment.purchase), mode: payment.book.mode, sessionId, expiresAt },
      'the card provider does not know a session of ours: it counts as over ten minutes after its end',
    );
  }
  return { unpayable: isUnpayable(session, status, billing.clock.now()), recorded };
}

/**
 * For a payment that was found by asking Stripe and not reported by a webhook. A problem is also stored in the inbox, and reported once.
 * @param paidBefore the end of the session, because a session does not say when it was paid
 */
async function recordFoundPayment(
  billing: Billing,
  receipt: Receipt,
  paidBefore: Date,
): Promise<PaymentOutcome> {
  const now = billing.clock.now();
  const { recorded, isNew } = await billing.postgres.transaction(async (tx) => {
    const payment = await lockPaymentOf(tx, receipt);
    const recorded = await recordPayment(tx, payment, receipt, {
      seller: billing.seller,
      now,
      paidAt: paidBefore,
    });
    return { recorded, isNew: !isProblem(recorded) || (await storeProblem(tx, receipt, recorded, now)) };
  });
  if (isNew) reportPayment(billing, receipt, recorded);
  return recorded;
}

/** False if the problem was stored before. */
async function storeProblem(
  tx: Transaction,
  receipt: Receipt,
  problem: ReceiptProblem,
  now: Date,
): Promise<boolean> {
  if (await isRecordedProblem(tx, receipt.sessionId, problem)) return false;
  const eventId = `found ${receipt.sessionId}`;
  const found = { eventId, mode: receipt.mode, type: 'found when asked', receipt };
  const isNew = await recordProviderEvent(tx, found, now);
  await recordOutcome(tx, eventId, problem);
  return isNew;
}

export function isProblem(recorded: PaymentOutcome): recorded is ReceiptProblem {
  return recorded !== 'paid' && recorded !== 'paid-before';
}

/** A payment that cannot be applied needs a person. The alert reads this log line. */
export function reportPayment(billing: Billing, receipt: Receipt, recorded: PaymentOutcome): void {
  const { purchase, sessionId, mode, currency, generation } = receipt;
  billing.meters.payments.inc({ outcome: recorded });
  if (recorded === 'paid')
    billing.meters.charged.inc(
      { mode, currency, method: 'card', purchase: purchase.kind },
      Number(receipt.amountMinor),
    );
  if (!isProblem(recorded)) return;
  billing.logger.error(
    { purchase, sessionId, generation, currency, amountMinor: `${receipt.amountMinor}`, problem: recorded },
    'a card payment cannot be applied and waits for a person',
  );
}
