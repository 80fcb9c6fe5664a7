/** Payment method `B`: the price leaves the prepaid balance, once per offer id, whatever is repeated. */
import type { ChargeReply } from '@offer-ads/contracts/billing-api';
import { BalanceLow } from '@offer-ads/contracts/billing-events';
import { newEvent } from '@offer-ads/platform/events';
import { addToOutbox } from '@offer-ads/platform/outbox';
import type { Postgres, Transaction } from '@offer-ads/platform/postgres';
import { balanceSubject } from './balance-events.ts';
import { type Book, movesMoney, offerCharged } from './domain/ledger.ts';
import { isSameSale } from './domain/offer-payment.ts';
import { conflictingSale } from './faults.ts';
import { type Booking, balanceOf, book } from './ledger-store.ts';
import { deletePayment, insertCharge, lockPayment } from './payments-store.ts';

export type Charge = {
  readonly offerId: number;
  readonly book: Book;
  readonly title: string;
  readonly netMinor: bigint;
};

export async function chargeOffer(postgres: Postgres, charge: Charge, now: Date): Promise<ChargeReply> {
  return postgres.transaction(async (tx) => {
    const isNew = await insertCharge(tx, charge, now);
    return isNew ? chargeBalance(tx, charge, now) : repeatCharge(tx, charge);
  });
}

async function chargeBalance(tx: Transaction, charge: Charge, now: Date): Promise<ChargeReply> {
  const transaction = offerCharged(charge.book, charge.offerId, charge.netMinor);
  if (!movesMoney(transaction)) return charged(now, await balanceOf(tx, charge.book));
  const booking = await book(tx, transaction, now);
  if (!booking.booked) {
    await deletePayment(tx, charge.offerId);
    return refused('balance-too-low', await balanceOf(tx, charge.book));
  }
  await announceLowBalance(tx, charge, booking, now);
  return charged(now, booking.balance.minor);
}

async function repeatCharge(tx: Transaction, charge: Charge): Promise<ChargeReply> {
  const payment = await lockPayment(tx, charge.offerId);
  const balanceMinor = await balanceOf(tx, charge.book);
  if (payment?.method === null) return refused('closed', balanceMinor);
  if (payment?.method !== 'B' || !isSameSale(payment, charge)) throw conflictingSale(charge.offerId);
  return charged(payment.chargedAt, balanceMinor);
}

/** Told by the charge that crosses the threshold, and not again by those after it. */
async function announceLowBalance(
  tx: Transaction,
  charge: Charge,
  { balance, transactionId }: Extract<Booking, { booked: true }>,
  now: Date,
): Promise<void> {
  if (balance.lowThresholdMinor === null) return;
  const crosses =
    balance.minor < balance.lowThresholdMinor && balance.minor + charge.netMinor >= balance.lowThresholdMinor;
  if (!crosses) return;
  await addToOutbox(tx, [
    newEvent(BalanceLow, {
      subject: balanceSubject(charge.book),
      subjectVersion: Number(transactionId),
      at: now,
      data: {
        ...charge.book,
        balanceMinor: `${balance.minor}`,
        thresholdMinor: `${balance.lowThresholdMinor}`,
      },
    }),
  ]);
}

function charged(at: Date, balanceMinor: bigint): ChargeReply {
  return { outcome: 'charged', chargedAt: at.toISOString(), balanceMinor: `${balanceMinor}` };
}

function refused(reason: 'balance-too-low' | 'closed', balanceMinor: bigint): ChargeReply {
  return { outcome: 'refused', reason, balanceMinor: `${balanceMinor}` };
}
