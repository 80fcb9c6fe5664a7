/**
 * Refunds and disputes at the card provider. Each is stored once and posted once, in whatever order its events and the payment's events
 * arrive, and a refund has its credit note once. A person decides who bears the amount.
 */
import type { Transaction } from '@offer-ads/platform/postgres/postgres';
import { creditWithheld } from '../balance/credit-offer.ts';
import type { Billing } from '../billing.ts';
import { creditNotesDue } from '../domain/invoices/credit-note.ts';
import {
  type OfReversal,
  paidByCard,
  returnedByProvider,
  settlementReturned,
  takenByProvider,
} from '../domain/ledger/card-ledger.ts';
import { movesMoney } from '../domain/ledger/ledger.ts';
import type { CardPayment } from '../domain/payments/card-payment.ts';
import type { ReversalOutcome } from '../domain/payments/event-outcomes.ts';
import {
  mergeReversal,
  type RecordedReversal,
  type Reversal,
  reversalsToPost,
} from '../domain/payments/reversal.ts';
import { findCreditNotes, insertDueCreditNote } from '../invoices/credit-notes-store.ts';
import { postOrThrow } from '../ledger/ledger-store.ts';
import { findCardPaymentByIntent, lockPayment } from '../payments/payments-store.ts';
import {
  findSettlement,
  lockIntent,
  lockReversal,
  lockReversalsOf,
  markGivenBack,
  markPosted,
  saveReversal,
} from './reversals-store.ts';

export async function recordReversal(
  tx: Transaction,
  reported: Reversal,
  now: Date,
): Promise<ReversalOutcome> {
  const { reversalId, mode, paymentIntentId } = reported;
  await lockIntent(tx, paymentIntentId ?? reversalId);
  const before = await lockReversal(tx, reversalId);
  const reversal = mergeReversal(before, reported);
  await saveReversal(tx, reversal, now);
  if (paymentIntentId === null) return 'reversal-of-unknown';
  const payment = await findCardPaymentByIntent(tx, mode, paymentIntentId);
  if (payment === undefined) return 'reversal-of-unknown';
  const offerId = await lockOfferOf(tx, payment);
  const posted = await postReversalsOf(tx, payment, paymentIntentId, now);
  if (reversal.returned && offerId !== null) await creditWithheld(tx, offerId, now);
  return posted.has(reversalId) ? 'reversal-booked' : outcomeUnposted(payment, reversal, before);
}

function outcomeUnposted(
  { book }: CardPayment,
  { currency, taken }: Reversal,
  before: RecordedReversal | undefined,
): ReversalOutcome {
  if (currency !== book.currency) return 'reversal-of-unknown';
  return taken && before?.takenPosted !== true ? 'reversal-too-large' : 'reversal-recorded';
}

/** Call before anything is posted, which locks the balance: credits also lock the offer's row first. Null for a group or a top-up. */
export async function lockOfferOf(tx: Transaction, { purchase }: CardPayment): Promise<number | null> {
  if (purchase.kind !== 'offer') return null;
  await lockPayment(tx, purchase);
  return purchase.id;
}

/**
 * Posts what is due of a payment's reversals, and issues their credit notes. The payment may have been recorded and invoiced in the same
 * transaction. Call `lockIntent` before anything is posted.
 * @returns the ids of those of which something was posted
 */
export async function postReversalsOf(
  tx: Transaction,
  payment: CardPayment,
  paymentIntentId: string,
  now: Date,
): Promise<ReadonlySet<string>> {
  const reversals = await lockReversalsOf(tx, payment.book.mode, paymentIntentId);
  if (reversals.length === 0) return new Set();
  const due = reversalsToPost(payment, reversals);
  for (const reversal of due) await postReversal(tx, payment, reversal, now);
  await issueCreditNotes(tx, payment, paymentIntentId, now);
  return new Set(due.map(({ reversalId }) => reversalId));
}

/** They get their numbers in the commit of `tx`, in the order of these calls, and after the invoice if `tx` issues it too. */
async function issueCreditNotes(
  tx: Transaction,
  payment: CardPayment,
  paymentIntentId: string,
  now: Date,
): Promise<void> {
  const { mode } = payment.book;
  const invoiceCause = paidByCard(payment).cause;
  const reversals = await lockReversalsOf(tx, mode, paymentIntentId);
  const issued = await findCreditNotes(tx, invoiceCause);
  for (const note of creditNotesDue(payment, reversals, issued))
    await insertDueCreditNote(tx, { ...note, mode, invoiceCause, issuedAt: now });
}

async function postReversal(
  tx: Transaction,
  payment: CardPayment,
  reversal: RecordedReversal,
  now: Date,
): Promise<void> {
  const facts = ofPayment(payment, reversal);
  const due = [
    ...(reversal.taken && !reversal.takenPosted ? [takenByProvider(facts)] : []),
    ...(reversal.returned && !reversal.returnedPosted ? [returnedByProvider(facts)] : []),
  ];
  for (const transaction of due.filter(movesMoney)) await postOrThrow(tx, transaction, now);
  if (reversal.returned) await giveBack(tx, facts, now);
  await markPosted(tx, reversal.reversalId, reversal);
}

export function ofPayment({ book, purchase }: CardPayment, reversal: Reversal): OfReversal {
  return { book, offerId: purchase.kind === 'offer' ? purchase.id : null, reversal };
}

/** If somebody was decided to bear the amount, that one gets it back. */
async function giveBack(tx: Transaction, facts: OfReversal, now: Date): Promise<void> {
  const settlement = await findSettlement(tx, facts.reversal.reversalId);
  if (settlement === undefined || settlement.givenBack) return;
  const transaction = settlementReturned(facts, settlement.borneBy);
  await postOrThrow(tx, transaction, now);
  await markGivenBack(tx, settlement.reversalId, transaction.cause);
}

/** A person must look at every refund and dispute. The alert reads this log line. */
export function reportReversal(billing: Billing, reversal: Reversal, outcome: ReversalOutcome): void {
  const { reversalId, kind, mode, currency, status } = reversal;
  billing.meters.reversals.inc({ kind, mode, outcome });
  billing.logger.error(
    { reversalId, kind, mode, currency, amountMinor: `${reversal.amountMinor}`, status, outcome },
    'the card provider takes money back, or returns it: a person decides what follows',
  );
}
