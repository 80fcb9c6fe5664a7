/** One webhook of Stripe, applied once, whatever is repeated and in whatever order. Answered only after the commit. */
import type { Transaction } from '@offer-ads/platform/postgres';
import type { Billing } from './billing.ts';
import { sessionExpired } from './domain/checkout.ts';
import type { Seller } from './domain/invoice.ts';
import { isOfBook, type Receipt } from './domain/offer-payment.ts';
import { lockPayment, updateCheckout } from './payments-store.ts';
import { recordOutcome, recordProviderEvent } from './provider-events-store.ts';
import { type Recorded, recordPayment, reportPayment } from './record-payment.ts';
import type { ProviderEvent } from './stripe-webhooks.ts';
import { readWebhook } from './stripe-webhooks.ts';

export type WebhookAnswer = 'accepted' | 'refused';

export async function receiveWebhook(
  billing: Billing,
  body: Buffer,
  signature: string,
): Promise<WebhookAnswer> {
  const now = billing.clock.now();
  const reading = readWebhook(billing.stripe, body, signature, now);
  const webhooks = billing.metrics.counter({
    name: 'stripe_webhooks_total',
    help: 'Webhooks of Stripe, by outcome',
    labelNames: ['outcome'],
  });
  if (!reading.ok) {
    webhooks.inc({ outcome: reading.reason });
    billing.logger.warn({ reason: reading.reason }, 'webhook refused');
    return 'refused';
  }
  const { event } = reading;
  const outcome = await billing.postgres.transaction((tx) =>
    apply(tx, event, { seller: billing.seller, now }),
  );
  webhooks.inc({ outcome });
  const receipt = event.news?.session.receipt;
  if (receipt && event.news?.kind === 'completed' && isAboutPayment(outcome)) {
    reportPayment(billing, receipt, outcome);
  }
  return 'accepted';
}

type Outcome = Recorded | 'seen-before' | 'not-ours' | 'not-paid-yet' | 'session-over';

type Issuing = { readonly seller: Seller; readonly now: Date };

async function apply(tx: Transaction, event: ProviderEvent, issuing: Issuing): Promise<Outcome> {
  const receipt = event.news?.session.receipt ?? null;
  const isNew = await recordProviderEvent(tx, { ...event, receipt }, issuing.now);
  if (!isNew) return 'seen-before';
  const outcome = await effectOf(tx, event, receipt, issuing);
  await recordOutcome(tx, event.eventId, outcome);
  return outcome;
}

async function effectOf(
  tx: Transaction,
  { news }: ProviderEvent,
  receipt: Receipt | null,
  issuing: Issuing,
): Promise<Outcome> {
  if (news === null || receipt === null) return 'not-ours';
  if (news.kind === 'over') return endSession(tx, receipt, issuing.now);
  return news.session.isPaid ? recordPayment(tx, receipt, issuing) : 'not-paid-yet';
}

async function endSession(tx: Transaction, receipt: Receipt, now: Date): Promise<Outcome> {
  const payment = await lockPayment(tx, receipt.offerId);
  if (payment?.method !== 'E' || !isOfBook(payment, receipt)) return 'not-ours';
  await updateCheckout(tx, payment, (checkout) => sessionExpired(checkout, receipt.generation), now);
  return 'session-over';
}

function isAboutPayment(outcome: Outcome): outcome is Recorded {
  return (
    outcome !== 'seen-before' &&
    outcome !== 'not-ours' &&
    outcome !== 'not-paid-yet' &&
    outcome !== 'session-over'
  );
}
