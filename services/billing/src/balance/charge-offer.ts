/** Payment method `B`: takes the price from the prepaid balance. A repeat for the same offer id charges nothing. */
import type { ChargeReply } from '@offer-ads/contracts/internal/billing-api';
import type { Transaction } from '@offer-ads/platform/postgres/postgres';
import type { Billing } from '../billing.ts';
import { deletePayment, insertCharge, lockOfferPayment } from '../checkouts/payments-store.ts';
import { movesMoney, offerCharged } from '../domain/ledger/ledger.ts';
import { isSameSale, type Sale } from '../domain/payments/offer-payment.ts';
import { conflictingSale } from '../faults.ts';
import { balanceOf, boundLockWaits, postTransaction } from '../ledger/ledger-store.ts';
import { type Charge, chargeAtOnce } from './charges-store.ts';
import { announceLowBalance } from './low-balance.ts';

type Charging = Pick<Billing, 'postgres' | 'meters'>;

/**
 * @param lockWaitMs how long to wait for each lock; 0 is no bound but the time of a statement
 * @throws an error for which `isBlocked` is true if a lock was not free in time
 */
export async function chargeOffer(billing: Charging, charge: Charge, lockWaitMs = 0): Promise<ChargeReply> {
  const [atOnce] = (await chargeNew(billing, [charge], lockWaitMs)) ?? [];
  return atOnce ?? decideCharge(billing, charge, lockWaitMs);
}

/** The charge of an offer that `chargeNew` cannot charge: a repeat, a refusal, or a charge of which more is to be told. */
export async function decideCharge(
  billing: Charging,
  { sale, at, deadline }: Charge,
  lockWaitMs = 0,
): Promise<ChargeReply> {
  const { isNew, reply } = await billing.postgres.transaction(async (tx) => {
    if (lockWaitMs > 0) boundLockWaits(tx, lockWaitMs);
    const isNew = await insertCharge(tx, sale, at);
    return { isNew, reply: await (isNew ? chargeBalance(tx, sale, at) : repeatCharge(tx, sale)) };
  }, deadline);
  if (isNew && reply.outcome === 'charged') count(billing, sale);
  return reply;
}

/**
 * Charges offers in one statement.
 * @returns undefined if nothing was charged and each of them must be decided by itself
 */
export async function chargeNew(
  billing: Charging,
  charges: readonly Charge[],
  lockWaitMs = 0,
): Promise<readonly ChargeReply[] | undefined> {
  // A price of 0 posts nothing, so only the slower path knows it.
  if (charges.some(({ sale }) => sale.netMinor === 0n)) return undefined;
  const balances = await chargeAtOnce(billing.postgres, charges, lockWaitMs);
  return balances?.map((balanceMinor, place) => {
    const { sale, at } = charges[place] as Charge;
    count(billing, sale);
    return charged(at, balanceMinor);
  });
}

function count({ meters }: Charging, { book: { mode, currency }, netMinor }: Sale): void {
  meters.charged.inc({ mode, currency, method: 'balance', purchase: 'offer' }, Number(netMinor));
}

async function chargeBalance(tx: Transaction, sale: Sale, now: Date): Promise<ChargeReply> {
  const transaction = offerCharged(sale.book, sale.offerId, sale.netMinor);
  if (!movesMoney(transaction)) return charged(now, await balanceOf(tx, sale.book));
  const posted = await postTransaction(tx, transaction, now);
  if (!posted.ok) {
    await deletePayment(tx, sale.offerId);
    return refused('balance-too-low', await balanceOf(tx, sale.book));
  }
  await announceLowBalance(tx, transaction, posted, now);
  return charged(now, posted.balance.minor);
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
