import { describe, expect, it } from '@jest/globals';
import { adminUnderTest } from '../../../test/admin-under-test.ts';

const { adminJson, replies } = adminUnderTest();

describe('invoices', () => {
  const at = '2026-06-01T00:00:00.000Z';
  const facts = {
    number: 'INV-000009',
    document: 'invoice',
    invoiceNumber: null,
    cancelsNumber: null,
    kind: 'offer',
    offerId: 7,
    title: 'Tea',
    currency: 'GBP',
    paidAt: at,
    issuedAt: at,
  };
  const invoice = { ...facts, netMinor: '1000', vatMinor: '200', grossMinor: '1200' };
  const shown = { ...facts, net: '10.00', vat: '2.00', gross: '12.00' };
  const creditNote = { number: 'CN-000004', document: 'credit-note', invoiceNumber: 'INV-000009' };

  it('of an organisation are listed page by page, with credit notes', async () => {
    replies['GET /admin/invoices?organisationId=3&mode=LIVE&limit=1'] = {
      mode: 'LIVE',
      invoices: [{ ...invoice, ...creditNote }],
      nextCursor: 'CN-000004',
    };
    expect(await adminJson('invoice list --org 3 --mode live --limit 1')).toEqual({
      status: 0,
      result: { invoices: [{ ...shown, ...creditNote }], org: 3, mode: 'LIVE', nextCursor: 'CN-000004' },
    });
  });

  it('are shown by their number, with whose they are', async () => {
    replies['GET /admin/invoices/INV-000009'] = {
      ...invoice,
      organisationId: 3,
      organisationName: null,
      cause: 'offer 7 paid by card',
    };
    expect(await adminJson('invoice show INV-000009')).toEqual({
      status: 0,
      result: { ...shown, org: 3, organisationName: null, cause: 'offer 7 paid by card' },
    });
  });
});
