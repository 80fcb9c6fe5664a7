/** Payment method `B`: takes the price from the prepaid balance. A repeat for the same offer id charges nothing. */
import type { ChargeReply } from '@offer-ads/contracts/internal/billing-api';
import type { Deadline } from '@offer-ads/platform/calls/deadline';
import type { Transaction } from '@offer-ads/platform/postgres/postgres';
import type { Billing } from '../billing.ts';
import { deletePayment, insertCharge, lockOfferPayment } from '../checkouts/payments-store.ts';
import { movesMoney, offerCharged } from '../domain/ledger/ledger.ts';
import { isSameSale, type Sale } from '../domain/payments/offer-payment.ts';
import { conflictingSale } from '../faults.ts';
import { balanceOf, postTransaction } from '../ledger/ledger-store.ts';
import { type Charge, chargeAtOnce } from './charges-store.ts';
import { announceLowBalance } from './low-balance.ts';

export async function chargeOffer(
  billing: Pick<Billing, 'postgres' | 'meters'>,
  sale: Sale,
  now: Date,
  deadline?: Deadline,
): Promise<ChargeReply> {
  const [atOnce] = (await chargeNew(billing, [{ sale, at: now, deadline }])) ?? [];
  if (atOnce !== undefined) return atOnce;
  const { isNew, reply } = await billing.postgres.transaction(async (tx) => {
    const isNew = await insertCharge(tx, sale, now);
    return { isNew, reply: await (isNew ? chargeBalance(tx, sale, now) : repeatCharge(tx, sale)) };
  }, deadline);
  if (isNew && reply.outcome === 'charged') count(billing, sale);
  return reply;
}

/**
 * Charges offers of one book in one statement.
 * @returns undefined if nothing was charged and `chargeOffer` must decide about each of them
 */
export async function chargeNew(
  billing: Pick<Billing, 'postgres' | 'meters'>,
  charges: readonly Charge[],
): Promise<readonly ChargeReply[] | undefined> {
  // A price of 0 posts nothing, so only the slower path knows it.
  if (charges.some(({ sale }) => sale.netMinor === 0n)) return undefined;
  const balances = await chargeAtOnce(billing.postgres, charges);
  return balances?.map((balanceMinor, place) => {
    const { sale, at } = charges[place] as Charge;
    count(billing, sale);
    return charged(at, balanceMinor);
  });
}

function count({ meters }: Pick<Billing, 'meters'>, { book: { mode, currency }, netMinor }: Sale): void {
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
