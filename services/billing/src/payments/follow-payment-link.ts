/** What a payer gets who follows the stable link: the open session, a new one if the last has expired, or a page. */
import type { Deadline } from '@offer-ads/platform/calls/deadline';
import type { Billing } from '../billing.ts';
import type { CardPayment } from '../domain/payments/card-payment.ts';
import { payerMeets } from '../domain/payments/checkout.ts';
import { retrieveSession } from '../stripe/sessions.ts';
import { ensureSession, startNextGeneration } from './ensure-session.ts';
import { findCardPaymentByToken } from './payments-store.ts';
import { applySessionFacts } from './record-payment.ts';

export type LinkLeadsTo =
  | { readonly kind: 'session'; readonly url: string; readonly payment: CardPayment }
  | { readonly kind: 'paid' | 'closed' | 'ended' | 'unavailable'; readonly payment: CardPayment }
  | { readonly kind: 'unknown' };

/** Throws a 503 if Stripe is unreachable and a session must be opened. */
export async function followPaymentLink(
  billing: Billing,
  payToken: string,
  deadline: Deadline,
): Promise<LinkLeadsTo> {
  const payment = await findCardPaymentByToken(billing.postgres, payToken);
  if (payment === undefined) return { kind: 'unknown' };
  const met = payerMeets(payment.checkout, billing.clock.now());
  if (met.kind !== 'no-session') return leadsTo(payment, met);
  if (met.why === 'expired') await renewIfUnpayable(billing, payment, deadline);
  const latest = await findCardPaymentByToken(billing.postgres, payToken);
  if (latest === undefined) return { kind: 'unknown' };
  const ready = await ensureSession(billing, latest, deadline);
  if (ready === 'too-small') return { kind: 'unavailable', payment: latest };
  return leadsTo(latest, payerMeets(ready.checkout, billing.clock.now()));
}

/** The same without creating a session or calling Stripe: for HEAD, and for the pages after a payment. */
export async function lookAtPaymentLink(billing: Billing, payToken: string): Promise<LinkLeadsTo> {
  const payment = await findCardPaymentByToken(billing.postgres, payToken);
  if (payment === undefined) return { kind: 'unknown' };
  return leadsTo(payment, payerMeets(payment.checkout, billing.clock.now()));
}

/** Starts only when Stripe confirms that the last session is over, so that a payment in its last second counts. */
async function renewIfUnpayable(billing: Billing, payment: CardPayment, deadline: Deadline): Promise<void> {
  const { session } = payment.checkout;
  // Expired without an id: Stripe never returned this session, so no payer ever reached it.
  if (!session.expired && session.sessionId !== null) {
    const facts = await retrieveSession(billing.stripe, payment.book.mode, session.sessionId, deadline);
    if (!(await applySessionFacts(billing, payment, facts)).unpayable) return;
  }
  await startNextGeneration(billing, payment);
}

function leadsTo(payment: CardPayment, met: ReturnType<typeof payerMeets>): LinkLeadsTo {
  if (met.kind === 'session') return { ...met, payment };
  if (met.kind === 'closing' || met.kind === 'no-session') return { kind: 'unavailable', payment };
  return { kind: met.kind, payment };
}
