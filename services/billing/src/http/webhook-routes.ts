/** `/webhooks/stripe`: answers 200 only after the event is committed; on any other answer Stripe sends the event again. */
import express, { type Express } from 'express';
import type { Billing } from '../billing.ts';
import { WrongMode } from '../domain/payments/wrong-mode.ts';
import { type EventName, type ProviderEvent, readWebhook } from '../stripe/read-event.ts';
import { applyEvent, keepUnapplied } from '../webhooks/apply-event.ts';
import { send, unsignedWebhook } from './replies.ts';

/** Stripe's events are a few kilobytes. */
const LARGEST_EVENT = '512kb';

export function webhookRoutes(app: Express, billing: Billing): void {
  // The unparsed bytes, because the signature covers them.
  const rawBody = express.raw({ type: () => true, limit: LARGEST_EVENT, inflate: false });
  app.post('/webhooks/stripe', rawBody, async (req, res) => {
    const body: unknown = req.body;
    const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
    const answer = await receiveWebhook(billing, bytes, req.get('stripe-signature') ?? '');
    if (answer === 'refused') return send(res, unsignedWebhook);
    res.json({ received: true });
  });
}

type WebhookAnswer = 'accepted' | 'refused';

export async function receiveWebhook(
  billing: Billing,
  body: Buffer,
  signature: string,
): Promise<WebhookAnswer> {
  const { webhooks } = billing.meters;
  const reading = readWebhook(billing.stripe, body, signature, billing.clock.now());
  if (reading.ok) return apply(billing, reading.event);
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

async function apply(billing: Billing, event: ProviderEvent): Promise<WebhookAnswer> {
  const { webhooks, webhookDelay } = billing.meters;
  const now = billing.clock.now();
  try {
    const outcome = await applyEvent(billing, event);
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
