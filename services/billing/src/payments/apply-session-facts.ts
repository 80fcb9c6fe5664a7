/** Applies what Stripe says of the latest session of a checkout: for callers who have asked about it, or have expired it. */
import type { Billing } from '../billing.ts';
import { type CardPayment, purchaseName } from '../domain/payments/card-payment.ts';
import { isUnpayable } from '../domain/payments/checkout.ts';
import type { PaymentOutcome } from '../domain/payments/event-outcomes.ts';
import type { SessionFacts } from '../stripe/read-event.ts';
import { recordFoundPayment } from './record-payment.ts';

/** A payment that is found is recorded. `unpayable`: the session can certainly not be paid any more. */
export async function applySessionFacts(
  billing: Billing,
  payment: CardPayment,
  { status, isPaid, receipt }: SessionFacts,
): Promise<{ readonly unpayable: boolean; readonly recorded: PaymentOutcome | null }> {
  const { session } = payment.checkout;
  const recorded =
    isPaid && receipt !== null ? await recordFoundPayment(billing, receipt, session.expiresAt) : null;
  if (status === 'missing') {
    const { sessionId, expiresAt } = session;
    // The key belongs to another account, or test data were deleted at Stripe.
    billing.logger.warn(
      { purchase: purchaseName(payment.purchase), mode: payment.book.mode, sessionId, expiresAt },
      'the card provider does not know a session of ours: it counts as over ten minutes after its end',
    );
  }
  return { unpayable: isUnpayable(session, status, billing.clock.now()), recorded };
}
