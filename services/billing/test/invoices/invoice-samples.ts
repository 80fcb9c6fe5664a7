/** Invoices to make documents of. */
import type { Invoice } from '../../src/domain/invoices/invoice.ts';
import { seller } from '../billing-under-test.ts';

type OfferInvoice = Extract<Invoice, { kind: 'offer' }>;

export function sampleInvoice(facts: Partial<OfferInvoice> = {}): Invoice {
  return {
    kind: 'offer',
    offerId: 34,
    sequence: 42n,
    cause: 'offer 34 paid by card',
    book: { organisationId: 12, mode: 'LIVE', currency: 'GBP' },
    title: 'Two for one',
    netMinor: 1_234_567n,
    vatMinor: 246_913n,
    vatPercent: 20,
    paidAt: new Date('2026-11-20T23:59:00Z'),
    issuedAt: new Date('2026-11-21T00:01:00Z'),
    seller,
    buyer: { name: 'Corner Cafe Ltd', country: 'GB' },
    ...facts,
  };
}

/** What people might write into a name or a title to break a document. */
export const hostile = [
  `</bdi></p><script>alert(1)</script><img src=x onerror="alert('1')">`,
  `"'><svg/onload=alert(1)>`,
  ') Tj ET (evil) \\ endstream endobj << /JS (app.alert(1)) /S /JavaScript >>',
  '\u202Egnp.exe\u2066\u0000\r\n\u0007',
  '\uD800\uDFFF\uD800',
  '👩‍👩‍👧‍👦🏳️‍🌈 北京 שלום (2026) مرحبا',
  `Z${'\u0308'.repeat(200)}`,
  'W'.repeat(5_000),
  '&amp;&lt;',
] as const;
