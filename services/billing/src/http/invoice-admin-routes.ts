/** Invoices for the platform team: those of one organisation, or any one by its number. */
import { type AdminInvoice, adminInvoicesQuery } from '@offer-ads/contracts/admin/billing-api';
import { validInput } from '@offer-ads/platform/http/valid-input';
import type { Router } from 'express';
import type { Billing } from '../billing.ts';
import { parseInvoiceNumber } from '../domain/invoices/invoice.ts';
import { findByNumber } from '../invoices/invoices-store.ts';
import { readInvoices, summaryOf } from '../invoices/read-invoices.ts';

/** `routes` has already checked the credential. */
export function invoiceAdminRoutes(routes: Router, { postgres }: Billing): void {
  routes.get('/invoices', async (req, res) => {
    const { cursor, limit, ...files } = validInput(adminInvoicesQuery, req.query);
    res.json(await readInvoices(postgres, files, { cursor, limit }));
  });

  routes.get('/invoices/:number', async (req, res) => {
    const place = parseInvoiceNumber(req.params.number);
    const invoice = place && (await findByNumber(postgres, place));
    if (!invoice) return void res.status(404).json({ message: 'There is no such invoice' });
    res.json({
      ...summaryOf(invoice),
      organisationId: invoice.book.organisationId,
      organisationName: invoice.buyer?.name ?? null,
      cause: invoice.cause,
    } satisfies AdminInvoice);
  });
}
