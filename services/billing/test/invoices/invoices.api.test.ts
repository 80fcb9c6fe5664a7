/** Invoices and credit notes: issued with card payments and their refunds, and read over HTTP. */
import { describe, expect, it } from '@jest/globals';
import { OrganisationChanged, OrganisationRegistered } from '@offer-ads/contracts/events/gateway';
import type { InvoiceSummary, InvoicesReply } from '@offer-ads/contracts/internal/billing-api';
import { DAY_MS } from '@offer-ads/contracts/values/durations';
import { serviceUnavailable } from '@offer-ads/platform/process/faults';
import { adminToken } from '@offer-ads/testing/admin';
import { signedCaller } from '@offer-ads/testing/caller';
import { fc, runs } from '@offer-ads/testing/profile';
import type { Billing } from '../../src/billing.ts';
import type { Book } from '../../src/domain/ledger/ledger.ts';
import { insertDueInvoice, listDocuments, nameBuyers } from '../../src/invoices/invoices-store.ts';
import { MINUTE_MS, seller, untilServed, useBilling, type Webhook } from '../billing-under-test.ts';
import { inTens } from '../in-tens.ts';

const test = useBilling();

const live = (book: Book = test.newBook()) => ({ ...book, mode: 'LIVE' }) as const;
const list = async (book: Book, query = '') =>
  (await test.as(book, 'GET', `/invoices${query}`)).body as InvoicesReply;
const invoiceOf = async (book: Book): Promise<InvoiceSummary> =>
  (await list(book)).invoices.find(({ document }) => document === 'invoice')!;
/** Credit notes and cancellations, oldest first. */
const notesOf = async (book: Book): Promise<InvoiceSummary[]> =>
  (await list(book, '?limit=200')).invoices.filter(({ document }) => document !== 'invoice').toReversed();
const grossOf = async (book: Book) => (await notesOf(book)).map(({ grossMinor }) => Number(grossMinor));
const get = (path: string, { organisationId, mode }: Book) =>
  fetch(`${test.url}/internal/invoices/${path}`, {
    headers: signedCaller({ audience: 'billing', organisationId, mode }),
  });
/** As they are stored, newest first. */
const storedOf = (book: Book) =>
  listDocuments(test.billing.postgres, book, { before: null, offerId: null, limit: 200 });

type Paid = { readonly sessionId: string; readonly book: Book };
/** The webhook of a refund, which billing has not received. */
const unheardRefund = ({ sessionId }: Paid): Promise<Webhook> =>
  test.unheard(async () =>
    test.sentWebhook('refund.created', await test.reverse(`sessions/${sessionId}/refund`)),
  );

const details = (line: string) => ({ address: [line], vatNumber: 'GB980780684', purchaseOrder: 'PO 4711' });
/** An event of the gateway about the organisation. */
const saveFacts = (
  { organisationId, currency }: Book,
  version: number,
  facts: { readonly name?: string; readonly billingDetails?: ReturnType<typeof details> },
) => {
  const known = { organisationId, name: 'Cafe', country: 'GB', currency, tradingName: 'Cafe', enabled: true };
  const event = version === 1 ? OrganisationRegistered : OrganisationChanged;
  return test.consume(event, { ...known, people: [], ...facts }, { version });
};
const fillIn = () => nameBuyers(test.billing.postgres);
describe('a card payment', () => {
  it('has an invoice in the name of the organisation, of exactly what was paid', async () => {
    const book = test.newBook();
    await saveFacts(book, 1, { name: 'Corner Cafe Ltd' });
    const { offerId } = await test.paidOffer({ book });
    const amounts = { netMinor: 1000n, vatMinor: 200n, vatPercent: 20 };
    const sale = { kind: 'offer', offerId, book, title: 'Two for one', ...amounts };
    const buyer = { name: 'Corner Cafe Ltd', country: 'GB', details: null };
    expect(await storedOf(book)).toMatchObject([{ ...sale, paidAt: test.clock.now(), seller, buyer }]);
  });

  it('shows what the organisation was when it was issued; earlier invoices stay as they are', async () => {
    const book = test.newBook();
    for (const [version, name] of ['Old Name Ltd', 'New Name Ltd'].entries()) {
      await saveFacts(book, version + 1, { name, billingDetails: details(`Office of ${name}`) });
      await fillIn();
      await test.paidOffer({ book });
    }
    // An older event that is late changes nothing, and one that says nothing about the details keeps them.
    await saveFacts(book, 1, { name: 'Oldest Name Ltd' });
    await saveFacts(book, 3, { name: 'New Name Ltd' });
    await test.paidOffer({ book });
    expect((await storedOf(book)).map(({ buyer }) => buyer)).toMatchObject([
      { name: 'New Name Ltd', details: details('Office of New Name Ltd') },
      { name: 'New Name Ltd', details: details('Office of New Name Ltd') },
      { name: 'Old Name Ltd', details: details('Office of Old Name Ltd') },
    ]);
  });

  it('does not wait for an unknown organisation: its invoice and credit note get name and details later, once', async () => {
    const offer = await test.paidOffer({ country: 'PL' });
    const { book } = offer;
    await test.takeBack(offer);
    await fillIn();
    const facts = { buyer: null, vatMinor: 0n, vatPercent: 0 };
    expect(await storedOf(book)).toMatchObject([facts, facts]);
    const [note] = await notesOf(book);
    const page = async () => (await get(`${note?.number}.html`, book)).text();
    expect(await page()).toContain(`Organisation ${book.organisationId}`);
    for (const [version, name] of ['Kawiarnia', 'Another Name'].entries()) {
      await saveFacts(book, version + 1, { name, billingDetails: details(`Office of ${name}`) });
      await fillIn();
    }
    const buyer = { name: 'Kawiarnia', country: 'GB', details: details('Office of Kawiarnia') };
    expect((await storedOf(book)).map((document) => document.buyer)).toEqual([buyer, buyer]);
    for (const text of ['Kawiarnia', 'Office of Kawiarnia', 'VAT number GB980780684', 'PO 4711'])
      expect(await page()).toContain(text);
  });
});

