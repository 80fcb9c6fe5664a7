/** Commands for invoices of card payments and their credit notes. */
import { adminInvoice } from '@offer-ads/contracts/admin/billing-api';
import { type InvoiceSummary, invoicesReply } from '@offer-ads/contracts/internal/billing-api';
import { formatMinor } from '@offer-ads/contracts/values/currencies';
import { type Command, command, count, id, modeOption, text } from '../../command.ts';

export const invoiceCommands: readonly Command[] = [
  command({
    name: 'invoice list',
    summary:
      'List the invoices and credit notes of an organisation, newest first; --cursor continues after a page',
    options: { org: id, mode: modeOption, limit: count.optional(), cursor: text.optional() },
    run: async ({ org, mode, limit, cursor }, { call }) => {
      const query = { organisationId: org, mode, limit, cursor };
      const reply = await call('billing', 'GET /admin/invoices', { query });
      const { invoices, nextCursor } = invoicesReply.parse(reply);
      return { invoices: invoices.map(shown), org, mode, nextCursor };
    },
  }),
  command({
    name: 'invoice show',
    summary: 'Show the invoice or credit note with a number, of any organisation',
    options: { number: text.describe('INV-000001, or CN-000001 for a credit note') },
    operand: 'number',
    run: async ({ number }, { call }) => {
      const reply = await call('billing', `GET /admin/invoices/${encodeURIComponent(number)}`);
      const { organisationId, organisationName, cause, ...invoice } = adminInvoice.parse(reply);
      return { ...shown(invoice), org: organisationId, organisationName, cause };
    },
  }),
];

function shown({ netMinor, vatMinor, grossMinor, ...invoice }: InvoiceSummary): object {
  const money = (minor: string) => formatMinor(BigInt(minor), invoice.currency);
  return { ...invoice, net: money(netMinor), vat: money(vatMinor), gross: money(grossMinor) };
}
