/** Invoices: issued with each card payment, and read over HTTP. */
import { describe, expect, it } from '@jest/globals';
import { OrganisationChanged } from '@offer-ads/contracts/events/gateway';
import type { InvoiceSummary, InvoicesReply } from '@offer-ads/contracts/internal/billing-api';
import type { BillingDetails } from '@offer-ads/contracts/values/billing-details';
import { Fault, serviceUnavailable } from '@offer-ads/platform/process/faults';
import { adminToken } from '@offer-ads/testing/admin';
import { signedCaller } from '@offer-ads/testing/caller';
import type { Billing } from '../../src/billing.ts';
import type { Book } from '../../src/domain/ledger/ledger.ts';
import { insertDueInvoice, listDocuments, nameBuyers } from '../../src/invoices/invoices-store.ts';
import { saveOrganisation } from '../../src/organisations-store.ts';
import { seller, useBilling, type Webhook } from '../billing-under-test.ts';
import { inTens } from '../in-tens.ts';

const test = useBilling();

const invoicesOf = (book: Book) =>
  listDocuments(test.billing.postgres, book, { before: null, offerId: null, limit: 200 });
const sequences = async (mode: Book['mode']): Promise<number[]> => {
  const rows = await test.billing.postgres.query<{ sequence: bigint }>(
    'SELECT sequence FROM invoices WHERE mode = $1 ORDER BY sequence',
    [mode],
  );
  return rows.map(({ sequence }) => Number(sequence));
};
const oneTo = (most: number) => Array.from({ length: most }, (_, index) => index + 1);
const payOffer = (book: Book, facts: { title?: string; country?: string } = {}) =>
  test.paidOffer({ book, ...facts });
/** The webhook of a payment, which billing has not received. */
const unheardPayment = async (facts: { book?: Book } = {}): Promise<Webhook> =>
  test.payUnheard((await test.openOffer(facts)).sessionId);

const saveName = async (name: string, book = test.newBook(), country = 'GB', version = 1) => {
  const facts = { organisationId: book.organisationId, name, country, currency: book.currency };
  await test.billing.postgres.transaction((tx) => saveOrganisation(tx, facts, version));
  return book;
};

const mill: BillingDetails = {
  address: ['The Old Mill', 'Leeds'],
  vatNumber: 'GB980780684',
  purchaseOrder: 'PO 4711',
};
const harbour: BillingDetails = { address: ['2 Harbour Road'], vatNumber: null, purchaseOrder: null };
const saveDetails = (book: Book, version: number, details?: BillingDetails) => {
  const { organisationId, currency } = book;
  const facts = { organisationId, name: 'Cafe', country: 'GB', currency };
  const billingDetails = details === undefined ? {} : { billingDetails: details };
  return saveOrganisation(test.billing.postgres, { ...facts, ...billingDetails }, version);
};
const detailsOf = async (book: Book) => (await invoicesOf(book)).map(({ buyer }) => buyer?.details);

describe('a card payment', () => {
  it('has an invoice in the name of the organisation, of exactly what was paid', async () => {
    const book = await saveName('Corner Cafe Ltd');
    const { offerId } = await payOffer(book);
    const amounts = { netMinor: 1000n, vatMinor: 200n, vatPercent: 20 };
    const sale = { kind: 'offer', offerId, book, title: 'Two for one', ...amounts };
    const buyer = { name: 'Corner Cafe Ltd', country: 'GB', details: null };
    const expected = [{ ...sale, paidAt: test.clock.now(), seller, buyer }];
    expect(await invoicesOf(book)).toMatchObject(expected);
  });

  it('keeps the name that the organisation had then', async () => {
    const book = await saveName('Old Name Ltd');
    await payOffer(book);
    await saveName('New Name Ltd', book, 'GB', 2);
    await nameBuyers(test.billing.postgres);
    await payOffer(book);
    const names = (await invoicesOf(book)).map(({ buyer }) => buyer?.name);
    expect(names).toEqual(['New Name Ltd', 'Old Name Ltd']);
  });

  it('does not wait for an unknown organisation’s name: the invoice gets it later', async () => {
    const book = test.newBook();
    await payOffer(book, { country: 'PL' });
    await nameBuyers(test.billing.postgres);
    expect(await invoicesOf(book)).toMatchObject([{ buyer: null, vatMinor: 0n, vatPercent: 0 }]);
    await saveName('Kawiarnia', book, 'PL');
    await nameBuyers(test.billing.postgres);
    expect(await invoicesOf(book)).toMatchObject([{ buyer: { name: 'Kawiarnia', country: 'PL' } }]);
  });
});