/** Refunds in parts, before their payment and several pieces of news at once: the property about amounts, below. */
describe('a refund of an invoiced card payment', () => {
  it('has a credit note of its amount, with the facts of the invoice', async () => {
    const offer = await test.paidOffer();
    await test.takeBack(offer);
    const { number, ...invoice } = await invoiceOf(offer.book);
    const note = { number: expect.stringMatching(/^TEST-CN-\d{6}$/), document: 'credit-note' };
    const issuedAt = test.clock.now().toISOString();
    expect(await notesOf(offer.book)).toEqual([{ ...invoice, ...note, invoiceNumber: number, issuedAt }]);
  });

  it('of a top-up, and of an organisation outside the UK, has one too', async () => {
    const topUp = await test.paidTopUp({ country: 'PL' });
    await test.takeBack(topUp, 'refund', 40_00);
    const amounts = { netMinor: '4000', vatMinor: '0', grossMinor: '4000' };
    expect(await notesOf(topUp.book)).toMatchObject([{ kind: 'top-up', offerId: null, ...amounts }]);
  });

  it('has none until it has succeeded', async () => {
    const offer = await test.paidOffer();
    const id = await test.reverse(`sessions/${offer.sessionId}/refund`, { pending: true });
    await test.untilReversal(id);
    expect(await notesOf(offer.book)).toEqual([]);
    await test.reverse(`refunds/${id}/complete`);
    await test.untilReversal(id, { succeeded: true });
    expect(await grossOf(offer.book)).toEqual([12_00]);
  });

  it('that fails has a cancellation, and a second one its credit note, although the failure is heard of last', async () => {
    const offer = await test.paidOffer();
    const first = await test.takeBack(offer);
    const [failure, second] = await test.unheard(async () => {
      await test.reverse(`refunds/${first}/fail`);
      const id = await test.reverse(`sessions/${offer.sessionId}/refund`);
      return [await test.sentWebhook('refund.failed', first), await test.sentWebhook('refund.created', id)];
    });
    await test.receive(second);
    expect(await grossOf(offer.book)).toEqual([12_00]);
    await test.receive(failure);
    const notes = await notesOf(offer.book);
    const { number: invoiceNumber } = await invoiceOf(offer.book);
    const amounts = { netMinor: '1000', vatMinor: '200', grossMinor: '1200', invoiceNumber };
    const note = { ...amounts, document: 'credit-note', cancelsNumber: null };
    const cancellation = { ...amounts, document: 'cancellation', cancelsNumber: notes[0]?.number };
    expect(notes).toMatchObject([note, cancellation, note]);
  });
});

