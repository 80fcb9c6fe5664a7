/** The inbox for Stripe's events, with the outcome of each. */
import type { Mode } from '@offer-ads/contracts/values/primitives';
import type { Queryable, Transaction } from '@offer-ads/platform/postgres/postgres';
import { type Receipt, type ReceiptProblem, receiptProblems } from '../domain/payments/card-payment.ts';
import type { EventOutcome } from '../domain/payments/event-outcomes.ts';
import { idValues } from '../payments/payments-store.ts';

export type ReceivedProviderEvent = {
  readonly eventId: string;
  readonly mode: Mode;
  readonly type: string;
  readonly receipt: Receipt | null;
};

/** For an event that could not be read or applied. If it arrives again, it is tried again. */
const UNAPPLIED = 'not-applied';

/** False if the event was handled before. Waits for a concurrent handler of the same event. `recordOutcome` says what became of it. */
export async function recordProviderEvent(
  tx: Transaction,
  { eventId, mode, type, receipt }: ReceivedProviderEvent,
  now: Date,
): Promise<boolean> {
  const ids = receipt === null ? [null, null, null] : idValues(receipt.purchase);
  const recorded = await tx.query(
    `INSERT INTO provider_events
       (event_id, mode, type, received_at, offer_id, top_up_id, group_id, session_id, amount_minor, currency, outcome)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, '${UNAPPLIED}')
     ON CONFLICT (event_id) DO UPDATE
       SET (mode, type, offer_id, top_up_id, group_id, session_id, amount_minor, currency)
         = (excluded.mode, excluded.type, excluded.offer_id, excluded.top_up_id, excluded.group_id, excluded.session_id,
            excluded.amount_minor, excluded.currency)
       WHERE provider_events.outcome = '${UNAPPLIED}'
     RETURNING event_id`,
    [eventId, mode, type, now, ...ids, receipt?.sessionId, receipt?.amountMinor, receipt?.currency],
  );
  return recorded.length === 1;
}

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
  readonly groupId: number | null;
};

/** Payments that could not be applied, the latest first. */
export async function latestProblems(on: Queryable, limit: number): Promise<ProviderProblem[]> {
  return on.query(
    `SELECT event_id AS "eventId", mode, outcome AS problem, received_at AS "heardAt", session_id AS "sessionId",
            amount_minor AS "amountMinor", currency, offer_id::float8 AS "offerId", top_up_id::float8 AS "topUpId",
            group_id::float8 AS "groupId"
       FROM provider_events WHERE outcome = ANY ($1) ORDER BY received_at DESC, event_id LIMIT $2`,
    [receiptProblems, limit],
  );
}
