import { createHash } from 'node:crypto';
import { inflateSync } from 'node:zlib';
import { afterEach, describe, expect, it } from '@jest/globals';
import {
  MAX_ADDRESS_LINES,
  MAX_CHARACTERS_OF_ADDRESS_LINE,
  MAX_CHARACTERS_OF_PURCHASE_ORDER,
} from '@offer-ads/contracts/values/billing-details';
import type { Buyer, CreditNote, Invoice } from '../../src/domain/invoices/invoice.ts';
import { documentOf } from '../../src/domain/invoices/invoice-document.ts';
import { invoicePage, invoicePageHeaders } from '../../src/invoices/documents/invoice-page.ts';
import { invoicePdf } from '../../src/invoices/documents/invoice-pdf.ts';
import { createPdfMaker, type PdfMaker } from '../../src/invoices/documents/pdf-maker.ts';

type OfferInvoice = Extract<Invoice, { kind: 'offer' }>;

function sampleInvoice(facts: Partial<OfferInvoice> = {}): Invoice {
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
    seller: {
      name: 'Offer Ads Ltd',
      address: '1 Example Street, London, EC1A 1AA',
      vatNumber: 'GB 123 4567 89',
    },
    buyer: cafe(),
    ...facts,
  };
}

/** Of a card payment for so many offers of 10.00. */
function sampleGroupInvoice(
  places: number,
  title = 'Two for one',
  facts: Partial<OfferInvoice> = {},
): Invoice {
  const offers = Array.from({ length: places }, (_, index) => ({
    offerId: 100 + index,
    title: `${title} (place ${index + 1})`,
    netMinor: 10_00n,
  }));
  const amounts = { netMinor: BigInt(places) * 10_00n, vatMinor: BigInt(places) * 2_00n };
  return { ...sampleInvoice(facts), ...amounts, kind: 'group', offerId: null, offers };
}

/** Of a refund of 480.00. */
function sampleCreditNote(facts: Partial<OfferInvoice & CreditNote> = {}): CreditNote {
  const invoice = sampleInvoice();
  const amounts = {
    sequence: 7n,
    netMinor: 400_00n,
    vatMinor: 80_00n,
    issuedAt: new Date('2026-12-01T09:00:00Z'),
  };
  return { ...invoice, ...amounts, ofInvoice: invoice, cancels: null, ...facts } as CreditNote;
}

function cafe(facts: Partial<Buyer> = {}): Buyer {
  return { name: 'Corner Cafe Ltd', country: 'GB', details: null, ...facts };
}

/** An organisation whose every text is the same, as often as it may be. */
const buyerOf = (text: string): Buyer =>
  cafe({
    name: text,
    details: { address: Array(MAX_ADDRESS_LINES).fill(text), vatNumber: text, purchaseOrder: text },
  });