it.each(['won', 'lost'])('a dispute that is %s has no credit note', async (outcome) => {
  const offer = await test.paidOffer();
  const id = await test.takeBack(offer, 'dispute');
  await test.reverse(`disputes/${id}/close`, { outcome });
  await test.untilReversal(id, { status: outcome });
  expect(await notesOf(offer.book)).toEqual([]);
});

/** The two series of numbers. What happened last takes the next number: its webhook, which billing has not received. */
const series = [
  {
    table: 'invoices',
    prefix: { TEST: 'TEST', LIVE: 'INV' },
    before: (facts: { book: Book }) => test.openOffer(facts),
    unheard: ({ sessionId }: Paid) => test.payUnheard(sessionId),
  },
  {
    table: 'credit_notes',
    prefix: { TEST: 'TEST-CN', LIVE: 'CN' },
    before: (facts: { book: Book }) => test.paidOffer(facts),
    unheard: unheardRefund,
  },
] as const;

describe.each(series)('numbers of $table', ({ table, prefix, before, unheard }) => {
  const unheardOf = async (book: Book) => unheard(await before({ book }));
  const numbersIn = async (mode: Book['mode']): Promise<number[]> => {
    const rows = await test.billing.postgres.query<{ sequence: bigint }>(
      `SELECT sequence FROM ${table} WHERE mode = $1 ORDER BY sequence`,
      [mode],
    );
    return rows.map(({ sequence }) => Number(sequence));
  };
  const oneTo = (most: number) => Array.from({ length: most }, (_, index) => index + 1);

  it('have no gap when 20 come at once in copies, and some transactions are rolled back', async () => {
    const { postgres } = test.billing;
    // All statements of a transaction are done, and then the process dies.
    const transaction: typeof postgres.transaction = (work) =>
      postgres.transaction(async (tx) => {
        await work(tx);
        throw new Error('killed before the commit');
      });
    const killed: Billing = { ...test.billing, postgres: { ...postgres, transaction } };
    const earlier = (await numbersIn('LIVE')).length;
    // First all, because webhooks are lost while one is kept from billing.
    const sold = await inTens(20, () => before({ book: live() }));
    const webhooks = await inTens(20, (index) => unheard(sold[index]!));
    const outcomes = await Promise.all(
      webhooks.flatMap((webhook, index) =>
        [index % 3 === 0 ? killed : test.billing, test.billing, test.billing].map((by) =>
          untilServed(() => test.receive(webhook, by)).catch((error: Error) => error.message),
        ),
      ),
    );
    const count = (outcome: string) => outcomes.filter((one) => one === outcome).length;
    expect([count('killed before the commit'), count('accepted')]).toEqual([7, 53]);
    expect(await numbersIn('LIVE')).toEqual(oneTo(earlier + 20));
  });

  it.each(['TEST', 'LIVE'] as const)('of %s mode are a sequence of their own', async (mode) => {
    const book = test.newBook({ mode });
    await test.receive(await unheardOf(book));
    const all = await numbersIn(mode);
    expect(all).toEqual(oneTo(all.length));
    const [newest] = (await list(book)).invoices;
    expect(newest?.number).toBe(`${prefix[mode]}-${`${all.length}`.padStart(6, '0')}`);
  });

  it('never have an earlier day than the one before, nor a credit note than its invoice, whatever the replica’s clock says', async () => {
    const book = test.newBook();
    for (const seconds of [0, 100, -100]) {
      const now = new Date(test.clock.now().getTime() + seconds * 1_000);
      await test.receive(await unheardOf(book), { ...test.billing, clock: { now: () => now } });
    }
    const rows = await test.billing.postgres.query<{ issued_at: Date }>(
      `SELECT issued_at FROM ${table} WHERE mode = 'TEST' ORDER BY sequence`,
    );
    const days = rows.map(({ issued_at }) => issued_at.getTime());
    expect(days).toEqual(days.toSorted((a, b) => a - b));
    const documents = (await list(book)).invoices;
    for (const { invoiceNumber, issuedAt } of documents) {
      const invoice = documents.find(({ number }) => number === invoiceNumber);
      expect(issuedAt >= (invoice?.issuedAt ?? '')).toBe(true);
    }
  });
});