describe('the billing details on an invoice', () => {
  it('are those of the moment at which it is issued; earlier invoices stay as they are', async () => {
    const book = test.newBook();
    await saveDetails(book, 1, { address: [], vatNumber: null, purchaseOrder: null });
    await payOffer(book);
    await saveDetails(book, 2, mill);
    await payOffer(book);
    await saveDetails(book, 3, harbour);
    await nameBuyers(test.billing.postgres);
    await payOffer(book);
    const none = { address: [], vatNumber: null, purchaseOrder: null };
    expect(await detailsOf(book)).toEqual([harbour, mill, none]);
  });

  it('are of the newest event, in whatever order events arrive, and stay where an event says nothing about them', async () => {
    const book = test.newBook();
    await saveDetails(book, 3, mill);
    await saveDetails(book, 2, harbour);
    await payOffer(book);
    await saveDetails(book, 4);
    await payOffer(book);
    expect(await detailsOf(book)).toEqual([mill, mill]);
  });

  it('are filled in with the name, once, where the payment was faster than the event', async () => {
    const book = test.newBook();
    await payOffer(book);
    await saveDetails(book, 1, mill);
    await nameBuyers(test.billing.postgres);
    await saveDetails(book, 2, harbour);
    await nameBuyers(test.billing.postgres);
    expect(await detailsOf(book)).toEqual([mill]);
  });

  it('are in its page and its PDF, and come with the event of the gateway', async () => {
    const book = test.newBook();
    const facts = {
      organisationId: book.organisationId,
      name: 'Cafe',
      country: 'GB',
      currency: book.currency,
    };
    const rest = { tradingName: 'Cafe', enabled: true, people: [] };
    await test.consume(OrganisationChanged, { ...facts, ...rest, billingDetails: mill }, { version: 2 });
    await payOffer(book);
    const [invoice] = (await list(book)).invoices;
    const page = await (await get(`${invoice?.number}.html`, book)).text();
    for (const text of [...mill.address, 'VAT number GB980780684', 'PO 4711']) expect(page).toContain(text);
    expect((await get(`${invoice?.number}.pdf`, book)).status).toBe(200);
  });
});

describe('numbers', () => {
  it.each(['reported by its webhook', 'found by asking'])(
    'are taken in the commit: a process that stands still before it keeps no other payment waiting, for a payment %s',
    async (how) => {
      const { postgres } = test.billing;
      const book = test.newBook();
      const offer = await test.openOffer({ book });
      const webhook = await test.payUnheard(offer.sessionId);
      const others: string[] = [];
      const transaction: typeof postgres.transaction = (work, deadline) =>
        postgres.transaction(async (tx) => {
          const result = await work(tx);
          others.push(await test.receive(await unheardPayment()));
          return result;
        }, deadline);
      const billing = { ...test.billing, postgres: { ...postgres, transaction } };
      if (how === 'found by asking') expect(await test.close(offer, undefined, billing)).toBe('paid');
      else await test.receive(webhook, billing);
      expect(new Set(others)).toEqual(new Set(['accepted']));
      expect(await invoicesOf(book)).toHaveLength(1);
    },
  );

  it('have no gap when 40 payments come at once in copies, and some transactions are rolled back', async () => {
    const { postgres } = test.billing;
    // All statements of a transaction are done, and then the process dies.
    const transaction: typeof postgres.transaction = (work) =>
      postgres.transaction(async (tx) => {
        await work(tx);
        throw new Error('killed before the commit');
      });
    const killed: Billing = { ...test.billing, postgres: { ...postgres, transaction } };
    const before = (await sequences('LIVE')).length;
    const webhooks = await inTens(40, () => unheardPayment({ book: test.newBook({ mode: 'LIVE' }) }));
    /** Again, as Stripe does, when billing was too busy. Any other fault is one of ours. */
    const receive = async (webhook: Webhook, by: Billing): Promise<string> => {
      try {
        return await test.receive(webhook, by);
      } catch (error) {
        return error instanceof Fault ? receive(webhook, by) : (error as Error).message;
      }
    };
    const outcomes = await Promise.all(
      webhooks.flatMap((webhook, index) =>
        [index % 3 === 0 ? killed : test.billing, test.billing, test.billing].map((by) =>
          receive(webhook, by),
        ),
      ),
    );
    const count = (outcome: string) => outcomes.filter((one) => one === outcome).length;
    expect([count('killed before the commit'), count('accepted')]).toEqual([14, 106]);
    expect(await sequences('LIVE')).toEqual(oneTo(before + 40));
  });

  it('of TEST and LIVE are two sequences', async () => {
    await payOffer(test.newBook());
    await payOffer(test.newBook({ mode: 'LIVE' }));
    for (const mode of ['TEST', 'LIVE'] as const) {
      const all = await sequences(mode);
      expect(all).toEqual(oneTo(all.length));
    }
  });

  it('never have an earlier day than the one before, whatever the issuing replica’s clock says', async () => {
    for (const seconds of [0, 100, -100]) {
      const now = new Date(test.clock.now().getTime() + seconds * 1_000);
      await test.receive(await unheardPayment(), { ...test.billing, clock: { now: () => now } });
    }
    const rows = await test.billing.postgres.query<{ issued_at: Date }>(
      `SELECT issued_at FROM invoices WHERE mode = 'TEST' ORDER BY sequence`,
    );
    const days = rows.map(({ issued_at }) => issued_at.getTime());
    expect(days).toEqual(days.toSorted((a, b) => a - b));
  });

  it('are given once for each cause', async () => {
    const book = test.newBook();
    const { offerId } = await payOffer(book);
    const issued = await invoicesOf(book);
    const [cause, now] = [`offer ${offerId} paid by card`, test.clock.now()];
    const sale = {
      kind: 'offer',
      offerId,
      title: 'another',
      netMinor: 5n,
      vatMinor: 0n,
      paidAt: now,
    } as const;
    const again = () =>
      test.billing.postgres.transaction(async (tx) =>
        insertDueInvoice(tx, { ...sale, cause, book, seller, issuedAt: now }),
      );
    await Promise.all([again(), again(), again()]);
    expect(await invoicesOf(book)).toEqual(issued);
  });
});

