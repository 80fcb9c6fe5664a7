/** Payment method `B`: takes the price from the prepaid balance. A repeat for the same offer id charges nothing. */
import type { ChargeReply } from '@offer-ads/contracts/internal/billing-api';
import type { Deadline } from '@offer-ads/platform/calls/deadline';
import type { Transaction } from '@offer-ads/platform/postgres/postgres';
import type { Billing } from '../billing.ts';
import { movesMoney, offerCharged } from '../domain/ledger/ledger.ts';
import { isSameSale, type Sale } from '../domain/payments/offer-payment.ts';
import { conflictingSale } from '../faults.ts';
import { balanceOf, postTransaction } from '../ledger/ledger-store.ts';
import { deletePayment, insertCharge, lockOfferPayment } from '../payments/payments-store.ts';

export async function chargeOffer(
  { postgres, meters }: Pick<Billing, 'postgres' | 'meters'>,
  sale: Sale,
  now: Date,
  deadline?: Deadline,
): Promise<ChargeReply> {
  const { isNew, reply } = await postgres.transaction(async (tx) => {
    const isNew = await insertCharge(tx, sale, now);
    return { isNew, reply: await (isNew ? chargeBalance(tx, sale, now) : repeatCharge(tx, sale)) };
  }, deadline);
  const { mode, currency } = sale.book;
  if (isNew && reply.outcome === 'charged')
    meters.charged.inc({ mode, currency, method: 'balance', purchase: 'offer' }, Number(sale.netMinor));
  return reply;
}

async function chargeBalance(tx: Transaction, sale: Sale, now: Date): Promise<ChargeReply> {
  const transaction = offerCharged(sale.book, sale.offerId, sale.netMinor);
  if (!movesMoney(transaction)) return charged(now, await balanceOf(tx, sale.book));
  const posted = await postTransaction(tx, transaction, now);
  if (posted.ok) return charged(now, posted.balance.minor);
  // The id can be charged when the balance allows it.
  await deletePayment(tx, sale.offerId);
  return refused(posted.reason, await balanceOf(tx, sale.book));
}

async function repeatCharge(tx: Transaction, sale: Sale): Promise<ChargeReply> {
  const payment = await lockOfferPayment(tx, sale.offerId);
  const balanceMinor = await balanceOf(tx, sale.book);
  if (payment?.method === null) return refused('closed', balanceMinor);
  if (payment?.method !== 'B' || !isSameSale(payment, sale)) throw conflictingSale(sale.offerId);
  return charged(payment.chargedAt, balanceMinor);
}

function charged(at: Date, balanceMinor: bigint): ChargeReply {
  return { outcome: 'charged', chargedAt: at.toISOString(), balanceMinor: `${balanceMinor}` };
}

function refused(reason: 'balance-too-low' | 'closed', balanceMinor: bigint): ChargeReply {
  return { outcome: 'refused', reason, balanceMinor: `${balanceMinor}` };
}
