/**
 * Finds payments, refunds and disputes whose webhook never arrived, or arrived before the state to which the database was restored. They
 * are read from the provider's list and applied like a webhook.
 */
import { type Mode, mode as modeSchema } from '@offer-ads/contracts/values/primitives';
import { isServiceUnavailable } from '@offer-ads/platform/process/faults';
import type { Billing } from '../billing.ts';
import { type EventReading, isGap, readOn, stretchOf } from '../domain/payments/missed-events.ts';
import { stripeDeadline } from '../stripe/client.ts';
import { listMoneyEvents } from '../stripe/events.ts';
import type { ProviderEvent, StripeEventReading } from '../stripe/read-event.ts';
import { applyEvent, keepUnapplied } from './apply-event.ts';
import { saveReading, takeReading } from './event-readings-store.ts';
import { unknownEvents } from './provider-events-store.ts';

/** Of 100 events each. More pages wait for the next round, one minute later. */
const MAX_PAGES = 10;

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
  let reading = await takeReading(billing.postgres, mode, now);
  if (reading === undefined) return;
  if (isGap(reading, now)) {
    const { readUpTo } = reading;
    billing.logger.error({ mode, readUpTo }, 'events of the card provider are too old to be asked for');
  }
  try {
    for (let page = 0; page < MAX_PAGES && !signal.aborted; page += 1) {
      reading = await readPage(billing, mode, reading);
      await saveReading(billing.postgres, mode, reading, now);
      if (reading.partlyRead === null) return;
    }
  } finally {
    // Set even if the round failed: otherwise a list that could never be read since the start would cause no alert.
    billing.meters.readUpTo.set({ mode }, reading.readUpTo.getTime() / 1_000);
  }
}

async function readPage(billing: Billing, mode: Mode, reading: EventReading): Promise<EventReading> {
  const stretch = stretchOf(reading, billing.clock.now());
  const page = await listMoneyEvents(billing.stripe, mode, stretch, stripeDeadline());
  // The stretch begins again; the events read so far are on record.
  if (page === 'position-gone') return { ...reading, partlyRead: null };
  const missed = await unknownEvents(billing.postgres, page.events);
  const failures: unknown[] = [];
  for (const event of missed.toReversed()) {
    await applyOrPassBy(billing, event).catch((error: unknown) => failures.push(error));
  }
  // The stored position stays, so the page is read again until all its events are on record.
  if (failures.length > 0) throw new AggregateError(failures, 'events that were missed could not be applied');
  return readOn(reading, stretch, page.lastEventId);
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
