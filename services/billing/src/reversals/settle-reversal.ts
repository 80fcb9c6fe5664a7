/** Stores a person's decision who bears a refund or a dispute: once, posted with its reason. It never overdraws the balance. */
import type { Refused } from '@offer-ads/contracts/values/refused';
import type { Postgres, Transaction } from '@offer-ads/platform/postgres/postgres';
import { creditWithheld } from '../balance/credit-offer.ts';
import { settled } from '../domain/ledger/card-ledger.ts';
import type { RecordedReversal } from '../domain/payments/reversal.ts';
import { type NothingToSettle, nothingToSettle, type Settlement } from '../domain/payments/settlement.ts';
import { balanceOf, postTransaction } from '../ledger/ledger-store.ts';
import { findCardPaymentByIntent } from '../payments/payments-store.ts';
import { lockOfferOf, ofPayment } from './record-reversal.ts';
import {
  findLockKey,
  findSettlement,
  insertSettlement,
  lockIntent,
  lockReversal,
} from './reversals-store.ts';

export type Decision = Pick<Settlement, 'reversalId' | 'borneBy' | 'reason' | 'decidedBy'>;

export type SettleRefusal =
  | { readonly reason: 'unknown' | NothingToSettle }
  | { readonly reason: 'settled-otherwise'; readonly settlement: Settlement }
  | {
      readonly reason: 'balance-too-low';
      readonly balanceMinor: bigint;
      readonly reversal: RecordedReversal;
    };
export type SettleOutcome =
  | { readonly ok: true; readonly settlement: Settlement; readonly reversal: RecordedReversal }
  | Refused<SettleRefusal>;

/** Repeating the same decision returns the stored one. */
export async function settleReversal(
  postgres: Postgres,
  decision: Decision,
  now: Date,
): Promise<SettleOutcome> {
  return postgres.transaction(async (tx) => {
    const key = await findLockKey(tx, decision.reversalId);
    // Events of this reversal and of its payment wait until this transaction ends.
    if (key !== undefined) await lockIntent(tx, key);
    const reversal = key === undefined ? undefined : await lockReversal(tx, decision.reversalId);
    if (reversal === undefined) return refuse({ reason: 'unknown' });
    const before = await findSettlement(tx, decision.reversalId);
    if (before !== undefined) {
      if (before.borneBy === decision.borneBy) return { ok: true, settlement: before, reversal };
      return refuse({ reason: 'settled-otherwise', settlement: before });
    }
    const nothing = nothingToSettle(reversal);
    return nothing === null ? bear(tx, reversal, decision, now) : refuse({ reason: nothing });
  });
}

async function bear(
  tx: Transaction,
  reversal: RecordedReversal,
  decision: Decision,
  now: Date,
): Promise<SettleOutcome> {
  const { mode, paymentIntentId, amountMinor, reversalId } = reversal;
  const payment =
    paymentIntentId === null ? undefined : await findCardPaymentByIntent(tx, mode, paymentIntentId);
  if (payment === undefined) return refuse({ reason: 'not-booked' });
  const offerId = await lockOfferOf(tx, payment);
  const transaction = settled(ofPayment(payment, reversal), decision.borneBy);
  const posted = await postTransaction(tx, transaction, now);
  if (!posted.ok) {
    const balanceMinor = await balanceOf(tx, payment.book);
    return refuse({ reason: posted.reason, balanceMinor, reversal });
  }
  const settlement = { ...decision, reversalId, amountMinor, settledAt: now };
  await insertSettlement(tx, settlement, transaction.cause);
  // The organisation has paid for the offer after all, so its Unused Time is credited again.
  if (decision.borneBy === 'balance' && offerId !== null) await creditWithheld(tx, offerId, now);
  return { ok: true, settlement: { ...settlement, givenBack: false }, reversal };
}

function refuse(refusal: SettleRefusal): SettleOutcome {
  return { ok: false, ...refusal };
}
