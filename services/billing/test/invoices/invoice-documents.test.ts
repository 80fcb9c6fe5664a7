import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { documentOf } from '../../src/domain/invoices/invoice-document.ts';
import { invoicePage, invoicePageHeaders } from '../../src/invoices/documents/invoice-page.ts';
import { invoicePdf } from '../../src/invoices/documents/invoice-pdf.ts';
import { hostile, sampleInvoice } from './invoice-samples.ts';

const textOf = (page: string) =>
  page
    .replace(/<style>.*<\/style>/s, '')
    .replace(/<[^>]+>/g, '\n')
    .replace(/\p{Zs}/gu, ' ');

describe('the document', () => {
  it('of a British organisation shows net, VAT and total as they were charged', () => {
    expect(documentOf(sampleInvoice())).toMatchObject({
      heading: 'Invoice',
      number: 'INV-000042',
      warning: null,
      note: null,
      totals: [
        { name: 'Net', value: expect.stringMatching(/^GBP\s12,345\.67$/) },
        { name: 'VAT 20%', value: expect.stringMatching(/^GBP\s2,469\.13$/) },
        { name: 'Total', value: expect.stringMatching(/^GBP\s14,814\.80$/) },
      ],
      buyer: { lines: ['Corner Cafe Ltd', 'United Kingdom', 'Organisation 12'] },
    });
  });

  it('of any other has no VAT line, and says why', () => {
    const { totals, note } = documentOf(
      sampleInvoice({ vatMinor: 0n, vatPercent: 0, buyer: { name: 'Kawiarnia', country: 'PL' } }),
    );
    expect(totals.map(({ name }) => name)).toEqual(['Net', 'Total']);
    expect(note).toContain('No UK VAT');
  });

  it('of TEST mode says on page and number that it is none', () => {
    const document = documentOf(
      sampleInvoice({ book: { organisationId: 12, mode: 'TEST', currency: 'GBP' } }),
    );
    expect(document.number).toBe('TEST-000042');
    const text = textOf(invoicePage(document));
    expect(text).toContain('TEST, not an invoice');
    expect(text).not.toContain('Invoice number');
    expect(textOf(invoicePage(documentOf(sampleInvoice())))).not.toContain('TEST');
  });

  it('of an organisation that is not known yet names its number', () => {
    expect(documentOf(sampleInvoice({ buyer: null })).buyer.lines).toEqual(['Organisation 12']);
  });
});

describe('the page', () => {
  it.each(hostile)('takes %j for text, as title and as name', (text) => {
    const harmless = invoicePage(
      documentOf(sampleInvoice({ title: 'x', buyer: { name: 'x', country: 'GB' } })),
    );
    const page = invoicePage(
      documentOf(sampleInvoice({ title: text, buyer: { name: text, country: 'GB' } })),
    );
    const tagsOf = (html: string) => html.match(/<[^>]*>/g);
    expect(tagsOf(page)).toEqual(tagsOf(harmless));
    expect(page.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202A-\u202E\u2066-\u2069]/u);
    expect(page.isWellFormed()).toBe(true);
    expect(page.length).toBeLessThan(20_000);
  });

  it('may load nothing but its own style', () => {
    const page = invoicePage(documentOf(sampleInvoice()));
    const style = /<style>(.*)<\/style>/s.exec(page)?.[1] ?? '';
    const hash = createHash('sha256').update(style).digest('base64');
    expect(invoicePageHeaders['Content-Security-Policy']).toContain(`style-src 'sha256-${hash}'`);
    expect(invoicePageHeaders['Content-Security-Policy']).toMatch(/^default-src 'none'; /);
    expect(page).not.toMatch(/https?:|src=|href=|style=|url\(/);
  });
});

describe('the PDF', () => {
  const pdfOf = (facts: Parameters<typeof sampleInvoice>[0] = {}) =>
    invoicePdf(documentOf(sampleInvoice(facts)));

  it('of the same invoice has the same bytes, whatever was made in between', async () => {
    const first = await pdfOf();
    await pdfOf({ title: 'Żółć שלום' });
    expect((await pdfOf()).equals(first)).toBe(true);
    // Nothing of the moment at which it was made.
    const dates = first.toString('latin1').match(/\(D:\d+Z?\)/g);
    expect(new Set(dates)).toEqual(new Set(['(D:20261121000100Z)']));
  });

  it('holds its text as text, in fonts that are inside', async () => {
    const pdf = (await pdfOf()).toString('latin1');
    expect(pdf.match(/\/FontFile2 /g)).toHaveLength(2);
    expect(pdf.match(/\/ToUnicode /g)).toHaveLength(2);
  });

  it.each(hostile)('takes %j for text, and has one page of bounded size', async (text) => {
    const pdf = await pdfOf({ title: text, buyer: { name: text, country: 'GB' } });
    const raw = pdf.toString('latin1');
    expect(raw.startsWith('%PDF-')).toBe(true);
    expect(raw.match(/\/Type \/Page\b/g)).toHaveLength(1);
    expect(raw).not.toMatch(/\/(JavaScript|JS|Launch|OpenAction|AA|URI|EmbeddedFile)\b/);
    expect(pdf.length).toBeLessThan(60_000);
  });
});
