/**
 * Payment method `B`: takes the price from the prepaid balance, by one statement that commits by itself. A repeat for the same offer id
 * charges nothing. A process that stands still just before the statement may charge after the deadline: whoever then resolves the charge
 * (decision 11, abandoned creations) finds it, or has closed the id before.
 */
import type { ChargeReply } from '@offer-ads/contracts/internal/billing-api';
import type { Deadline } from '@offer-ads/platform/calls/deadline';
import type { Postgres } from '@offer-ads/platform/postgres/postgres';
import { serviceUnavailable } from '@offer-ads/platform/process/faults';
import type { Billing } from '../billing.ts';
import { isSameSale, type Sale } from '../domain/payments/offer-payment.ts';
import { conflictingSale } from '../faults.ts';
import { balanceOf } from '../ledger/ledger-store.ts';
import {
  findOfferPayment,
  insertFreeCharge,
  isOfKnownOffer,
  postCharge,
} from '../payments/payments-store.ts';

export async function chargeOffer(
  { postgres, meters }: Pick<Billing, 'postgres' | 'meters'>,
  sale: Sale,
  now: Date,
  deadline?: Deadline,
): Promise<ChargeReply> {
  if (deadline?.isOver() === true) throw serviceUnavailable('a charge after its deadline');
  const balanceMinor = await charge(postgres, sale, now);
  if (balanceMinor === null) return answerUncharged(postgres, sale);
  const { mode, currency } = sale.book;
  meters.charged.inc({ mode, currency, method: 'balance', purchase: 'offer' }, Number(sale.netMinor));
  return charged(now, balanceMinor);
}

/** @returns the balance that is left; null if nothing was charged: the balance is too low, or the offer is known */
async function charge(postgres: Postgres, sale: Sale, now: Date): Promise<bigint | null> {
  try {
    if (sale.netMinor === 0n) {
      await insertFreeCharge(postgres, sale, now);
      return await balanceOf(postgres, sale.book);
    }
    const posted = await postCharge(postgres, sale, now);
    return posted.ok ? posted.balanceMinor : null;
  } catch (error) {
    if (isOfKnownOffer(error)) return null;
    throw error;
  }
}

async function answerUncharged(postgres: Postgres, sale: Sale): Promise<ChargeReply> {
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

function refused(reason: 'balance-too-low' | 'closed', balanceMinor: bigint): ChargeReply {
  return { outcome: 'refused', reason, balanceMinor: `${balanceMinor}` };
}
