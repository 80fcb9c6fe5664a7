/** Stripe does not know a session that it created for us: the key belongs to another account, or test data were deleted there. */
import type { Billing } from '../billing.ts';
import { type CardPayment, purchaseName } from '../domain/payments/card-payment.ts';

export function reportMissing({ logger }: Pick<Billing, 'logger'>, payment: CardPayment): void {
  const { sessionId, expiresAt } = payment.checkout.session;
  logger.warn(
    { purchase: purchaseName(payment.purchase), mode: payment.book.mode, sessionId, expiresAt },
    'the card provider does not know a session of ours: it counts as over ten minutes after its end',
  );
}
