/** For `npm run admin -- payments check`: what billing has stored, and the repair that billing does. */
import {
  type BilledPayment,
  type billedPayments,
  paymentsPage,
  type VoidReply,
} from '@offer-ads/contracts/internal/payments-api';
import { validInput } from '@offer-ads/platform/http/valid-input';
import type { Router } from 'express';
import { z } from 'zod';
import type { Billing } from '../billing.ts';
import { listPayments } from '../checkouts/payments-store.ts';
import { voidPayment } from '../checkouts/void-payment.ts';
import { type OfferPayment, paidAt } from '../domain/payments/offer-payment.ts';

const named = z.object({ offer_id: z.coerce.number().int().positive() });

export function paymentRoutes(routes: Router, billing: Billing): void {
  routes.get('/payments', async (req, res) => {
    const payments = await listPayments(billing.postgres, validInput(paymentsPage, req.query));
    res.json({ payments: payments.map(billed) } satisfies z.infer<typeof billedPayments>);
  });

  routes.post('/payments/:offer_id/void', async (req, res) => {
    const { offer_id: offerId } = validInput(named, req.params);
    const outcome = await voidPayment(billing, offerId);
    if (outcome === undefined) return void res.status(404).json({ message: 'No payment of this offer' });
    res.json({ offerId, outcome } satisfies VoidReply);
  });
}

function billed(payment: OfferPayment): BilledPayment {
  const { offerId, book, netMinor, creditedMinor, method } = payment;
  return {
    offerId,
    ...book,
    netMinor: `${netMinor}`,
    paymentMethod: method,
    paid: paidAt(payment) !== null,
    open: method === 'E' && ['opening', 'open', 'closing'].includes(payment.checkout.state),
    creditedMinor: `${creditedMinor}`,
  };
}
