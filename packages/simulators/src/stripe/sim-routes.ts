/** `POST /sim/...` for tests and demos, and the payment page for people. Both pay in the same way. */
import type { Express, Response } from 'express';
import { z } from 'zod';
import { faultsRoute } from '../web-server.ts';
import type { Checkout } from './checkout.ts';
import { type Faults, faults } from './faults.ts';
import type { Collection } from './journal.ts';
import { type CheckoutSession, statusAt } from './objects.ts';
import { paymentPage, unknownPage } from './payment-page.ts';
import { summariseSession } from './rendering.ts';
import type { Reversals } from './reversals.ts';

const reversal = z.strictObject({
  /** By default the whole payment. */
  amountMinor: z.int().positive().optional(),
  /** A dispute that takes no money yet. */
  inquiry: z.boolean().optional(),
  /** A refund that has not succeeded yet. */
  pending: z.boolean().optional(),
});
const closing = z.strictObject({ outcome: z.enum(['won', 'lost']) });

export function mountSim(
  app: Express,
  o: {
    checkout: Checkout;
    sessions: Collection<CheckoutSession>;
    reversals: Reversals;
    setFaults: (faults: Faults) => void;
  },
): void {
  const { checkout, sessions } = o;

  app.get('/sim/sessions/:id', (req, res) => {
    const session = sessions.get(req.params.id);
    if (session) res.json(summariseSession(session, checkout.nowSeconds()));
    else res.status(404).json({ message: 'No such session' });
  });

  app.post('/sim/sessions/:id/pay', (req, res) => {
    const session = sessions.get(req.params.id);
    const paid = session && checkout.pay(session);
    if (!session) res.status(404).json({ message: 'No such session' });
    else if (paid) res.json(summariseSession(paid, checkout.nowSeconds()));
    else res.status(409).json({ message: `The session is ${statusAt(session, checkout.nowSeconds())}` });
  });

  const answer = (res: Response, made: object | undefined) => {
    if (made) res.json(made);
    else res.status(409).json({ message: 'Nothing was paid, or there is no such id' });
  };

  app.post('/sim/sessions/:id/refund', (req, res) => {
    const session = sessions.get(req.params.id);
    const asked = reversal.parse(req.body ?? {});
    answer(res, session && o.reversals.refund(session, asked));
  });
  app.post('/sim/refunds/:id/complete', (req, res) => answer(res, o.reversals.completeRefund(req.params.id)));
  app.post('/sim/refunds/:id/fail', (req, res) => answer(res, o.reversals.failRefund(req.params.id)));
  app.post('/sim/sessions/:id/dispute', (req, res) => {
    const session = sessions.get(req.params.id);
    const { amountMinor, inquiry } = reversal.parse(req.body ?? {});
    answer(
      res,
      session &&
        o.reversals.dispute(session, {
          ...(amountMinor !== undefined && { amount: amountMinor }),
          ...(inquiry !== undefined && { inquiry }),
        }),
    );
  });
  app.post('/sim/disputes/:id/close', (req, res) => {
    const { outcome } = closing.parse(req.body ?? {});
    answer(res, o.reversals.closeDispute(req.params.id, outcome));
  });

  faultsRoute(app, '/sim/faults', { schema: faults, set: o.setFaults });

  app.get('/c/pay/:id', (req, res) => {
    const session = sessions.get(req.params.id);
    res.status(session ? 200 : 404).type('html');
    res.send(session ? paymentPage(session, checkout.nowSeconds()) : unknownPage());
  });

  app.post('/c/pay/:id', (req, res) => {
    const session = sessions.get(req.params.id);
    const paid = session && checkout.pay(session);
    // If it is not open any more, the page says why.
    if (paid) res.redirect(303, paid.successUrl.replaceAll('{CHECKOUT_SESSION_ID}', paid.id));
    else res.redirect(303, req.path);
  });
}