/** Names and titles that might break a document. */
const hostile = [
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

const textOf = (page: string) =>
  page
    .replace(/<style>.*<\/style>/s, '')
    .replace(/<[^>]+>/g, '\n')
    .replace(/\p{Zs}/gu, ' ');

describe('the document', () => {
  it('for a British organisation shows net, VAT and total as they were charged', () => {
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

  it('for any other organisation has no VAT line, and says why', () => {
    const { totals, note } = documentOf(
      sampleInvoice({ vatMinor: 0n, vatPercent: 0, buyer: cafe({ country: 'PL' }) }),
    );
    expect(totals.map(({ name }) => name)).toEqual(['Net', 'Total']);
    expect(note).toContain('No UK VAT');
  });

  it('is dated by days in UTC', () => {
    const { facts } = documentOf(sampleInvoice());
    expect(facts.slice(1)).toEqual([
      { name: 'Date', value: '21 November 2026' },
      { name: 'Date of payment', value: '20 November 2026' },
    ]);
  });

  it('of TEST mode says in its heading and its number that it is no invoice', () => {
    const document = documentOf(
      sampleInvoice({ book: { organisationId: 12, mode: 'TEST', currency: 'GBP' } }),
    );
    expect(document.number).toBe('TEST-000042');
    const text = textOf(invoicePage(document));
    expect(text).toContain('TEST, not an invoice');
    expect(text).not.toContain('Invoice number');
    expect(textOf(invoicePage(documentOf(sampleInvoice())))).not.toContain('TEST');
  });

  it('shows address, VAT number and purchase order of the organisation, if it has given them', () => {
    const details = {
      address: ['The Old Mill', '2 Mill Lane', 'Leeds', 'LS1 4AP'],
      vatNumber: 'GB980780684',
      purchaseOrder: 'PO 4711/b',
    };
    const shown = documentOf(sampleInvoice({ buyer: cafe({ details }) }));
    expect(shown.buyer.lines).toEqual([
      'Corner Cafe Ltd',
      ...details.address,
      'United Kingdom',
      'VAT number GB980780684',
      'Organisation 12',
    ]);
    expect(shown.facts.at(-1)).toEqual({ name: 'Purchase order', value: 'PO 4711/b' });
    const page = textOf(invoicePage(shown));
    for (const text of [...shown.buyer.lines, 'Purchase order', 'PO 4711/b']) expect(page).toContain(text);

    const none = { address: [], vatNumber: null, purchaseOrder: null };
    expect(documentOf(sampleInvoice({ buyer: cafe({ details: none }) }))).toEqual(
      documentOf(sampleInvoice()),
    );
  });

  it('for an organisation whose name is unknown shows its number', () => {
    expect(documentOf(sampleInvoice({ buyer: null })).buyer.lines).toEqual(['Organisation 12']);
  });
});

describe('the document of a credit note', () => {
  it('names its invoice and the day of it, and shows what is credited with the rest as on the invoice', () => {
    const document = documentOf(sampleCreditNote());
    expect(document).toMatchObject({
      number: 'CN-000007',
      heading: 'Credit note',
      stamp: null,
      warning: null,
      facts: [
        { name: 'Credit note number', value: 'CN-000007' },
        { name: 'Date', value: '1 December 2026' },
        { name: 'Invoice', value: 'INV-000042 of 21 November 2026' },
      ],
      totals: [
        { name: 'Net', value: expect.stringMatching(/^GBP\s400\.00$/) },
        { name: 'VAT 20%', value: expect.stringMatching(/^GBP\s80\.00$/) },
        { name: 'Total credited', value: expect.stringMatching(/^GBP\s480\.00$/) },
      ],
      note: null,
    });
    const { seller, buyer, lines } = documentOf(sampleInvoice());
    expect(document).toMatchObject({ seller, buyer });
    expect(document.lines).toEqual([{ ...lines[0], amount: expect.stringMatching(/400\.00$/) }]);
    const page = textOf(invoicePage(document));
    for (const text of ['Credit note', 'What is credited', 'INV-000042 of 21 November 2026'])
      expect(page).toContain(text);
    expect(page).not.toContain('PAID');
    expect(textOf(invoicePage(documentOf(sampleInvoice())))).toContain('PAID');
  });

  it('has a line for each offer of a group; its credit note has one', () => {
    const group = sampleGroupInvoice(2);
    const amount = (text: string) => expect.stringMatching(new RegExp(`${text}$`));
    expect(documentOf(group).lines).toEqual([
      { description: 'Advertising, offer 100', title: 'Two for one (place 1)', amount: amount('10\\.00') },
      { description: 'Advertising, offer 101', title: 'Two for one (place 2)', amount: amount('10\\.00') },
    ]);
    expect(textOf(invoicePage(documentOf(group)))).toContain('Two for one (place 2)');
    const note = documentOf({ ...group, netMinor: 5_00n, ofInvoice: group, cancels: null });
    expect(note.lines).toEqual([
      { description: 'Advertising, 2 offers', title: 'Two for one', amount: amount('5\\.00') },
    ]);
  });

  it('shows the rate of a refund so small that its VAT rounds to 0', () => {
    const { totals, note } = documentOf(sampleCreditNote({ netMinor: 1n, vatMinor: 0n }));
    expect(totals[1]).toEqual({ name: 'VAT 20%', value: expect.stringMatching(/^GBP\s0\.00$/) });
    expect(note).toBeNull();
  });

  it('that cancels another one says so, with its number', () => {
    const document = documentOf(sampleCreditNote({ sequence: 8n, cancels: 7n }));
    expect(document).toMatchObject({ heading: 'Cancellation of a credit note', number: 'CN-000008' });
    expect(document.facts).toContainEqual({ name: 'Cancels', value: 'CN-000007' });
    expect(document.paid).toBe('The refund to the card failed, so credit note CN-000007 is cancelled.');
  });

  it.each([null, 7n])('of TEST mode is never taken for one of LIVE mode (it cancels %s)', (cancels) => {
    const book = { organisationId: 12, mode: 'TEST', currency: 'GBP' } as const;
    const document = documentOf(sampleCreditNote({ book, cancels }));
    expect(document.heading).toMatch(/^TEST, not a /);
    expect(document.warning).toContain('Made in TEST mode');
    expect(textOf(invoicePage(document))).not.toMatch(
      /INV-|(?<!TEST-)CN-|Credit note number|Cancellation number/,
    );
  });
});

describe('the page', () => {
  it.each(hostile)('shows %j as text, in the title and in all that the organisation wrote', (text) => {
    const harmless = invoicePage(documentOf(sampleInvoice({ title: 'x', buyer: buyerOf('x') })));
    const page = invoicePage(documentOf(sampleInvoice({ title: text, buyer: buyerOf(text) })));
    const tagsOf = (html: string) => html.match(/<[^>]*>/g);
    expect(tagsOf(page)).toEqual(tagsOf(harmless));
    expect(page.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202A-\u202E\u2066-\u2069]/u);
    expect(page.isWellFormed()).toBe(true);
    expect(page.length).toBeLessThan(20_000);
  });

  it('may load only its own style', () => {
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

  it('of the same invoice always has the same bytes', async () => {
    const first = await pdfOf();
    await pdfOf({ title: 'Żółć שלום 北京' });
    expect((await pdfOf()).equals(first)).toBe(true);
    // Not the time at which it was made.
    const dates = first.toString('latin1').match(/\(D:\d+Z?\)/g);
    expect(new Set(dates)).toEqual(new Set(['(D:20261121000100Z)']));
  });

  it.each([
    ['Chinese', '北京烤鸭買一送一，每桌限用一次（二〇二六年）'],
    ['Japanese', 'ランチ半額キャンペーン！カフェ「コーナー」で一回限り'],
    ['Korean', '두 개를 사면 하나를 더 드립니다'],
    ['Thai', 'ซื้อหนึ่งแถมหนึ่งสำหรับอาหารกลางวัน'],
    ['Hindi', 'एक खरीदें एक मुफ्त पाएं: ₹500 की छूट'],
    ['Arabic', 'اشترِ واحدًا واحصل على الثاني مجانًا (20%)'],
    ['Hebrew', 'קנה אחד קבל שני חינם (20%) ב-Corner Cafe'],
    ['emoji', 'Two for one 🍕 with friends 👩‍👩‍👧‍👦🏳️‍🌈 👍🏽 1️⃣ 🇬🇧'],
  ])('has glyphs for %s', async (_, title) => {
    const pdf = await pdfOf({ title, buyer: buyerOf(title) });
    const drawn = streamsOf(pdf).flatMap((text) => text.match(/<[0-9a-f]+>(?=.*TJ)/g) ?? []);
    expect(drawn.length).toBeGreaterThan(20);
    // Glyph 0 is the box of a font for what it lacks.
    expect(drawn.filter((glyphs) => glyphs.slice(1, -1).match(/..../g)?.includes('0000'))).toEqual([]);
  });

  it('contains its text as text, and its fonts', async () => {
    const pdf = (await pdfOf()).toString('latin1');
    expect(pdf.match(/\/FontFile2 /g)).toHaveLength(2);
    expect(pdf.match(/\/ToUnicode /g)).toHaveLength(2);
  });

  it.each(hostile)('shows %j as text, on one page of bounded size', async (text) => {
    const pdf = await pdfOf({ title: text, buyer: buyerOf(text) });
    const raw = pdf.toString('latin1');
    expect(raw.startsWith('%PDF-')).toBe(true);
    expect(raw.match(/\/Type \/Page\b/g)).toHaveLength(1);
    expect(raw).not.toMatch(/\/(JavaScript|JS|Launch|OpenAction|AA|URI|EmbeddedFile)\b/);
    expect(pdf.length).toBeLessThan(150_000);
  });

  it.each(['W', 'Wort ', '北', 'ש'])('has room on its page for the longest texts of %j', async (letter) => {
    const longest = (characters: number) => letter.repeat(characters).slice(0, characters);
    const details = {
      address: Array<string>(MAX_ADDRESS_LINES).fill(longest(MAX_CHARACTERS_OF_ADDRESS_LINE)),
      vatNumber: longest(20),
      purchaseOrder: longest(MAX_CHARACTERS_OF_PURCHASE_ORDER),
    };
    const pdf = await pdfOf({
      book: { organisationId: 12, mode: 'TEST', currency: 'GBP' },
      title: longest(300),
      buyer: cafe({ name: longest(200), country: 'GS', details }),
      vatMinor: 0n,
      vatPercent: 0,
    });
    // In points from the lower edge.
    expect(Math.min(...baselinesOf(pdf))).toBeGreaterThan(28);
    const cancellation = sampleCreditNote({ buyer: cafe({ name: longest(200), details }), cancels: 7n });
    expect(Math.min(...baselinesOf(await invoicePdf(documentOf(cancellation))))).toBeGreaterThan(28);
  });

  it.each(['W', '北'])(
    'of 20 offers with the longest texts of %j has two pages at most, and room on both',
    async (letter) => {
      const details = {
        address: Array<string>(MAX_ADDRESS_LINES).fill(letter.repeat(MAX_CHARACTERS_OF_ADDRESS_LINE)),
        vatNumber: letter.repeat(20),
        purchaseOrder: letter.repeat(MAX_CHARACTERS_OF_PURCHASE_ORDER),
      };
      const facts = {
        book: { organisationId: 12, mode: 'TEST', currency: 'GBP' },
        buyer: cafe({ details }),
      } as const;
      const pdf = await invoicePdf(documentOf(sampleGroupInvoice(20, letter.repeat(300), facts)));
      expect(pdf.toString('latin1').match(/\/Type \/Page\b/g)?.length).toBeLessThanOrEqual(3);
      const baselines = baselinesOf(pdf);
      expect(Math.min(...baselines)).toBeGreaterThan(28);
      expect(Math.max(...baselines)).toBeLessThan(842);
    },
  );

  it('shows every line of a long address as it is', async () => {
    const address = [
      'Unit 12, The Old Brewery Business Park, 45 to 47 Long Lane, Southwark',
      'Second floor, the entrance is at the back of the building, ring twice',
      'c/o Northern Counties Hospitality and Leisure Services (Holdings) Ltd',
      'London',
      'Greater London',
      'SE1 4PG',
    ];
    const details = { address, vatNumber: 'GB980780684', purchaseOrder: null };
    const pdf = await pdfOf({ buyer: cafe({ details }) });
    // No text was cut: a cut one ends with a character that nothing else on the page has.
    expect(charactersOf(pdf)).not.toContain('…');
    expect(charactersOf(await pdfOf({ buyer: buyerOf('W'.repeat(80)) }))).toContain('…');
  });
});

/** What the streams of the file contain: drawing, and the tables of the characters in its fonts. */
function streamsOf(pdf: Buffer): string[] {
  const raw = pdf.toString('latin1');
  return [...raw.matchAll(/stream\n/g)].flatMap(({ index }) => {
    if (raw.slice(index - 3, index) === 'end') return [];
    const from = index + 'stream\n'.length;
    const bytes = pdf.subarray(from, raw.indexOf('\nendstream', from));
    return [bytes[0] === 0x78 ? inflateSync(bytes).toString('latin1') : ''];
  });
}

function baselinesOf(pdf: Buffer): number[] {
  const drawn = streamsOf(pdf)
    .join('\n')
    .matchAll(/^1 0 0 1 \S+ (\S+) Tm$/gm);
  const baselines = Array.from(drawn, ([, y]) => Number(y));
  expect(baselines.length).toBeGreaterThan(20);
  return baselines;
}

/** All characters that the file shows, as its tables from glyphs to Unicode name them. */
function charactersOf(pdf: Buffer): string {
  const tables = streamsOf(pdf).filter((text) => text.includes('beginbfrange'));
  expect(tables.length).toBeGreaterThanOrEqual(2);
  const codes = tables.join('').matchAll(/<([0-9a-f]{4})>/gi);
  return Array.from(codes, ([, code = '']) => String.fromCharCode(Number.parseInt(code, 16))).join('');
}

describe('the PDF thread', () => {
  let maker: PdfMaker;
  afterEach(async () => {
    await maker[Symbol.asyncDispose]();
  });
  const invoices = (sequences: readonly bigint[]) =>
    sequences.map((sequence) => documentOf(sampleInvoice({ sequence })));

  it('makes many PDFs at once, and gives each to its own request', async () => {
    maker = createPdfMaker(60_000);
    const pdfs = await Promise.all(invoices([1n, 2n, 3n, 1n]).map((invoice) => maker.make(invoice)));
    expect(pdfs.map((pdf) => pdf.subarray(0, 5).toString())).toEqual(Array(4).fill('%PDF-'));
    expect(pdfs[3]?.equals(pdfs[0] as Buffer)).toBe(true);
    expect(pdfs[1]?.equals(pdfs[0] as Buffer)).toBe(false);
  });

  it('gives up a PDF that takes too long with a 503', async () => {
    maker = createPdfMaker(1);
    await expect(maker.make(documentOf(sampleInvoice()))).rejects.toMatchObject({ status: 503 });
  });

  it('refuses PDFs with 503 while 20 wait', async () => {
    maker = createPdfMaker(60_000);
    const all = invoices(Array(30).fill(1n)).map((invoice) => maker.make(invoice));
    const refused = (await Promise.allSettled(all)).filter(({ status }) => status === 'rejected');
    expect(refused.length).toBeGreaterThanOrEqual(9);
    expect(refused.length).toBeLessThanOrEqual(10);
    for (const one of refused) expect(one).toMatchObject({ reason: { status: 503 } });
  });
});
