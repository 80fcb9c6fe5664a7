/**
 * Payments, refunds and disputes whose webhook never came, or came before the moment to which the database was restored: found in
 * the provider's list, and applied as their webhook would have been.
 */
import { type Mode, mode as modeSchema } from '@offer-ads/contracts/values/primitives';
import { isServiceUnavailable } from '@offer-ads/platform/process/faults';
import type { Billing } from '../billing.ts';
import { type EventReading, isGap, readOn, stretchOf } from '../domain/payments/missed-events.ts';
import { stripeDeadline } from '../stripe/client.ts';
import { type ListedEvent, listMoneyEvents } from '../stripe/events.ts';
import { saveReading, takeReading } from './event-readings-store.ts';
import { recordUnapplied, unknownEvents } from './provider-events-store.ts';
import { applyEvent } from './receive-webhook.ts';

/** Of 100 events each: more of them wait for the next round, which comes a minute later. */
const MOST_PAGES = 10;

export async function findMissedEvents(billing: Billing, signal: AbortSignal): Promise<void> {
  for (const mode of modeSchema.options) {
    if (signal.aborted) return;
    // One account that cannot be asked must not keep the other from being asked; its turn comes again.
    await readMode(billing, mode, signal).catch((error: unknown) => {
      billing.logger.warn({ error, mode }, 'Stripe’s list of events could not be read, it waits');
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
    for (let page = 0; page < MOST_PAGES && !signal.aborted; page += 1) {
      reading = await readPage(billing, mode, reading);
      await saveReading(billing.postgres, mode, reading, now);
      if (reading.under === null) return;
    }
  } finally {
    // When it failed too: of a list that can never be read since the start, nobody would be told.
    billing.meters.readUpTo.set({ mode }, reading.readUpTo.getTime() / 1_000);
  }
}

async function readPage(billing: Billing, mode: Mode, reading: EventReading): Promise<EventReading> {
  const stretch = stretchOf(reading, billing.clock.now());
  const page = await listMoneyEvents(billing.stripe, mode, stretch, stripeDeadline());
  // Begun anew: what was read of it is on record.
  if (page === 'place-gone') return { ...reading, under: null };
  const missed = await unknownEvents(billing.postgres, page.events);
  const failures: unknown[] = [];
  for (const event of missed.toReversed()) {
    await applyOrPassBy(billing, event).catch((error: unknown) => failures.push(error));
  }
  // The place stays where it is, and the page is read again, until all of it is on record.
  if (failures.length > 0) throw new AggregateError(failures, 'events that were missed could not be applied');
  return readOn(reading, stretch, page.lastEventId);
}

/**
 * What is wrong with one event, its next reading would find again: it is kept and alerted once, and the others go on. As long as
 * the stretch is read twice it is tried again; later, when it is sent again from Stripe's dashboard.
 */
async function applyOrPassBy(billing: Billing, event: ListedEvent): Promise<void> {
  try {
    await applyMissed(billing, event);
  } catch (error) {
    // Nothing is wrong with the event.
    if (isServiceUnavailable(error)) throw error;
    const { eventId, mode, type } = event;
    if (!(await recordUnapplied(billing.postgres, event, billing.clock.now()))) return;
    billing.meters.unappliedEvents.inc({ mode });
    billing.logger.error({ error, eventId, mode, type }, 'an event of the card provider cannot be applied');
  }
}

async function applyMissed(billing: Billing, event: ListedEvent): Promise<void> {
  const outcome = await applyEvent(billing, event.read());
  if (outcome === 'seen-before') return;
  const { mode, eventId, type } = event;
  billing.meters.missedEvents.inc({ mode });
  billing.logger.warn(
    { mode, eventId, type, outcome },
    'an event whose webhook never came was found by asking',
  );
}
