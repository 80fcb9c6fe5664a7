/** The inbox of Stripe: what arrived, and what came of it. */

import type { Mode } from '@offer-ads/contracts/primitives';
import type { Transaction } from '@offer-ads/platform/postgres';
import type { Receipt } from './domain/offer-payment.ts';

export type ReceivedProviderEvent = {
  readonly eventId: string;
  readonly mode: Mode;
  readonly type: string;
  readonly receipt: Receipt | null;
};

/** False: it was handled before. Waits for a handler of the same event that is at work. */
export async function recordProviderEvent(
  tx: Transaction,
  event: ReceivedProviderEvent,
  now: Date,
): Promise<boolean> {
  const { eventId, mode, type, receipt } = event;
  const recorded = await tx.query(
    `INSERT INTO provider_events
       (event_id, mode, type, received_at, offer_id, session_id, amount_minor, currency, outcome)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 'received')
     ON CONFLICT DO NOTHING RETURNING event_id`,
    [eventId, mode, type, now, receipt?.offerId, receipt?.sessionId, receipt?.amountMinor, receipt?.currency],
  );
  return recorded.length === 1;
}

export async function recordOutcome(tx: Transaction, eventId: string, outcome: string): Promise<void> {
  await tx.query('UPDATE provider_events SET outcome = $2 WHERE event_id = $1', [eventId, outcome]);
}
