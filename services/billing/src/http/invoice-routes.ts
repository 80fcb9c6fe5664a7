/** Invoices and credit notes of the caller's organisation and mode: the list, and each as a page and as a PDF. */
import { invoiceFile, invoicesQuery } from '@offer-ads/contracts/internal/billing-api';
import { callerOf, requireCaller } from '@offer-ads/platform/calls/caller-context';
import { validInput } from '@offer-ads/platform/http/valid-input';
import { Fault } from '@offer-ads/platform/process/faults';
import express, { type Express, type Request, type Response } from 'express';
import type { Billing } from '../billing.ts';
import { type BillingDocument, parseDocumentNumber } from '../domain/invoices/invoice.ts';
import { documentOf } from '../domain/invoices/invoice-document.ts';
import { invoicePage, invoicePageHeaders } from '../invoices/documents/invoice-page.ts';
import type { PdfMaker } from '../invoices/documents/pdf-maker.ts';
import { findDocument } from '../invoices/invoices-store.ts';
import { readInvoices } from '../invoices/read-invoices.ts';

export function invoiceRoutes(app: Express, billing: Billing, pdfs: PdfMaker, contextSecret: string): void {
  const routes = express.Router();
  routes.use(requireCaller({ secret: contextSecret, audience: 'billing', clock: billing.clock }));

  routes.get('/', async (req, res) => {
    res.json(await readInvoices(billing.postgres, callerOf(req), validInput(invoicesQuery, req.query)));
  });

  routes.get('/:file', async (req, res) => {
    const document = documentOf(await find(req));
    if (req.params.file.endsWith('.html')) {
      res.set(invoicePageHeaders).type('html').send(invoicePage(document));
    } else {
      sendPdf(res, document.number, await pdfs.make(document));
    }
  });

  app.use('/internal/invoices', routes);

  /** Answers the same 404 for a document that does not exist, belongs to another organisation, or has the other mode. */
  async function find(req: Request): Promise<BillingDocument> {
    const scope = callerOf(req);
    const file = invoiceFile.safeParse(req.params.file);
    const key = file.success ? parseDocumentNumber(file.data.split('.')[0] ?? '') : null;
    const found = key?.mode === scope.mode ? await findDocument(billing.postgres, key) : undefined;
    if (found !== undefined && found.book.organisationId === scope.organisationId) return found;
    throw new Fault('no such document', { status: 404, publicMessage: 'Not found' });
  }
}

export function sendPdf(res: Response, number: string, pdf: Buffer): void {
  res
    .set({
      'Cache-Control': 'private, no-store',
      'Content-Disposition': `attachment; filename="${number}.pdf"`,
      'X-Content-Type-Options': 'nosniff',
    })
    .type('pdf')
    .send(pdf);
}
