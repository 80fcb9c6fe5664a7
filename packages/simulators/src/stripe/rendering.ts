/** Objects as Stripe's API returns them. The SDK's types check the shapes. Fields that would be null and that nobody reads are left out. */
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

type Rendered<T> = T extends readonly (infer Item)[]
  ? Rendered<Item>[]
  : T extends object
    ? { [Field in keyof T as null extends T[Field] ? never : Field]: Rendered<T[Field]> } & {
        [Field in keyof T as null extends T[Field] ? Field : never]?: Rendered<T[Field]>;
      }
    : T;

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
    amount_subtotal: totals.subtotal,
    amount_total: totals.total,
    automatic_tax: { enabled: false },
    cancel_url: session.cancelUrl,
    client_reference_id: session.clientReferenceId,
    created: session.created,
    currency: session.currency,
    custom_fields: [],
    custom_text: {},
    customer_creation: 'if_required',
    customer_details: email ? { email } : null,
    customer_email: session.customerEmail,
    discounts: [],
    expires_at: session.expiresAt,
    livemode: session.livemode,
    metadata: { ...session.metadata },
    mode: 'payment',
    payment_intent: paid?.paymentIntent ?? null,
    payment_method_collection: 'if_required',
    payment_method_options: {},
    payment_method_types: ['card'],
    payment_status: paid ? 'paid' : 'unpaid',
    shipping_options: [],
    status,
    success_url: session.successUrl,
    total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: totals.tax },
    ui_mode: 'hosted_page',
    url: status === 'open' ? o.pageUrl : null,
  } satisfies Rendered<Stripe.Checkout.Session>;
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
      livemode: session.livemode,
      metadata: {},
      product: line.productId,
      tax_behavior: 'unspecified',
      type: 'one_time',
      unit_amount: line.unitAmount,
      // The SDK turns this text into its Decimal.
      unit_amount_decimal: `${line.unitAmount}`,
    },
    quantity: line.quantity,
  } satisfies Rendered<Omit<Stripe.LineItem, 'price'>> & {
    price: Rendered<Omit<Stripe.Price, 'unit_amount_decimal'>> & { unit_amount_decimal: string };
  };
}

export function renderRefund(refund: Refund): object {
  return {
    id: refund.id,
    object: 'refund',
    amount: refund.amount,
    created: refund.created,
    currency: refund.currency,
    metadata: {},
    payment_intent: refund.paymentIntent,
    reason: 'requested_by_customer',
    status: refund.status,
  } satisfies Rendered<Stripe.Refund>;
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
      fee: 0,
      fee_details: [],
      net: amount,
      reporting_category: category,
      source: dispute.id,
      status: 'available',
      type: 'adjustment',
    }) satisfies Rendered<Stripe.BalanceTransaction>;
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
    evidence: { enhanced_evidence: {} },
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
  } satisfies Rendered<Stripe.Dispute>;
}

const EVIDENCE_WITHIN_SECONDS = 14 * 24 * 60 * 60;

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
