/** Routes for the platform team's tool: balances, top-ups, invoices, payments, and the check of the ledger. */
import {
  type AdminInvoice,
  adminInvoicesQuery,
  adminStatementQuery,
  type BalanceStanding,
  balanceQuery,
  lowBalanceOrder,
  revenueQuery,
  topUpRequest,
} from '@offer-ads/contracts/admin/billing-api';
import {
  type BilledPayment,
  type billedPayments,
  paymentsPage,
  type VoidReply,
} from '@offer-ads/contracts/internal/payments-api';
import type { AdminGuard } from '@offer-ads/platform/admin/routes';
import { requestFacts } from '@offer-ads/platform/http/request';
import { validInput } from '@offer-ads/platform/http/valid-input';
import express, { type Express, type Router } from 'express';
import { z } from 'zod';
import { changeLowBalance, readLowBalance } from '../balance/low-balance.ts';
import { topUpBalance } from '../balance/top-up-balance.ts';
import type { Billing } from '../billing.ts';
import { parseDocumentNumber } from '../domain/invoices/invoice.ts';
import { documentOf } from '../domain/invoices/invoice-document.ts';
import { paidAt } from '../domain/payments/offer-payment.ts';
import type { PdfMaker } from '../invoices/documents/pdf-maker.ts';
import { findDocument } from '../invoices/invoices-store.ts';
import { readInvoices, summaryOf } from '../invoices/read-invoices.ts';
import { balanceOf } from '../ledger/ledger-store.ts';
import { checkAndRecord } from '../ledger/watch-ledger.ts';
import { listPayments } from '../payments/payments-store.ts';
import { voidPayment } from '../payments/void-payment.ts';
import { readRevenue } from '../statement/read-revenue.ts';
import { readStatement } from '../statement/read-statement.ts';
import { cardProblemRoutes } from './card-problem-routes.ts';
import { sendPdf } from './invoice-routes.ts';
import { platformTopUpReplies, refuse, send, unknownInvoice, unknownPayment } from './replies.ts';

export function adminRoutes(app: Express, billing: Billing, pdfs: PdfMaker, admin: AdminGuard): void {
  const routes = express.Router();
  routes.use(admin(16 * 1024));

  routes.get('/balances', async (req, res) => {
    const book = validInput(balanceQuery, req.query);
    const balanceMinor = `${await balanceOf(billing.postgres, book)}`;
    res.json({ ...book, balanceMinor } satisfies BalanceStanding);
  });

  routes.post('/balances/top-up', async (req, res) => {
    const { amountMinor, reference, ...book } = validInput(topUpRequest, req.body);
    const result = await topUpBalance(
      billing.postgres,
      { book, amountMinor, reference },
      billing.clock.now(),
      requestFacts(req).deadline(),
    );
    if (!result.ok) return refuse(res, platformTopUpReplies, result);
    res.json({ ...book, balanceMinor: `${result.balanceMinor}` } satisfies BalanceStanding);
  });

  routes.get('/balances/statement', async (req, res) => {
    const { organisationId, mode, currency, ...query } = validInput(adminStatementQuery, req.query);
    res.json(await readStatement(billing.postgres, { organisationId, mode, currency }, query));
  });

  routes.get('/balances/revenue', async (req, res) => {
    const query = validInput(revenueQuery, req.query);
    res.json(await readRevenue(billing.postgres, query, billing.clock.now()));
  });

  routes
    .route('/balances/threshold')
    .get(async (req, res) => {
      res.json(await readLowBalance(billing.postgres, validInput(balanceQuery, req.query)));
    })
    .put(async (req, res) => {
      const { thresholdMinor, ...book } = validInput(lowBalanceOrder, req.body);
      const deadline = requestFacts(req).deadline();
      res.json(await changeLowBalance(billing.postgres, book, thresholdMinor, deadline));
    });

  routes.get('/ledger/check', async (_req, res) => {
    res.json(await checkAndRecord(billing));
  });

  invoiceRoutes(routes, billing, pdfs);
  paymentRoutes(routes, billing);
  cardProblemRoutes(routes, billing);
  app.use('/admin', routes);
}

/** Invoices and credit notes of one organisation, or any one by its number. */
function invoiceRoutes(routes: Router, { postgres }: Billing, pdfs: PdfMaker): void {
  routes.get('/invoices', async (req, res) => {
    const { cursor, limit, ...owner } = validInput(adminInvoicesQuery, req.query);
    res.json(await readInvoices(postgres, owner, { cursor, limit }));
  });

  // Before the route of the facts, which also takes names with a dot.
  routes.get('/invoices/:number.pdf', async (req, res) => {
    const key = parseDocumentNumber(req.params.number);
    const found = key && (await findDocument(postgres, key));
    if (!found) return send(res, unknownInvoice);
    const document = documentOf(found);
    sendPdf(res, document.number, await pdfs.make(document));
  });

  routes.get('/invoices/:number', async (req, res) => {
    const key = parseDocumentNumber(req.params.number);
    const document = key && (await findDocument(postgres, key));
    if (!document) return send(res, unknownInvoice);
    res.json({
      ...summaryOf(document),
      organisationId: document.book.organisationId,
      organisationName: document.buyer?.name ?? null,
      cause: document.cause,
    } satisfies AdminInvoice);
  });
}

const voidedOffer = z.object({ offer_id: z.coerce.number().int().positive() });

/** For `npm run admin -- payments check`: what billing has stored, and the repair that billing does. */
function paymentRoutes(routes: Router, billing: Billing): void {
  routes.get('/payments', async (req, res) => {
    const page = await listPayments(billing.postgres, validInput(paymentsPage, req.query));
    res.json({ payments: page.map(billed) } satisfies z.infer<typeof billedPayments>);
  });

  routes.post('/payments/:offer_id/void', async (req, res) => {
    const { offer_id: offerId } = validInput(voidedOffer, req.params);
    const outcome = await voidPayment(billing, offerId);
    if (outcome === undefined) return send(res, unknownPayment);
    res.json({ offerId, outcome } satisfies VoidReply);
  });
}

function billed({ payment, paidWith }: Awaited<ReturnType<typeof listPayments>>[number]): BilledPayment {
  const { purchase, book, netMinor, earnedMinor } = payment;
  return {
    offerId: purchase.id,
    ...book,
    netMinor: `${netMinor}`,
    paymentMethod: paidWith.method,
    paid: paidAt(payment) !== null,
    open: paidWith.method === 'E' && ['opening', 'open', 'closing'].includes(paidWith.checkout.state),
    creditedMinor: `${earnedMinor}`,
  };
}
