/** Routes for the services offers and gateway; the contract `billing-api` gives shapes and meanings. */

import {
  type BalanceReply,
  type ChargeReply,
  type CheckoutReply,
  type CreditPreviewReply,
  chargeRequest,
  checkoutRequest,
  closeCheckoutRequest,
  creditPreviewRequest,
  groupChargeRequest,
  groupCheckoutRequest,
  type KeepCheckoutReply,
  keepCheckoutRequest,
  lowBalanceRequest,
  type SpendingReply,
  statementCsvQuery,
  statementQuery,
} from '@offer-ads/contracts/internal/billing-api';
import type { CallerContext } from '@offer-ads/contracts/internal/caller-context';
import { groupId, offerId } from '@offer-ads/contracts/values/primitives';
import { sum } from '@offer-ads/contracts/values/sum';
import { callerOf, requireCaller } from '@offer-ads/platform/calls/caller-context';
import { requestFacts } from '@offer-ads/platform/http/request';
import { jsonBody } from '@offer-ads/platform/http/request-bodies';
import { validInput } from '@offer-ads/platform/http/valid-input';
import { Fault, tooManyRequests } from '@offer-ads/platform/process/faults';
import { createKeyedSemaphore } from '@offer-ads/platform/process/keyed-semaphore';
import express, { type Express, type Request } from 'express';
import { z } from 'zod';
import { chargeOffer } from '../balance/charge-offer.ts';
import { previewCredit } from '../balance/credit-offer.ts';
import { changeLowBalance, readLowBalance } from '../balance/low-balance.ts';
import type { Billing } from '../billing.ts';
import type { Book } from '../domain/ledger/ledger.ts';
import type { GroupOffer, GroupSale, OfferSale, Order } from '../domain/payments/offer-payment.ts';
import { hasLimit, type Left, leftOf } from '../domain/payments/spending.ts';
import { balanceName, balanceOf } from '../ledger/ledger-store.ts';
import { closeCheckout, keepCheckout } from '../payments/close-checkout.ts';
import { openCheckout } from '../payments/open-checkout.ts';
import { resolveCharge } from '../payments/resolve-charge.ts';
import { findOrdered } from '../payments/spending-store.ts';
import { readStatement } from '../statement/read-statement.ts';
import { stripeDeadline } from '../stripe/client.ts';
import { addMoneyRoutes } from './add-money-routes.ts';
import { sendStatementCsv } from './statement-csv.ts';

/**
 * They wait for the lock of the balance, so two at once are as fast as more: one waits for the disk, one is posted. The others wait without a
 * connection to the database, as many as a slow machine charges in two seconds (decision 161, bounded queues). The refusal is 429, because
 * it concerns one balance: on a 503, offers would treat billing as down.
 */
const CHARGES_OF_A_BALANCE = {
  of: 'charges of a balance',
  atOnce: 2,
  waiting: 62,
  refusal: tooManyRequests,
};

const offerPath = z.object({ id: z.coerce.number().pipe(offerId) });
const groupPath = z.object({ id: z.coerce.number().pipe(groupId) });

