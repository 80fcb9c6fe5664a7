/** Receives one webhook of Stripe. It is answered only after the commit. */
import type { Billing } from '../billing.ts';
import { WrongMode } from '../domain/payments/wrong-mode.ts';
import type { EventName, ProviderEvent } from '../stripe/read-event.ts';
import { readWebhook } from '../stripe/webhooks.ts';
import type { EventQueue } from './event-queue.ts';
import { keepUnapplied } from './keep-unapplied.ts';

export type WebhookAnswer = 'accepted' | 'refused';

export async function receiveWebhook(
  billing: Billing,
  events: EventQueue,
  body: Buffer,
  signature: string,
): Promise<WebhookAnswer> {
  const { webhooks } = billing.meters;
  const reading = readWebhook(billing.stripe, body, signature, billing.clock.now());
  if (reading.ok) return apply(billing, events, reading.event);
  const { reason } = reading;
  switch (reason) {
    case 'unsigned':
      webhooks.inc({ outcome: reason });
      billing.logger.warn({ reason }, 'webhook refused');
      return 'refused';
    case 'wrong-mode':
      return refuseMode(billing, reading, reading.error);
    case 'unreadable':
      // A repeat would be as unreadable, and Stripe switches off an endpoint that fails for days.
      await keepUnapplied(billing, reading, reading.error);
      webhooks.inc({ outcome: reason });
      return 'accepted';
  }
}

async function apply(billing: Billing, events: EventQueue, event: ProviderEvent): Promise<WebhookAnswer> {
  const { webhooks, webhookDelay } = billing.meters;
  const now = billing.clock.now();
  try {
    const outcome = await events.apply(event);
    webhooks.inc({ outcome });
    const delayMs = now.getTime() - event.createdAt.getTime();
    if (outcome !== 'seen-before') webhookDelay.observe(Math.max(0, delayMs) / 1_000);
    return 'accepted';
  } catch (error) {
    if (error instanceof WrongMode) return refuseMode(billing, event, error);
    // Stripe gets no 200, so it sends the event again.
    webhooks.inc({ outcome: 'failed' });
    throw error;
  }
}

/** Either the secrets of the two modes are mixed up, or somebody has one of them. */
function refuseMode(billing: Billing, { eventId, mode, type }: EventName, error: Error): WebhookAnswer {
  const reason = 'wrong-mode';
  billing.meters.webhooks.inc({ outcome: reason });
  billing.logger.error({ reason, eventId, type, signedFor: mode, error }, 'webhook refused');
  return 'refused';
}