describe('numbers', () => {
  it.each(['reported by its webhook', 'found by asking'])(
    'are taken in the commit: a process that stands still before it keeps no other payment waiting, for a payment %s',
    async (how) => {
      const { postgres } = test.billing;
      const offer = await test.openOffer();
      const webhook = await test.payUnheard(offer.sessionId);
      const others: string[] = [];
      const transaction: typeof postgres.transaction = (work, deadline) =>
        postgres.transaction(async (tx) => {
          const result = await work(tx);
          const { sessionId } = await test.openOffer();
          others.push(await test.receive(await test.payUnheard(sessionId)));
          return result;
        }, deadline);
      const billing = { ...test.billing, postgres: { ...postgres, transaction } };
      if (how === 'found by asking') expect(await test.close(offer, undefined, billing)).toBe('paid');
      else await test.receive(webhook, billing);
      expect(new Set(others)).toEqual(new Set(['accepted']));
      expect(await storedOf(offer.book)).toHaveLength(1);
    },
  );

  it('are given once for each cause', async () => {
    const { book, offerId } = await test.paidOffer();
    const issued = await storedOf(book);
    const now = test.clock.now();
    const facts = { kind: 'offer', offerId, title: 'another', netMinor: 5n, vatMinor: 0n } as const;
    const invoice = { ...facts, cause: `offer ${offerId} paid by card`, book, seller };
    const again = () =>
      test.billing.postgres.transaction((tx) =>
        insertDueInvoice(tx, { ...invoice, paidAt: now, issuedAt: now }),
      );
    await Promise.all([again(), again(), again()]);
    expect(await storedOf(book)).toEqual(issued);
  });

  it('and amounts come to the same sums in whatever order the news of payment and refunds comes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.infiniteStream(fc.nat()), async (chance) => {
        const { book, sessionId } = await test.openOffer();
        const news = await test.unheard(async () => {
          await test.pay(sessionId);
          const refund = (facts: object) => test.reverse(`sessions/${sessionId}/refund`, facts);
          const first = await refund({ amountMinor: 700 });
          await test.reverse(`refunds/${first}/fail`);
          const second = await refund({ amountMinor: 1100, pending: true });
          await test.reverse(`refunds/${second}/complete`);
          return test.webhooksOf([sessionId, first, second, await refund({ amountMinor: 100 })], 6);
        });
        await test.receiveInAnyOrder(news, chance);
        const sums = { netMinor: 0, vatMinor: 0 };
        for (const { document, netMinor, vatMinor } of await notesOf(book)) {
          const sign = document === 'credit-note' ? 1 : -1;
          sums.netMinor += sign * Number(netMinor);
          sums.vatMinor += sign * Number(vatMinor);
        }
        expect(sums).toEqual({ netMinor: 10_00, vatMinor: 2_00 });
      }),
      { numRuns: runs(6, 200) },
    );
  }, 300_000);
});

describe('the database', () => {
  const answerTo = (sql: string) =>
    test.billing.postgres.query(sql).then(String, (error: Error) => error.message);
  /** Copies the document of an organisation under another number, with other columns. */
  const copy = (table: string, { organisationId }: Book, columns: Record<string, string>) => {
    const names = Object.keys(columns).join();
    const values = Object.values(columns).join();
    return answerTo(
      `INSERT INTO ${table} (cause, ${names}) SELECT 'made up', ${values} FROM ${table} WHERE organisation_id = ${organisationId}`,
    );
  };
  const next = (table: string) => `(SELECT max(sequence) + 1 FROM ${table} WHERE mode = 'TEST')`;
  const same = (columns: string) => Object.fromEntries(columns.split(' ').map((column) => [column, column]));

  it('refuses to change or remove a document; only a missing buyer of an invoice may be filled in', async () => {
    const [named, unnamed] = [await test.paidOffer(), await test.paidOffer()];
    await test.takeBack(named);
    await saveFacts(named.book, 1, { name: 'Final Ltd' });
    await fillIn();
    const update = (what: string, { book }: Paid) =>
      answerTo(`UPDATE invoices SET ${what} WHERE organisation_id = ${book.organisationId}`);
    for (const [what, of] of [
      ['net_minor = 1', named],
      [`buyer_name = 'x'`, named],
      [`buyer_details = '{}'`, named],
      [`buyer_name = 'x', buyer_country = 'GB', net_minor = 1`, unnamed],
    ] as const)
      expect(await update(what, of)).toContain('an invoice is final');
    expect(await answerTo('UPDATE credit_notes SET net_minor = 1')).toContain('append-only');
    for (const table of ['credit_notes', 'invoices'])
      for (const sql of [`DELETE FROM ${table}`, `TRUNCATE ${table} CASCADE`])
        expect([sql, await answerTo(sql)]).toEqual([sql, expect.stringContaining('append-only')]);
  });

  it('refuses a number that leaves a gap, a document of what was never posted, and a credit note that does not fit its invoice', async () => {
    const offer = await test.paidOffer();
    await test.takeBack(offer, 'refund', 5_00);
    const sale = 'organisation_id currency kind offer_id net_minor vat_minor vat_percent';
    const seller = 'seller_name seller_address seller_vat_number';
    const invoice = same(`mode sequence ${sale} paid_at issued_at ${seller}`);
    const note = same('mode sequence invoice organisation_id net_minor vat_minor issued_at');
    for (const [table, columns] of [
      ['invoices', invoice],
      ['credit_notes', note],
    ] as const) {
      const withNumber = (sequence: string) => copy(table, offer.book, { ...columns, sequence });
      expect(await withNumber('sequence + 1000')).toContain(`${table}_mode_predecessor_fkey`);
      expect(await withNumber(next(table))).toContain(`${table}_cause_fkey`);
    }
    const wrongNote = (columns: Record<string, string>) =>
      copy('credit_notes', offer.book, { ...note, sequence: next('credit_notes'), ...columns });
    expect(await wrongNote({ net_minor: '10_00' })).toContain('does not fit its invoice');
    expect(await wrongNote({ vat_minor: '1_50' })).toContain('does not fit its invoice');
    const partly = { cancels: 'sequence', net_minor: 'net_minor - 1' };
    expect(await wrongNote(partly)).toContain('cancels_whole_note');
  });
});

