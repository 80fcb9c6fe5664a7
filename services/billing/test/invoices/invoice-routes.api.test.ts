import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { InvoicesReply } from '@offer-ads/contracts/internal/billing-api';
import type { CallerContext } from '@offer-ads/contracts/internal/caller-context';
import { serviceUnavailable } from '@offer-ads/platform/process/faults';
import { adminToken, adminTokenHashes } from '@offer-ads/testing/admin';
import { signedCaller, testContextSecret } from '@offer-ads/testing/caller';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import type { Book } from '../../src/domain/ledger/ledger.ts';
import { adminRoutes } from '../../src/http/admin-routes.ts';
import { invoiceRoutes } from '../../src/http/invoice-routes.ts';
import { createPdfMaker, type PdfMaker } from '../../src/invoices/documents/pdf-maker.ts';
import { listInvoices } from '../../src/invoices/invoices-store.ts';
import { type BillingUnderTest, serveRoutes, startBillingUnderTest } from '../billing-under-test.ts';

let test: BillingUnderTest;
let url: string;
/** Of the maker that the routes use; null: the real one. */
let madeInstead: PdfMaker['make'] | null = null;
const started = new AsyncDisposableStack();

beforeAll(async () => {
  test = await startBillingUnderTest();
  const real = started.use(createPdfMaker({ longestMs: 60_000 }));
  const pdfs: PdfMaker = { ...real, make: (document) => (madeInstead ?? real.make)(document) };
  const server = started.use(
    await serveRoutes(test, (app) => {
      invoiceRoutes(app, test.billing, pdfs, testContextSecret);
      adminRoutes(app, test.billing, adminTokenHashes);
    }),
  );
  url = server.url;
});
afterAll(async () => {
  await started.disposeAsync();
  await test.finish();
});

const get = (path: string, { organisationId, mode }: Book, facts: Partial<CallerContext> = {}) =>
  fetch(`${url}/internal/invoices${path}`, {
    headers: signedCaller({ audience: 'billing', organisationId, mode, ...facts }),
  });
const list = async (query: string, book: Book) => (await (await get(query, book)).json()) as InvoicesReply;

async function paidOffers(book: Book, count = 1): Promise<void> {
  for (let index = 0; index < count; index++) {
    const { offerId, sessionId } = await test.openOffer({ book, title: `Offer <${index}>` });
    await test.pay(sessionId);
    await eventually(async () => {
      const [newest] = await listInvoices(test.billing.postgres, book, { before: null, limit: 1 });
      expect(newest?.offerId).toBe(offerId);
    });
  }
}

describe('GET /internal/invoices', () => {
  it('goes page by page, newest first, without repeating or leaving out any', async () => {
    const book = test.newBook();
    await paidOffers(book, 3);
    const all = await list('', book);
    expect(all).toMatchObject({ mode: 'TEST', nextCursor: null });
    expect(all.invoices.map(({ title }) => title)).toEqual(['Offer <2>', 'Offer <1>', 'Offer <0>']);
    expect(all.invoices[0]).toMatchObject({
      netMinor: '1000',
      vatMinor: '200',
      grossMinor: '1200',
      currency: 'GBP',
    });
    const first = await list('?limit=2', book);
    const second = await list(`?limit=2&cursor=${first.nextCursor}`, book);
    expect([...first.invoices, ...second.invoices]).toEqual(all.invoices);
    expect(second.nextCursor).toBeNull();
  });

  it('shows nothing of another organisation or mode', async () => {
    const book = test.newBook();
    await paidOffers(book);
    expect((await list('', test.newBook())).invoices).toEqual([]);
    expect((await list('', { ...book, mode: 'LIVE' })).invoices).toEqual([]);
  });

  it.each(['?limit=0', '?limit=201', '?limit=x', '?cursor=x', '?cursor=INV-000001', '?cursor=TEST-1'])(
    'refuses %s with a 400',
    async (query) => expect((await get(query, test.newBook())).status).toBe(400),
  );

  it('answers nobody without a caller context for billing', async () => {
    expect((await fetch(`${url}/internal/invoices`)).status).toBe(401);
    expect((await get('', test.newBook(), { audience: 'offers' })).status).toBe(401);
    expect((await fetch(`${url}/internal/invoices/TEST-000001.pdf`)).status).toBe(401);
  });
});

