/** Payment method `B`: takes the price from the prepaid balance. A repeat for the same offer id charges nothing. */
import type { ChargeReply } from '@offer-ads/contracts/internal/billing-api';
import type { Deadline } from '@offer-ads/platform/calls/deadline';
import type { Postgres, Transaction } from '@offer-ads/platform/postgres/postgres';
import type { Billing } from '../billing.ts';
import { deletePayment, insertCharge, lockOfferPayment } from '../checkouts/payments-store.ts';
import { type Book, movesMoney, offerCharged } from '../domain/ledger/ledger.ts';
import { isSameSale } from '../domain/payments/offer-payment.ts';
import { conflictingSale } from '../faults.ts';
import { balanceOf, postTransaction } from '../ledger/ledger-store.ts';
import { chargeAtOnce } from './charges-store.ts';
import { announceLowBalance } from './low-balance.ts';

export type Charge = {
  readonly offerId: number;
  readonly book: Book;
  readonly title: string;
  readonly netMinor: bigint;
};

export async function chargeOffer(
  { postgres, meters }: Pick<Billing, 'postgres' | 'meters'>,
  charge: Charge,
  now: Date,
  deadline?: Deadline,
): Promise<ChargeReply> {
  const { isNew, reply } =
    (await chargePlainly(postgres, charge, now, deadline)) ??
    (await postgres.transaction(async (tx) => {
      const isNew = await insertCharge(tx, charge, now);
      return { isNew, reply: await (isNew ? chargeBalance(tx, charge, now) : repeatCharge(tx, charge)) };
    }, deadline));
  const { mode, currency } = charge.book;
  if (isNew && reply.outcome === 'charged')
    meters.charged.inc({ mode, currency, method: 'balance', purchase: 'offer' }, Number(charge.netMinor));
  return reply;
}

/**
 * Undefined if the slower path must decide: the offer is known, its price is 0, the balance is too low or would fall below its threshold,
 * or the organisation has no balance row yet.
 */
async function chargePlainly(postgres: Postgres, charge: Charge, now: Date, deadline?: Deadline) {
  if (charge.netMinor === 0n) return undefined;
  const balanceMinor = await chargeAtOnce(postgres, charge, now, deadline);
  return balanceMinor === undefined ? undefined : { isNew: true, reply: charged(now, balanceMinor) };
}

async function chargeBalance(tx: Transaction, charge: Charge, now: Date): Promise<ChargeReply> {
  const transaction = offerCharged(charge.book, charge.offerId, charge.netMinor);
  if (!movesMoney(transaction)) return charged(now, await balanceOf(tx, charge.book));
  const posted = await postTransaction(tx, transaction, now);
  if (!posted.ok) {
    await deletePayment(tx, charge.offerId);
    return refused('balance-too-low', await balanceOf(tx, charge.book));
  }
  const taken = { book: charge.book, changeMinor: -charge.netMinor };
  await announceLowBalance(tx, taken, posted, now);
  return charged(now, posted.balance.minor);
}

async function repeatCharge(tx: Transaction, charge: Charge): Promise<ChargeReply> {
  const payment = await lockOfferPayment(tx, charge.offerId);
  const balanceMinor = await balanceOf(tx, charge.book);
  if (payment?.method === null) return refused('closed', balanceMinor);
  if (payment?.method !== 'B' || !isSameSale(payment, charge)) throw conflictingSale(charge.offerId);
  return charged(payment.chargedAt, balanceMinor);
}

function charged(at: Date, balanceMinor: bigint): ChargeReply {
  return { outcome: 'charged', chargedAt: at.toISOString(), balanceMinor: `${balanceMinor}` };
}

function refused(reason: 'balance-too-low' | 'closed', balanceMinor: bigint): ChargeReply {
  return { outcome: 'refused', reason, balanceMinor: `${balanceMinor}` };
}
