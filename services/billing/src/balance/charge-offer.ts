/**
 * Payment method `B`: takes the price from the prepaid balance, by one statement that commits by itself; with a spending limit in one
 * transaction with the check of the limit. A repeat for the same offer id charges nothing. A process that stands still just before the
 * statement may charge after the deadline: whoever then resolves the charge
 * (decision 11, abandoned creations) finds it, or has closed the id before.
 */
import type { ChargeReply, ExceededLimit } from '@offer-ads/contracts/internal/billing-api';
import type { Deadline } from '@offer-ads/platform/calls/deadline';
import type { Postgres, Queryable } from '@offer-ads/platform/postgres/postgres';
import { serviceUnavailable } from '@offer-ads/platform/process/faults';
import type { Billing } from '../billing.ts';
import { isSameSale, type Order } from '../domain/payments/offer-payment.ts';
import { hasLimit } from '../domain/payments/spending.ts';
import { conflictingSale } from '../faults.ts';
import { balanceOf } from '../ledger/ledger-store.ts';
import {
  findOfferPayment,
  insertFreeCharge,
  isOfKnownOffer,
  postCharge,
} from '../payments/payments-store.ts';
import { lockSpending } from '../payments/spending-store.ts';

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
  meters.charged.inc({ mode, currency, method: 'balance', purchase: 'offer' }, Number(order.netMinor));
  return charged(now, balanceMinor);
}

/** @returns the balance that is left, or the limit that the price is above; null if the balance is too low, or the offer is known */
async function charge(
  postgres: Postgres,
  order: Order,
  now: Date,
  deadline?: Deadline,
): Promise<bigint | ExceededLimit | null> {
  const post = async (on: Queryable) => {
    const posted = await postCharge(on, order, now);
    return posted.ok ? posted.balanceMinor : null;
  };
  try {
    if (order.netMinor === 0n) {
      await insertFreeCharge(postgres, order, now);
      return await balanceOf(postgres, order.book);
    }
    if (!hasLimit(order.spending)) return await post(postgres);
    return await postgres.transaction(async (tx) => {
      const exceeded = await lockSpending(tx, { ...order, costMinor: order.netMinor }, now);
      return exceeded ?? post(tx);
    }, deadline);
  } catch (error) {
    if (isOfKnownOffer(error)) return null;
    throw error;
  }
}

async function answerUncharged(postgres: Postgres, sale: Order): Promise<ChargeReply> {
  const payment = await findOfferPayment(postgres, sale.offerId);
  const balanceMinor = await balanceOf(postgres, sale.book);
  if (payment === undefined) return refused('balance-too-low', balanceMinor);
  if (payment.method === null) return refused('closed', balanceMinor);
  if (payment.method !== 'B' || !isSameSale(payment, sale)) throw conflictingSale(sale.offerId);
  return charged(payment.chargedAt, balanceMinor);
}

function charged(at: Date, balanceMinor: bigint): ChargeReply {
  return { outcome: 'charged', chargedAt: at.toISOString(), balanceMinor: `${balanceMinor}` };
}

type Refused = Extract<ChargeReply, { outcome: 'refused' }>;
function refused(reason: Refused['reason'], balanceMinor: bigint): Refused {
  return { outcome: 'refused', reason, balanceMinor: `${balanceMinor}` };
}
