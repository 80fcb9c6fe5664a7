/**
 * Finds payments, refunds and disputes whose webhook never arrived, or arrived before the state to which the database was restored. They
 * are read from the provider's list and applied like a webhook.
 */
import { type Mode, mode as modeSchema } from '@offer-ads/contracts/values/primitives';
import { isServiceUnavailable } from '@offer-ads/platform/process/faults';
import type { Billing } from '../billing.ts';
import { isGap, type Stretch, stretchOf } from '../domain/payments/missed-events.ts';
import { stripeDeadline } from '../stripe/client.ts';
import { type EventPage, listMoneyEvents } from '../stripe/events.ts';
import type { ProviderEvent, StripeEventReading } from '../stripe/read-event.ts';
import { applyEvent, keepUnapplied } from './apply-event.ts';
import { saveReading, takeReading } from './event-readings-store.ts';
import { unknownEvents } from './provider-events-store.ts';

export async function findMissedEvents(billing: Billing, signal: AbortSignal): Promise<void> {
  for (const mode of modeSchema.options) {
    if (signal.aborted) return;
    // An account that cannot be read must not stop the other; it is tried again in the next round.
    await readMode(billing, mode, signal).catch((error: unknown) => {
      billing.logger.warn(
        { error, mode },
        'Stripe’s list of events could not be read and will be tried again',
      );
    });
  }
}

async function readMode(billing: Billing, mode: Mode, signal: AbortSignal): Promise<void> {
  const now = billing.clock.now();
  let readUpTo = await takeReading(billing.postgres, mode, now);
  if (readUpTo === undefined) return;
  if (isGap(readUpTo, now))
    billing.logger.error({ mode, readUpTo }, 'events of the card provider are too old to be asked for');
  try {
    const stretch = stretchOf(readUpTo, now);
    if (await readStretch(billing, mode, stretch, signal))
      readUpTo = await saveReading(billing.postgres, mode, stretch.to);
  } finally {
    // Set even if the round failed: otherwise a list that could never be read since the start would cause no alert.
    billing.meters.readUpTo.set({ mode }, readUpTo.getTime() / 1_000);
  }
}

/**
 * From the newest event to the oldest. A stretch that was not read to its end is read again from its newest event; what was applied of it
 * is on record.
 * @returns false if it was stopped before the end
 */
async function readStretch(
  billing: Billing,
  mode: Mode,
  stretch: Stretch,
  signal: AbortSignal,
): Promise<boolean> {
  let after: string | null = null;
  do {
    if (signal.aborted) return false;
    const page: EventPage = await listMoneyEvents(billing.stripe, mode, stretch, after, stripeDeadline());
    const missed = await unknownEvents(billing.postgres, page.events);
    const failures: unknown[] = [];
    for (const event of missed.toReversed())
      await applyOrPassBy(billing, event).catch((error: unknown) => failures.push(error));
    if (failures.length > 0)
      throw new AggregateError(failures, 'events that were missed could not be applied');
    after = page.lastEventId;
  } while (after !== null);
  return true;
}

/**
 * An event that cannot be applied would fail again in every reading: it is kept, and the other events continue. It is tried again while its
 * stretch is read a second time, and later if someone resends it from Stripe's dashboard.
 */
async function applyOrPassBy(billing: Billing, reading: StripeEventReading): Promise<void> {
  if (!reading.ok) return keepUnapplied(billing, reading, reading.error);
  try {
    await applyMissed(billing, reading.event);
  } catch (error) {
    // The service is unavailable; the event itself is fine.
    if (isServiceUnavailable(error)) throw error;
    await keepUnapplied(billing, reading, error);
  }
}

async function applyMissed(billing: Billing, event: ProviderEvent): Promise<void> {
  const outcome = await applyEvent(billing, event);
  if (outcome === 'seen-before') return;
  const { mode, eventId, type } = event;
  billing.meters.missedEvents.inc({ mode });
  billing.logger.warn(
    { mode, eventId, type, outcome },
    'an event whose webhook never came was found in Stripe’s list',
  );
}