describe('GET /internal/invoices/{number}', () => {
  it('.html is a page that may load nothing from anywhere', async () => {
    const book = test.newBook();
    await paidOffers(book);
    const { invoices } = await list('', book);
    const answer = await get(`/${invoices[0]?.number}.html`, book);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(answer.headers.get('cache-control')).toContain('no-store');
    const page = await answer.text();
    expect(page).toContain('Offer &lt;0&gt;');
    expect(page).toContain('TEST, not an invoice');
  });

  it('.pdf is a file of that name, the same bytes each time', async () => {
    const book = test.newBook();
    await paidOffers(book);
    const { number } = (await list('', book)).invoices[0] ?? {};
    const pdf = async () => {
      const answer = await get(`/${number}.pdf`, book);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toBe('application/pdf');
      expect(answer.headers.get('content-disposition')).toBe(`attachment; filename="${number}.pdf"`);
      return Buffer.from(await answer.arrayBuffer());
    };
    const first = await pdf();
    expect(first.subarray(0, 5).toString()).toBe('%PDF-');
    expect((await pdf()).equals(first)).toBe(true);
  });

  it('is 404 for another organisation, the other mode, and what is no invoice', async () => {
    const book = test.newBook();
    await paidOffers(book);
    const { number = '' } = (await list('', book)).invoices[0] ?? {};
    const attempts: [string, Book][] = [
      [`/${number}.html`, test.newBook()],
      [`/${number}.pdf`, test.newBook()],
      [`/${number}.pdf`, { ...book, mode: 'LIVE' }],
      [`/${number.replace('TEST', 'INV')}.pdf`, { ...book, mode: 'LIVE' }],
      [`/${number}`, book],
      [`/${number}.txt`, book],
      [`/${number}.pdf.html`, book],
      ['/TEST-999999.html', book],
      ['/TEST-999999999999999999.html', book],
      ['/..%2F..%2Fetc.html', book],
    ];
    for (const [path, caller] of attempts) {
      const answer = await get(path, caller);
      expect([path, answer.status, await answer.json()]).toEqual([path, 404, { message: 'Not found' }]);
    }
  });

  it('.pdf is 503 when it cannot be made now, while pages go on', async () => {
    const book = test.newBook();
    await paidOffers(book);
    const { number } = (await list('', book)).invoices[0] ?? {};
    madeInstead = () => Promise.reject(serviceUnavailable('too many'));
    expect((await get(`/${number}.pdf`, book)).status).toBe(503);
    expect((await get(`/${number}.html`, book)).status).toBe(200);
    madeInstead = null;
  });
});

describe('for the platform team', () => {
  const ask = async (path: string, token = adminToken) => {
    const answer = await fetch(`${url}/admin/invoices${path}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    return { status: answer.status, body: await answer.json() };
  };

  it('there are the invoices of any organisation, and any by its number with its cause', async () => {
    const book = test.newBook();
    await paidOffers(book);
    const theirs = await list('', book);
    expect(await ask(`?organisationId=${book.organisationId}&mode=TEST`)).toEqual({
      status: 200,
      body: theirs,
    });
    const [invoice] = theirs.invoices;
    expect(await ask(`/${invoice?.number}`)).toEqual({
      status: 200,
      body: {
        ...invoice,
        organisationId: book.organisationId,
        organisationName: null,
        cause: `offer ${invoice?.offerId} paid by card`,
      },
    });
    expect((await ask('/TEST-999999')).status).toBe(404);
    expect((await ask('/nonsense')).status).toBe(404);
    expect((await ask('', 'another token')).status).toBe(401);
  });
});