describe('the database', () => {
  const answerTo = (sql: string) =>
    test.billing.postgres.query(sql).then(
      () => 'done',
      (error: Error) => error.message,
    );

  it('refuses to change or remove an invoice; only a missing buyer may be filled in', async () => {
    const [book, unnamed] = [await saveName('Final Ltd'), test.newBook()];
    await payOffer(book);
    await payOffer(unnamed);
    const update = (what: string, { organisationId }: Book) =>
      answerTo(`UPDATE invoices SET ${what} WHERE organisation_id = ${organisationId}`);
    for (const [what, of] of [
      ['net_minor = 1', book],
      [`buyer_name = 'x'`, book],
      [`buyer_details = '{}'`, book],
      [`buyer_name = 'x', buyer_country = 'GB', net_minor = 1`, unnamed],
    ] as const)
      expect(await update(what, of)).toContain('an invoice is final');
    expect(await answerTo('DELETE FROM invoices')).toContain('append-only');
    expect(await answerTo('TRUNCATE invoices CASCADE')).toContain('append-only');
  });

  it('refuses a number that leaves a gap, and an invoice of what was never posted', async () => {
    const book = test.newBook();
    await payOffer(book);
    const rest = `organisation_id, currency, kind, offer_id, net_minor, vat_minor, vat_percent, paid_at, issued_at,
                  seller_name, seller_address, seller_vat_number`;
    const copyAs = (sequence: string) =>
      answerTo(
        `INSERT INTO invoices (mode, sequence, cause, ${rest})
         SELECT mode, ${sequence}, 'made up', ${rest} FROM invoices WHERE organisation_id = ${book.organisationId}`,
      );
    expect(await copyAs('sequence + 1000')).toContain('invoices_mode_predecessor_fkey');
    const next = `(SELECT max(sequence) + 1 FROM invoices WHERE mode = 'TEST')`;
    expect(await copyAs(next)).toContain('invoices_cause_fkey');
  });
});

const list = async (book: Book, query = '') =>
  (await test.as(book, 'GET', `/invoices${query}`)).body as InvoicesReply;

const get = (path: string, { organisationId, mode }: Book) =>
  fetch(`${test.url}/internal/invoices/${path}`, {
    headers: signedCaller({ audience: 'billing', organisationId, mode }),
  });

