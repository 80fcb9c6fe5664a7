/** The inbox for Stripe's events, with the outcome of each. */

import type { Mode } from '@offer-ads/contracts/values/primitives';
import type { PreparedStatement, Queryable, Transaction } from '@offer-ads/platform/postgres/postgres';
import { idsOf, type PaymentRow, paymentColumns } from '../checkouts/checkouts-store.ts';
import { toPayment } from '../checkouts/payments-store.ts';
import {
  type CardPayment,
  type Receipt,
  type ReceiptProblem,
  receiptProblems,
} from '../domain/payments/card-payment.ts';
import type { EventOutcome } from '../domain/payments/event-outcomes.ts';
import type { OfferPayment } from '../domain/payments/offer-payment.ts';
import { idOrNull } from '../ledger/book-row.ts';
import { intentLock } from '../reversals/reversals-store.ts';

export type ReceivedProviderEvent = {
  readonly eventId: string;
  readonly mode: Mode;
  readonly type: string;
  readonly receipt: Receipt | null;
};

/** `seen-before`: the event was handled before. Otherwise the payment of its receipt, locked. */
export type RecordedEvent = 'seen-before' | { readonly payment: OfferPayment | CardPayment | undefined };

/** For an event that could not be read or applied. If it arrives again, it is tried again. */
const UNAPPLIED = 'not-applied';

/** The event's row comes first: `lock_payment` is given what the insertion returns. */
const recordStatement: PreparedStatement = {
  name: 'record-provider-event',
  sql: `WITH event AS (
          INSERT INTO provider_events
            (event_id, mode, type, received_at, offer_id, top_up_id, session_id, amount_minor, currency, outcome)
          VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
          ON CONFLICT (event_id) DO UPDATE
            SET (mode, type, offer_id, top_up_id, session_id, amount_minor, currency, outcome)
              = (excluded.mode, excluded.type, excluded.offer_id, excluded.top_up_id, excluded.session_id, excluded.amount_minor,
                 excluded.currency, excluded.outcome)
            WHERE provider_events.outcome = '${UNAPPLIED}'
          RETURNING offer_id AS of_offer, top_up_id AS of_top_up
        )
        SELECT ${paymentColumns}
          FROM event LEFT JOIN LATERAL lock_payment(of_offer, of_top_up, $11) ON true`,
};

/**
 * Records the event, then locks the payment of its receipt. Waits for a concurrent handler of the same event.
 * @param outcome `recordOutcome` corrects it if the event turns out to have another one
 */
export async function recordProviderEvent(
  tx: Transaction,
  event: ReceivedProviderEvent,
  outcome: EventOutcome,
  now: Date,
): Promise<RecordedEvent> {
  const { eventId, mode, type, receipt } = event;
  const { offerId, topUpId } = receipt === null ? { offerId: null, topUpId: null } : idsOf(receipt.purchase);
  const [row] = await tx.query<PaymentRow | NoPayment>(recordStatement, [
    eventId,
    mode,
    type,
    now,
    offerId,
    topUpId,
    receipt?.sessionId,
    receipt?.amountMinor,
    receipt?.currency,
    outcome,
    receipt?.paymentIntentId && intentLock(receipt.paymentIntentId),
  ]);
  if (row === undefined) return 'seen-before';
  return { payment: row.purchase === null ? undefined : toPayment(row) };
}
type NoPayment = { readonly purchase: null };

/** False if the event is already on record, as handled or as not applied. */
export async function recordUnapplied(
  on: Queryable,
  { eventId, mode, type }: Omit<ReceivedProviderEvent, 'receipt'>,
  now: Date,
): Promise<boolean> {
  const recorded = await on.query(
    `INSERT INTO provider_events (event_id, mode, type, received_at, outcome) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT DO NOTHING RETURNING event_id`,
    [eventId, mode, type, now, UNAPPLIED],
  );
  return recorded.length === 1;
}

/** Those events that are not on record, or that could not be applied. */
export async function unknownEvents<E extends Pick<ReceivedProviderEvent, 'eventId'>>(
  on: Queryable,
  events: readonly E[],
): Promise<E[]> {
  const known = await on.query<{ event_id: string }>(
    'SELECT event_id FROM provider_events WHERE event_id = ANY ($1) AND outcome <> $2',
    [events.map(({ eventId }) => eventId), UNAPPLIED],
  );
  const ids = new Set(known.map((row) => row.event_id));
  return events.filter(({ eventId }) => !ids.has(eventId));
}

export async function recordOutcome(tx: Transaction, eventId: string, outcome: EventOutcome): Promise<void> {
  await tx.query('UPDATE provider_events SET outcome = $2 WHERE event_id = $1', [eventId, outcome]);
}

/** Whether this problem of the session was already reported, after a webhook or after asking Stripe. */
export async function isRecordedProblem(
  on: Queryable,
  sessionId: string,
  problem: ReceiptProblem,
): Promise<boolean> {
  const found = await on.query('SELECT FROM provider_events WHERE session_id = $1 AND outcome = $2 LIMIT 1', [
    sessionId,
    problem,
  ]);
  return found.length > 0;
}

export type ProviderProblem = {
  readonly eventId: string;
  readonly mode: Mode;
  readonly problem: ReceiptProblem;
  readonly heardAt: Date;
  readonly sessionId: string | null;
  readonly amountMinor: bigint | null;
  readonly currency: string | null;
  readonly offerId: number | null;
  readonly topUpId: number | null;
};

type ProblemRow = {
  event_id: string;
  mode: Mode;
  outcome: ReceiptProblem;
  received_at: Date;
  session_id: string | null;
  amount_minor: bigint | null;
  currency: string | null;
  offer_id: bigint | null;
  top_up_id: bigint | null;
};

/** Payments that could not be applied, the latest first. */
export async function latestProblems(on: Queryable, limit: number): Promise<ProviderProblem[]> {
  const rows = await on.query<ProblemRow>(
    'SELECT * FROM provider_events WHERE outcome = ANY ($1) ORDER BY received_at DESC, event_id LIMIT $2',
    [receiptProblems, limit],
  );
  return rows.map((row) => ({
    eventId: row.event_id,
    mode: row.mode,
    problem: row.outcome,
    heardAt: row.received_at,
    sessionId: row.session_id,
    amountMinor: row.amount_minor,
    currency: row.currency,
    offerId: idOrNull(row.offer_id),
    topUpId: idOrNull(row.top_up_id),
  }));
}