describe('GET /internal/invoices', () => {
  it('has invoices and credit notes of the organisation in its mode alone, in one list, newest first, page by page', async () => {
    const book = test.newBook();
    for (const stranger of [test.newBook(), live(book)]) await test.paidOffer({ book: stranger });
    // Later than the day of any credit note so far.
    test.clock.advance(DAY_MS);
    const ids: number[] = [];
    for (const amountMinor of [1, 2, 3]) {
      const offer = await test.paidOffer({ book });
      ids.push(offer.offerId);
      await test.takeBack(offer, 'refund', amountMinor);
      // Those of the second and the third offer are of one moment.
      if (amountMinor === 1) test.clock.advance(MINUTE_MS);
    }
    const { invoices: all, ...rest } = await list(book);
    expect(rest).toEqual({ mode: 'TEST', nextCursor: null });
    const [first, second, third] = ids;
    expect(all.map(({ document, grossMinor, offerId }) => [document, grossMinor, offerId])).toEqual([
      ['credit-note', '3', third],
      ['credit-note', '2', second],
      ['invoice', '1200', third],
      ['invoice', '1200', second],
      ['credit-note', '1', first],
      ['invoice', '1200', first],
    ]);
    const amounts = { netMinor: '1000', vatMinor: '200', currency: 'GBP' };
    expect(all[2]).toMatchObject({ title: 'Two for one', ...amounts });
    const days = all.map(({ issuedAt }) => issuedAt);
    expect(days).toEqual(days.toSorted().toReversed());
    const paged = async (limit: number, cursor = ''): Promise<InvoiceSummary[]> => {
      const { invoices, nextCursor } = await list(book, `?limit=${limit}${cursor}`);
      return nextCursor === null ? invoices : [...invoices, ...(await paged(limit, `&cursor=${nextCursor}`))];
    };
    for (const limit of [1, 2, 4]) expect(await paged(limit)).toEqual(all);
    expect((await list(book, `?offerId=${first}`)).invoices).toEqual(all.slice(4));
    expect((await list(live(book))).invoices).toHaveLength(1);
    expect((await list(test.newBook())).invoices).toEqual([]);
  });

  it('refuses a cursor that is of another organisation, or of no document', async () => {
    const { book } = await test.paidOffer();
    const { number } = await invoiceOf(book);
    const message = 'cursor: must be the nextCursor of a page before';
    for (const [caller, cursor] of [
      [test.newBook(), number],
      [book, 'TEST-CN-999999'],
      [book, 'nonsense'],
    ] as const) {
      const answer = await test.as(caller, 'GET', `/invoices?cursor=${cursor}`);
      expect(answer).toMatchObject({ status: 400, body: { message } });
    }
  });
});