export function internalRoutes(app: Express, billing: Billing, contextSecret: string): void {
  const charges = createKeyedSemaphore(CHARGES_OF_A_BALANCE);
  const routes = express.Router();
  routes.use(requireCaller({ secret: contextSecret, audience: 'billing', clock: billing.clock }));
  routes.use(jsonBody({ maxBytes: 16 * 1024 }));

  const charge = async (req: Request, sale: Unowned): Promise<ChargeReply> => {
    const facts = requestFacts(req);
    const deadline = facts.deadline();
    const order = orderOf(req, sale);
    const work = () => chargeOffer(billing, order, facts.receivedAt, deadline);
    return charges.run(balanceName(order.book), work, deadline);
  };

  routes.post('/charges', async (req, res) => {
    res.json(await charge(req, offerIn(validInput(chargeRequest, req.body))));
  });

  routes.post('/group-charges', async (req, res) => {
    const { groupId, offers } = validInput(groupChargeRequest, req.body);
    res.json(await charge(req, groupIn({ groupId, title: '', offers })));
  });

  const open = (req: Request, sale: Unowned, offerExpiryAt: string): Promise<CheckoutReply> => {
    const { country } = callerOf(req);
    const order = { ...orderOf(req, sale), country, offerExpiryAt: new Date(offerExpiryAt) };
    return openCheckout(billing, order, stripeDeadlineOf(req));
  };

  routes.post('/checkouts', async (req, res) => {
    const { offerExpiryAt, ...offer } = validInput(checkoutRequest, req.body);
    res.json(await open(req, offerIn(offer), offerExpiryAt));
  });

  routes.post('/group-checkouts', async (req, res) => {
    const { offerExpiryAt, ...group } = validInput(groupCheckoutRequest, req.body);
    res.json(await open(req, groupIn(group), offerExpiryAt));
  });

  for (const [path, saleOf] of [
    ['/offers/:id', offerOf],
    ['/groups/:id', groupOf],
  ] as const) {
    routes.post(`${path}/close-checkout`, async (req, res) => {
      const { deletion } = validInput(closeCheckoutRequest, req.body);
      res.json({ outcome: await closeCheckout(billing, saleOf(req), stripeDeadlineOf(req), deletion) });
    });

    routes.post(`${path}/keep-checkout`, async (req, res) => {
      const { deletion } = validInput(keepCheckoutRequest, req.body);
      const outcome = await keepCheckout(billing, saleOf(req), deletion);
      res.json({ outcome } satisfies KeepCheckoutReply);
    });

    routes.post(`${path}/resolve-charge`, async (req, res) => {
      res.json(await resolveCharge(billing, saleOf(req), stripeDeadlineOf(req)));
    });
  }

  routes.post('/offers/:id/credit-preview', async (req, res) => {
    const unusedTime = validInput(creditPreviewRequest, req.body);
    const { creditMinor, creditedMinor } = await previewCredit(billing.postgres, offerOf(req), unusedTime);
    res.json({
      creditMinor: `${creditMinor}`,
      creditedMinor: `${creditedMinor}`,
    } satisfies CreditPreviewReply);
  });

  routes.get('/spending', async (req, res) => {
    const { day, month } = await readLeft(billing, callerOf(req), requestFacts(req).receivedAt);
    const inJson = (left: Left | null) =>
      left && { limitMinor: `${left.limitMinor}`, leftMinor: `${left.leftMinor}` };
    res.json({ day: inJson(day), month: inJson(month) } satisfies SpendingReply);
  });

  routes.get('/balance', async (req, res) => {
    const book = bookOf(callerOf(req));
    const balanceMinor = `${await balanceOf(billing.postgres, book)}`;
    res.json({ mode: book.mode, currency: book.currency, balanceMinor } satisfies BalanceReply);
  });

  routes.get('/statement', async (req, res) => {
    const query = validInput(statementQuery, req.query);
    res.json(await readStatement(billing.postgres, bookOf(callerOf(req)), query));
  });

  routes.get('/statement.csv', async (req, res) => {
    const query = validInput(statementCsvQuery, req.query);
    await sendStatementCsv(billing.postgres, bookOf(callerOf(req)), query, res);
  });

  routes
    .route('/low-balance-threshold')
    .get(async (req, res) => {
      res.json(await readLowBalance(billing.postgres, bookOf(callerOf(req))));
    })
    .put(async (req, res) => {
      const { thresholdMinor } = validInput(lowBalanceRequest, req.body);
      const deadline = requestFacts(req).deadline();
      res.json(await changeLowBalance(billing.postgres, bookOf(callerOf(req)), thresholdMinor, deadline));
    });

  addMoneyRoutes(routes, billing);
  app.use('/internal', routes);
}

export function bookOf({ organisationId, mode, currency }: CallerContext): Book {
  return { organisationId, mode, currency };
}

/** What the caller may still order. Without a limit nothing is counted. */
export async function readLeft(billing: Pick<Billing, 'postgres'>, caller: CallerContext, at: Date) {
  const { spending } = caller;
  if (!hasLimit(spending)) return { day: null, month: null };
  return leftOf(spending, await findOrdered(billing.postgres, { book: bookOf(caller), spending }, at));
}

function offerOf(req: Request) {
  return { offerId: validInput(offerPath, req.params).id, book: bookOf(callerOf(req)) };
}

function groupOf(req: Request) {
  return { groupId: validInput(groupPath, req.params).id, book: bookOf(callerOf(req)) };
}

/** Before it is known whose sale it is. */
type Unowned = Omit<OfferSale, 'book'> | Omit<GroupSale, 'book'>;

function orderOf(req: Request, sale: Unowned): Order {
  const caller = callerOf(req);
  return { ...sale, book: bookOf(caller), spending: caller.spending };
}

function offerIn({ offerId, title, netMinor }: z.infer<typeof chargeRequest>): GroupOffer {
  return { offerId, title, netMinor: amountOf(netMinor) };
}

function groupIn(group: z.infer<typeof groupChargeRequest> & { readonly title: string }): Unowned {
  const offers = group.offers.map(offerIn);
  const netMinor = sum(offers.map((offer) => offer.netMinor));
  return { groupId: group.groupId, title: group.title, offers, netMinor };
}

function stripeDeadlineOf(req: Request) {
  return stripeDeadline(requestFacts(req).deadline());
}

/** Minor units in the contract may be negative; prices may not. */
function amountOf(netMinor: string): bigint {
  const amount = BigInt(netMinor);
  if (amount >= 0n) return amount;
  throw new Fault('a price below zero', { status: 400, publicMessage: 'netMinor: must not be negative' });
}
