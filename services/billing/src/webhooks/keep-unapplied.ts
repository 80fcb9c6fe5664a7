/** Keeps an event that cannot be read or applied, for a person to look at (decision 89, unreadable Stripe events). */
import type { Billing } from '../billing.ts';
import type { EventName } from '../stripe/read-event.ts';
import { recordUnapplied } from './provider-events-store.ts';

/** Alerts once for each event: a repeat of one that is on record changes nothing. */
export async function keepUnapplied(
  { postgres, clock, meters, logger }: Billing,
  { eventId, mode, type }: EventName,
  error: unknown,
): Promise<void> {
  if (!(await recordUnapplied(postgres, { eventId, mode, type }, clock.now()))) return;
  meters.unappliedEvents.inc({ mode });
  logger.error({ error, eventId, mode, type }, 'an event of the card provider cannot be applied');
}