describe('GET /internal/invoices', () => {
  it('goes page by page, newest first, and shows those of the organisation in its mode alone', async () => {
    const [book, stranger] = [test.newBook(), test.newBook()];
    const live = { ...book, mode: 'LIVE' } as const;
    const ids: number[] = [];
    for (const owner of [book, stranger, book, live, book]) {
      const { offerId } = await payOffer(owner);
      if (owner === book) ids.unshift(offerId);
    }
    const all = await list(book);
    expect(all).toMatchObject({ mode: 'TEST', nextCursor: null });
    expect(all.invoices.map(({ offerId }) => offerId)).toEqual(ids);
    const amounts = { netMinor: '1000', vatMinor: '200', grossMinor: '1200', currency: 'GBP' };
    expect(all.invoices[0]).toMatchObject({ title: 'Two for one', ...amounts });
    const first = await list(book, '?limit=2');
    const [newest] = first.invoices;
    expect((await list(book, `?offerId=${newest?.offerId}`)).invoices).toEqual([newest]);
    const second = await list(book, `?limit=2&cursor=${first.nextCursor}`);
    expect([...first.invoices, ...second.invoices]).toEqual(all.invoices);
    expect(second.nextCursor).toBeNull();
    expect((await list(live)).invoices).toHaveLength(1);
    expect((await list(test.newBook())).invoices).toEqual([]);
  });
});

describe('GET /internal/invoices/{number}', () => {
  async function invoice(): Promise<{ book: Book; summary: InvoiceSummary; number: string }> {
    const book = test.newBook();
    await payOffer(book, { title: 'Offer <0>' });
    const [summary] = (await list(book)).invoices;
    return { book, summary: summary!, number: summary!.number };
  }

  it('.html is a page that loads nothing', async () => {
    const { book, number } = await invoice();
    const answer = await get(`${number}.html`, book);
    expect(answer.status).toBe(200);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
      'cache-control': expect.stringContaining('no-store'),
    });
    const page = await answer.text();
    expect(page).toContain('Offer &lt;0&gt;');
    expect(page).toContain('TEST, not an invoice');
  });

  it('.pdf is a file of that name, and 503 while it cannot be made; pages go on', async () => {
    const { book, number } = await invoice();
    const answer = await get(`${number}.pdf`, book);
    expect(answer.status).toBe(200);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'application/pdf',
      'content-disposition': `attachment; filename="${number}.pdf"`,
    });
    expect((await answer.text()).startsWith('%PDF-')).toBe(true);
    const { make } = test.pdfs;
    test.pdfs.make = () => Promise.reject(serviceUnavailable('too many'));
    expect((await get(`${number}.pdf`, book)).status).toBe(503);
    expect((await get(`${number}.html`, book)).status).toBe(200);
    test.pdfs.make = make;
  });

  it('is 404 for another organisation, the other mode, and what is no invoice', async () => {
    const { book, number } = await invoice();
    const live = { ...book, mode: 'LIVE' } as const;
    for (const [path, caller] of [
      [`${number}.html`, test.newBook()],
      [`${number}.pdf`, test.newBook()],
      [`${number}.pdf`, live],
      [`${number.replace('TEST', 'INV')}.pdf`, live],
      [number, book],
      [`${number}.txt`, book],
      [`${number}.pdf.html`, book],
      ['TEST-999999.html', book],
      ['TEST-999999999999999999.html', book],
      ['..%2F..%2Fetc.html', book],
    ] as const) {
      const answer = await get(path, caller);
      expect([path, answer.status, await answer.json()]).toEqual([path, 404, { message: 'Not found' }]);
    }
  });

  it('is known to the platform team with its cause, in the list of any organisation and by its number', async () => {
    const { book, summary, number } = await invoice();
    const { organisationId } = book;
    const theirs = await test.admin('GET', `/invoices?organisationId=${organisationId}&mode=TEST`);
    expect(theirs.body).toEqual(await list(book));
    const cause = `offer ${summary.offerId} paid by card`;
    const whole = { ...summary, organisationId, organisationName: null, cause };
    expect((await test.admin('GET', `/invoices/${number}`)).body).toEqual(whole);
    for (const unknown of ['TEST-999999', 'nonsense', 'TEST-999999.pdf', `${number}.html`])
      expect((await test.admin('GET', `/invoices/${unknown}`)).status).toBe(404);
  });

  it('is the same file for the platform team', async () => {
    const { book, number } = await invoice();
    const bytesOf = async (answer: Response) => [answer.status, Buffer.from(await answer.arrayBuffer())];
    const theirs = await fetch(`${test.adminUrl}/admin/invoices/${number}.pdf`, {
      headers: { authorization: `Bearer ${adminToken}` },
    });
    expect(theirs.headers.get('content-type')).toBe('application/pdf');
    expect(await bytesOf(theirs)).toEqual(await bytesOf(await get(`${number}.pdf`, book)));
  });
});
