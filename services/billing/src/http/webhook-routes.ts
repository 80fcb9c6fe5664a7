/** `/webhooks/stripe`: answers 200 only after the event is committed; on any other answer Stripe sends the event again. */
import express, { type Express } from 'express';
import type { Billing } from '../billing.ts';
import { createEventQueue } from '../webhooks/event-queue.ts';
import { receiveWebhook } from '../webhooks/receive-webhook.ts';
import { send, unsignedWebhook } from './replies.ts';

/** Stripe's events are a few kilobytes. */
const LARGEST_EVENT = '512kb';

export function webhookRoutes(app: Express, billing: Billing): void {
  const events = createEventQueue(billing);
  // The unparsed bytes, because the signature covers them.
  const rawBody = express.raw({ type: () => true, limit: LARGEST_EVENT, inflate: false });
  app.post('/webhooks/stripe', rawBody, async (req, res) => {
    const body: unknown = req.body;
    const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
    const answer = await receiveWebhook(billing, events, bytes, req.get('stripe-signature') ?? '');
    if (answer === 'refused') return send(res, unsignedWebhook);
    res.json({ received: true });
  });
}
