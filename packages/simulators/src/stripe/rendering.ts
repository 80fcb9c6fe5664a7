/** Objects as Stripe's API returns them. The SDK's types check the shapes; unused fields are null. */
import type { Stripe } from 'stripe';
import { type CheckoutSession, lineTotals, type SessionLine, sessionTotals, statusAt } from './objects.ts';

export function renderList<T>(url: string, data: T[], hasMore = false) {
  return { object: 'list' as const, data, has_more: hasMore, url };
}

export function renderSession(
  session: CheckoutSession,
  o: { nowSeconds: number; pageUrl: string; withLines: boolean },
): object {
  const totals = sessionTotals(session);
  const status = statusAt(session, o.nowSeconds);
  const paid = session.outcome.status === 'complete' ? session.outcome : undefined;
  const email = paid?.payerEmail ?? session.customerEmail;
  const rendered = {
    id: session.id,
    object: 'checkout.session',
    adaptive_pricing: { enabled: false },
    after_expiration: null,
    allow_promotion_codes: null,
    allowed_payment_method_types: null,
    amount_subtotal: totals.subtotal,
    amount_total: totals.total,
    automatic_tax: { enabled: false, liability: null, provider: null, status: null },
    billing_address_collection: null,
    cancel_url: session.cancelUrl,
    client_reference_id: session.clientReferenceId,
    client_secret: null,
    collected_information: null,
    consent: null,
    consent_collection: null,
    created: session.created,
    currency: session.currency,
    currency_conversion: null,
    custom_fields: [],
    custom_text: {
      after_submit: null,
      shipping_address: null,
      submit: null,
      terms_of_service_acceptance: null,
    },
    customer: null,
    customer_account: null,
    customer_creation: 'if_required',
    customer_details: email
      ? {
          address: null,
          business_name: null,
          email,
          individual_name: null,
          name: null,
          phone: null,
          tax_exempt: 'none',
          tax_ids: null,
        }
      : null,
    customer_email: session.customerEmail,
    discounts: [],
    expires_at: session.expiresAt,
    integration_identifier: null,
    invoice: null,
    invoice_creation: null,
    livemode: session.livemode,
    locale: null,
    managed_payments: null,
    metadata: { ...session.metadata },
    mode: 'payment',
    origin_context: null,
    payment_intent: paid?.paymentIntent ?? null,
    payment_link: null,
    payment_method_collection: 'if_required',
    payment_method_configuration_details: null,
    payment_method_options: {},
    payment_method_types: ['card'],
    payment_status: paid ? 'paid' : 'unpaid',
    permissions: null,
    recovered_from: null,
    saved_payment_method_options: null,
    setup_intent: null,
    shipping_address_collection: null,
    shipping_cost: null,
    shipping_options: [],
    status,
    submit_type: null,
    subscription: null,
    success_url: session.successUrl,
    total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: totals.tax },
    ui_mode: 'hosted_page',
    url: status === 'open' ? o.pageUrl : null,
    wallet_options: null,
  } satisfies Stripe.Checkout.Session;
  return o.withLines ? { ...rendered, line_items: renderLines(session) } : rendered;
}

function renderLines(session: CheckoutSession) {
  return renderList(
    `/v1/checkout/sessions/${session.id}/line_items`,
    session.lines.map((line) => renderLine(session, line)),
  );
}

function renderLine(session: CheckoutSession, line: SessionLine) {
  const totals = lineTotals(line);
  return {
    id: line.id,
    object: 'item',
    adjustable_quantity: null,
    amount_discount: 0,
    amount_subtotal: totals.subtotal,
    amount_tax: totals.tax,
    amount_total: totals.total,
    currency: session.currency,
    description: line.name,
    metadata: {},
    price: {
      id: line.priceId,
      object: 'price',
      active: false,
      billing_scheme: 'per_unit',
      created: session.created,
      currency: session.currency,
      custom_unit_amount: null,
      livemode: session.livemode,
      lookup_key: null,
      metadata: {},
      nickname: null,
      product: line.productId,
      recurring: null,
      tax_behavior: 'unspecified',
      tiers_mode: null,
      transform_quantity: null,
      type: 'one_time',
      unit_amount: line.unitAmount,
      // The SDK turns this text into its Decimal.
      unit_amount_decimal: `${line.unitAmount}`,
    },
    quantity: line.quantity,
  } satisfies Omit<Stripe.LineItem, 'price'> & {
    price: Omit<Stripe.Price, 'unit_amount_decimal'> & { unit_amount_decimal: string };
  };
}

/** `GET /sim/sessions/{id}`: the facts that tests compare. */
export function summariseSession(session: CheckoutSession, nowSeconds: number) {
  const totals = sessionTotals(session);
  return {
    status: statusAt(session, nowSeconds),
    currency: session.currency,
    lines: session.lines.map((line) => ({ name: line.name, amountMinor: lineTotals(line).subtotal })),
    vatMinor: totals.tax,
    totalMinor: totals.total,
  };
}