describe('GET /internal/invoices/{number}', () => {
  async function documents() {
    const offer = await test.paidOffer({ title: 'Offer <0>' });
    const id = await test.takeBack(offer);
    const { book, offerId } = offer;
    const [note] = await notesOf(book);
    return { book, offerId, refundId: id, invoice: await invoiceOf(book), note: note! };
  }

  it('.html is a page that loads nothing, and that of an invoice stays as it was when it is refunded', async () => {
    const offer = await test.paidOffer({ title: 'Offer <0>' });
    const { number } = await invoiceOf(offer.book);
    const before = await get(`${number}.html`, offer.book);
    expect(before.status).toBe(200);
    expect(Object.fromEntries(before.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
      'cache-control': expect.stringContaining('no-store'),
    });
    const page = await before.text();
    for (const text of ['Offer &lt;0&gt;', 'TEST, not an invoice']) expect(page).toContain(text);
    await test.takeBack(offer, 'refund', 6_00);
    expect(await (await get(`${number}.html`, offer.book)).text()).toBe(page);
    const [note] = await notesOf(offer.book);
    const ofNote = await (await get(`${note?.number}.html`, offer.book)).text();
    for (const text of ['TEST, not a credit note', note!.number, `${number} of`, 'Total credited'])
      expect(ofNote).toContain(text);
  });

  it('.pdf is a file of that name, the same for the platform team, and 503 while it cannot be made; pages go on', async () => {
    const { book, invoice, note } = await documents();
    for (const { number } of [invoice, note]) {
      const answer = await get(`${number}.pdf`, book);
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        'content-type': 'application/pdf',
        'content-disposition': `attachment; filename="${number}.pdf"`,
      });
      const theirs = await fetch(`${test.adminUrl}/admin/invoices/${number}.pdf`, {
        headers: { authorization: `Bearer ${adminToken}` },
      });
      expect(theirs.headers.get('content-type')).toBe('application/pdf');
      const bytes = Buffer.from(await answer.arrayBuffer());
      expect(bytes.subarray(0, 5).toString()).toBe('%PDF-');
      expect(Buffer.from(await theirs.arrayBuffer()).equals(bytes)).toBe(true);
    }
    const { make } = test.pdfs;
    test.pdfs.make = () => Promise.reject(serviceUnavailable('too many'));
    expect((await get(`${invoice.number}.pdf`, book)).status).toBe(503);
    expect((await get(`${invoice.number}.html`, book)).status).toBe(200);
    test.pdfs.make = make;
  });

  it('is 404 for another organisation, the other mode, and what is no document', async () => {
    const { book, invoice, note } = await documents();
    const { number } = invoice;
    const ours = [`${number}.html`, `${number}.pdf`, `${note.number}.html`];
    const inLive = [`${number.replace('TEST', 'INV')}.pdf`, `${note.number.replace('TEST-', '')}.html`];
    const unknown = ['TEST-999999.html', 'TEST-CN-999999.html', 'TEST-999999999999999999.html'];
    const noName = [number, `${number}.txt`, `${number}.pdf.html`, '..%2F..%2Fetc.html'];
    for (const [path, caller] of [
      ...ours.map((path) => [path, test.newBook()] as const),
      ...[...ours, ...inLive].map((path) => [path, live(book)] as const),
      ...[...unknown, ...noName].map((path) => [path, book] as const),
    ]) {
      const answer = await get(path, caller);
      expect([path, answer.status, await answer.json()]).toEqual([path, 404, { message: 'Not found' }]);
    }
  });

  it('is known to the platform team with its cause, in the list of any organisation and by its number', async () => {
    const { book, offerId, refundId, invoice, note } = await documents();
    const { organisationId } = book;
    const theirs = await test.admin('GET', `/invoices?organisationId=${organisationId}&mode=TEST`);
    expect(theirs.body).toEqual(await list(book));
    for (const [summary, cause] of [
      [invoice, `offer ${offerId} paid by card`],
      [note, `refund ${refundId} taken`],
    ] as const) {
      const whole = { ...summary, organisationId, organisationName: null, cause };
      expect((await test.admin('GET', `/invoices/${summary.number}`)).body).toEqual(whole);
    }
    for (const unknown of ['TEST-999999', 'nonsense', 'TEST-999999.pdf', `${invoice.number}.html`])
      expect((await test.admin('GET', `/invoices/${unknown}`)).status).toBe(404);
  });
});
