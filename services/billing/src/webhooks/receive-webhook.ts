/** Receives one webhook of Stripe. It is answered only after the commit. */
import type { Billing } from '../billing.ts';
import { readWebhook } from '../stripe/webhooks.ts';
import type { EventQueue } from './event-queue.ts';

export type WebhookAnswer = 'accepted' | 'refused';

export async function receiveWebhook(
  billing: Billing,
  events: EventQueue,
  body: Buffer,
  signature: string,
): Promise<WebhookAnswer> {
  const { webhooks, webhookDelay } = billing.meters;
  const now = billing.clock.now();
  const reading = readWebhook(billing.stripe, body, signature, now);
  if (!reading.ok) {
    webhooks.inc({ outcome: reading.reason });
    billing.logger.warn({ reason: reading.reason }, 'webhook refused');
    return 'refused';
  }
  const outcome = await events.apply(reading.event).catch((error: unknown) => {
    // Stripe gets no 200, so it sends the event again.
    webhooks.inc({ outcome: 'failed' });
    throw error;
  });
  webhooks.inc({ outcome });
  const delayMs = now.getTime() - reading.event.createdAt.getTime();
  // An event without a time is applied too.
  if (outcome !== 'seen-before' && !Number.isNaN(delayMs)) webhookDelay.observe(Math.max(0, delayMs) / 1_000);
  return 'accepted';
}
