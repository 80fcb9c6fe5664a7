/** Open checkouts, written into the database, and Stripe's signed events that they were paid. */
import { createHmac } from 'node:crypto';
import type { Postgres } from '@offer-ads/platform/postgres/postgres';
import { ORGANISATIONS } from './charging.ts';

export type Webhook = { readonly body: Buffer; readonly signature: string };

const NET_MINOR = 10_00;
const VAT_MINOR = 2_00;
/** Far from the ids of charges. */
const IDS_FROM = 900_000_000;

let opened = 0;

/** As billing leaves them once Stripe has answered. */
export async function openCheckouts(postgres: Postgres, count: number): Promise<readonly number[]> {
  const from = IDS_FROM + opened;
  opened += count;
  const facts = [from, from + count - 1, ORGANISATIONS];
  await postgres.query(
    `INSERT INTO offer_payments (offer_id, organisation_id, mode, currency, title, net_minor, vat_minor, payment_method,
       state, pay_token, offer_expiry_at)
     SELECT id, 1 + id % $3, 'TEST', 'GBP', 'Two for one', ${NET_MINOR}, ${VAT_MINOR}, 'E', 'open', 'token-' || id,
       now() + interval '10 days'
       FROM generate_series($1::bigint, $2::bigint) AS id`,
    facts,
  );
  await postgres.query(
    `INSERT INTO checkout_sessions (offer_id, generation, session_id, url, begun_at, expires_at, next_check_at)
     SELECT id, 1, 'cs_test_' || id, 'https://checkout.stripe.test/' || id, now(), now() + interval '23 hours',
       now() + interval '5 minutes'
       FROM generate_series($1::bigint, $2::bigint) AS id`,
    facts.slice(0, 2),
  );
  return Array.from({ length: count }, (_, index) => from + index);
}

/** The event as Stripe words it, of about its size, signed for now. */
export function paidWebhook(offerId: number, secret: string): Webhook {
  const seconds = Math.floor(Date.now() / 1_000);
  const session = {
    id: `cs_test_${offerId}`,
    object: 'checkout.session',
    amount_subtotal: NET_MINOR,
    amount_total: NET_MINOR + VAT_MINOR,
    automatic_tax: { enabled: false, liability: null, status: null },
    created: seconds,
    currency: 'gbp',
    livemode: false,
    metadata: {
      offer_id: `${offerId}`,
      organisation_id: `${1 + (offerId % ORGANISATIONS)}`,
      mode: 'TEST',
      generation: '1',
    },
    mode: 'payment',
    payment_intent: `pi_${offerId}`,
    payment_method_types: ['card'],
    payment_status: 'paid',
    status: 'complete',
    total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: VAT_MINOR },
    // Fields of Stripe that billing does not read.
    custom_text: 'x'.repeat(1_500),
  };
  const body = JSON.stringify({
    id: `evt_${offerId}`,
    object: 'event',
    api_version: '2026-01-01',
    created: seconds,
    data: { object: session },
    livemode: false,
    pending_webhooks: 1,
    type: 'checkout.session.completed',
  });
  const mac = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex');
  return { body: Buffer.from(body), signature: `t=${seconds},v1=${mac}` };
}

/** A run counts only when every one was booked as a payment, with its invoice. */
export async function countPaid(postgres: Postgres): Promise<number> {
  const [row] = await postgres.query<{ paid: bigint }>(
    `SELECT count(*) AS paid FROM provider_events JOIN invoices USING (offer_id) WHERE outcome = 'paid'`,
  );
  return Number(row?.paid ?? 0);
}
