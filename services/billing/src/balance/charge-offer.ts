/**
 * Payment method `B`: takes the price from the prepaid balance, by one statement that commits by itself; with a spending limit in one
 * transaction with the check of the limit. The offers of a group are charged in one transaction, all or none. A repeat for the same id
 * charges nothing. A process that stands still just before the statement may charge after the deadline: whoever then resolves the charge
 * (decision 11, abandoned creations) finds it, or has closed the id before.
 */
import type { ChargeReply, ExceededLimit } from '@offer-ads/contracts/internal/billing-api';
import type { Deadline } from '@offer-ads/platform/calls/deadline';
import type { Postgres, Queryable, Transaction } from '@offer-ads/platform/postgres/postgres';
import { serviceUnavailable } from '@offer-ads/platform/process/faults';
import type { Billing } from '../billing.ts';
import { movesMoney, offerCharged } from '../domain/ledger/ledger.ts';
import { purchaseName } from '../domain/payments/card-payment.ts';
import {
  type GroupSale,
  isOfGroup,
  isSameSale,
  type OfferSale,
  type Order,
  purchaseOf,
} from '../domain/payments/offer-payment.ts';
import { hasLimit } from '../domain/payments/spending.ts';
import { conflictingSale } from '../faults.ts';
import { balanceOf, lockBalance, postOrThrow } from '../ledger/ledger-store.ts';
import {
  findPayment,
  hasSameOffers,
  insertCharge,
  insertGroupOffers,
  isOfKnownOffer,
  postCharge,
} from '../payments/payments-store.ts';
import { lockSpending } from '../payments/spending-store.ts';

/** Also of all offers of a group. */
export async function chargeOffer(
  { postgres, meters }: Pick<Billing, 'postgres' | 'meters'>,
  order: Order,
  now: Date,
  deadline?: Deadline,
): Promise<ChargeReply> {
  if (deadline?.isOver() === true) throw serviceUnavailable('a charge after its deadline');
  if (order.spending.access !== 'full')
    return refused('may-not-spend', await balanceOf(postgres, order.book));
  const balanceMinor = await charge(postgres, order, now, deadline);
  if (balanceMinor === null) return answerUncharged(postgres, order);
  if (typeof balanceMinor !== 'bigint')
    return { ...refused('above-limit', await balanceOf(postgres, order.book)), exceeded: balanceMinor };
  const { mode, currency } = order.book;
  const purchase = purchaseOf(order).kind;
  meters.charged.inc({ mode, currency, method: 'balance', purchase }, Number(order.netMinor));
  return charged(now, balanceMinor);
}

/** @returns the balance that is left, or the limit that the price is above; null if the balance is too low, or the id is known */
async function charge(
  postgres: Postgres,
  order: Order,
  now: Date,
  deadline?: Deadline,
): Promise<bigint | ExceededLimit | null> {
  const within = (work: (tx: Transaction) => Promise<bigint | null>) =>
    postgres.transaction(async (tx) => {
      const exceeded = await lockSpending(tx, { ...order, costMinor: order.netMinor }, now);
      return exceeded ?? work(tx);
    }, deadline);
  if (isOfGroup(order)) return within((tx) => chargeGroup(tx, order, now));
  if (order.netMinor === 0n)
    return (await insertCharge(postgres, order, now)) ? balanceOf(postgres, order.book) : null;
  try {
    const post = (on: Queryable) => postOne(on, order, now);
    return await (hasLimit(order.spending) ? within(post) : post(postgres));
  } catch (error) {
    if (isOfKnownOffer(error)) return null;
    throw error;
  }
}

async function postOne(on: Queryable, order: Order<OfferSale>, now: Date): Promise<bigint | null> {
  const posted = await postCharge(on, order, now);
  return posted.ok ? posted.balanceMinor : null;
}

/** The balance is locked first, so that what it affords is charged whole. */
async function chargeGroup(tx: Transaction, order: Order<GroupSale>, now: Date): Promise<bigint | null> {
  const balanceMinor = await lockBalance(tx, order.book);
  if (balanceMinor < order.netMinor || !(await insertCharge(tx, order, now))) return null;
  await insertGroupOffers(tx, order, now);
  await postCharges(tx, order, -order.netMinor, now);
  return balanceMinor - order.netMinor;
}

/**
 * For a balance that affords all of them.
 * @param change of the balance, in the whole: BalanceLow is sent of no part of it
 */
export async function postCharges(
  tx: Transaction,
  { book, offers }: Pick<GroupSale, 'book' | 'offers'>,
  change: bigint,
  now: Date,
): Promise<void> {
  const all = offers.map(({ offerId, netMinor }) => offerCharged(book, offerId, netMinor));
  const charges = all.filter(movesMoney);
  for (const charge of charges) await postOrThrow(tx, charge, now, charge === charges.at(-1) ? change : 0n);
}

async function answerUncharged(postgres: Postgres, sale: Order): Promise<ChargeReply> {
  const purchase = purchaseOf(sale);
  const payment = await findPayment(postgres, purchase);
  const balanceMinor = await balanceOf(postgres, sale.book);
  if (payment === undefined) return refused('balance-too-low', balanceMinor);
  if (payment.method === null) return refused('closed', balanceMinor);
  const isSame = isSameSale(payment, sale) && (await hasSameOffers(postgres, sale));
  if (payment.method !== 'B' || payment.chargedAt === null || !isSame || payment.groupId !== null)
    throw conflictingSale(purchaseName(purchase));
  return charged(payment.chargedAt, balanceMinor);
}

function charged(at: Date, balanceMinor: bigint): ChargeReply {
  return { outcome: 'charged', chargedAt: at.toISOString(), balanceMinor: `${balanceMinor}` };
}

type Refused = Extract<ChargeReply, { outcome: 'refused' }>;
function refused(reason: Refused['reason'], balanceMinor: bigint): Refused {
  return { outcome: 'refused', reason, balanceMinor: `${balanceMinor}` };
}
