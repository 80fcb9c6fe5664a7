/** Objects as Stripe's API returns them. The SDK's types check the shapes; unused fields are null. */
import type { Stripe } from 'stripe';
import {
  type CheckoutSession,
  lineTotals,
  newId,
  type SessionLine,
  sessionTotals,
  statusAt,
} from './objects.ts';
import type { Dispute, Refund } from './reversals.ts';

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

export function renderRefund(refund: Refund): object {
  return {
    id: refund.id,
    object: 'refund',
    amount: refund.amount,
    balance_transaction: null,
    charge: null,
    created: refund.created,
    currency: refund.currency,
    customer: null,
    customer_account: null,
    metadata: {},
    payment_intent: refund.paymentIntent,
    payment_method: null,
    reason: 'requested_by_customer',
    receipt_number: null,
    source_transfer_reversal: null,
    status: refund.status,
    transfer_reversal: null,
  } satisfies Stripe.Refund;
}

export function renderDispute(dispute: Dispute): object {
  const { created, currency, withdrawn } = dispute;
  const moved = (amount: number, category: 'dispute' | 'dispute_reversal') =>
    ({
      id: newId('txn'),
      object: 'balance_transaction',
      amount,
      available_on: created,
      balance_type: 'payments',
      created,
      currency,
      description: null,
      exchange_rate: null,
      fee: 0,
      fee_details: [],
      net: amount,
      reporting_category: category,
      source: dispute.id,
      status: 'available',
      type: 'adjustment',
    }) satisfies Stripe.BalanceTransaction;
  return {
    id: dispute.id,
    object: 'dispute',
    amount: dispute.amount,
    balance_transactions: [
      ...(withdrawn ? [moved(-dispute.amount, 'dispute')] : []),
      ...(withdrawn && dispute.status === 'won' ? [moved(dispute.amount, 'dispute_reversal')] : []),
    ],
    charge: newId('ch'),
    created,
    currency,
    enhanced_eligibility_types: [],
    evidence: noEvidence,
    evidence_details: {
      due_by: created + EVIDENCE_WITHIN_SECONDS,
      enhanced_eligibility: {},
      has_evidence: false,
      past_due: false,
      submission_count: 0,
    },
    is_charge_refundable: !withdrawn,
    livemode: dispute.livemode,
    metadata: {},
    payment_intent: dispute.paymentIntent,
    reason: 'fraudulent',
    status: dispute.status,
  } satisfies Stripe.Dispute;
}

const EVIDENCE_WITHIN_SECONDS = 14 * 24 * 60 * 60;

const noEvidence: Stripe.Dispute.Evidence = {
  access_activity_log: null,
  billing_address: null,
  cancellation_policy: null,
  cancellation_policy_disclosure: null,
  cancellation_rebuttal: null,
  customer_communication: null,
  customer_email_address: null,
  customer_name: null,
  customer_purchase_ip: null,
  customer_signature: null,
  duplicate_charge_documentation: null,
  duplicate_charge_explanation: null,
  duplicate_charge_id: null,
  enhanced_evidence: {},
  product_description: null,
  receipt: null,
  refund_policy: null,
  refund_policy_disclosure: null,
  refund_refusal_explanation: null,
  service_date: null,
  service_documentation: null,
  shipping_address: null,
  shipping_carrier: null,
  shipping_date: null,
  shipping_documentation: null,
  shipping_tracking_number: null,
  uncategorized_file: null,
  uncategorized_text: null,
};

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
