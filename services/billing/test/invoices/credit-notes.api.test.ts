/** Credit notes: issued with the refunds of invoiced card payments, and read over HTTP. */

import { describe, expect, it } from '@jest/globals';
import type { InvoiceSummary, InvoicesReply } from '@offer-ads/contracts/internal/billing-api';
import { DAY_MS } from '@offer-ads/contracts/values/durations';
import { signedCaller } from '@offer-ads/testing/caller';
import { fc, runs } from '@offer-ads/testing/profile';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import type { Billing } from '../../src/billing.ts';
import type { Book } from '../../src/domain/ledger/ledger.ts';
import { nameBuyers } from '../../src/invoices/invoices-store.ts';
import { checkLedger } from '../../src/ledger/ledger-check-store.ts';
import { saveOrganisation } from '../../src/organisations-store.ts';
import { findMissedEvents } from '../../src/webhooks/find-missed-events.ts';
import { MINUTE_MS, useBilling, type Webhook } from '../billing-under-test.ts';
import { inTens } from '../in-tens.ts';

const test = useBilling();

const list = async (book: Book, query = '') =>
  (await test.as(book, 'GET', `/invoices${query}`)).body as InvoicesReply;
/** Credit notes and cancellations, oldest first. */
const notesOf = async (book: Book): Promise<InvoiceSummary[]> =>
  (await list(book, '?limit=200')).invoices.filter(({ document }) => document !== 'invoice').toReversed();
const invoiceOf = async (book: Book): Promise<InvoiceSummary> => {
  const invoice = (await list(book)).invoices.find(({ document }) => document === 'invoice');
  return invoice!;
};
const grossOf = async (book: Book) => (await notesOf(book)).map(({ grossMinor }) => Number(grossMinor));
const get = (path: string, { organisationId, mode }: Book) =>
  fetch(`${test.url}/internal/invoices/${path}`, {
    headers: signedCaller({ audience: 'billing', organisationId, mode }),
  });
const numbersIn = async (mode: Book['mode']): Promise<number[]> => {
  const rows = await test.billing.postgres.query<{ sequence: bigint }>(
    'SELECT sequence FROM credit_notes WHERE mode = $1 ORDER BY sequence',
    [mode],
  );
  return rows.map(({ sequence }) => Number(sequence));
};
const oneTo = (most: number) => Array.from({ length: most }, (_, index) => index + 1);

type Paid = { readonly sessionId: string; readonly book: Book };
/** The webhook of a refund, which billing has not received. */
const unheardRefund = ({ sessionId }: Paid, amountMinor?: number): Promise<Webhook> =>
  test.unheard(async () => {
    const id = await test.reverse(`sessions/${sessionId}/refund`, { amountMinor });
    return test.sentWebhook('refund.created', id);
  });

/** All statements of a transaction are done, and then the process dies. */
function killedBeforeCommit(): Billing {
  const { postgres } = test.billing;
  const transaction: typeof postgres.transaction = (work) =>
    postgres.transaction(async (tx) => {
      await work(tx);
      throw new Error('killed before the commit');
    });
  return { ...test.billing, postgres: { ...postgres, transaction } };
}

describe('a refund of an invoiced card payment', () => {
  it('has a credit note of its amount, with the facts of the invoice', async () => {
    const offer = await test.paidOffer();
    await test.takeBack(offer);
    const { number, ...invoice } = await invoiceOf(offer.book);
    expect(await notesOf(offer.book)).toEqual([
      {
        ...invoice,
        number: expect.stringMatching(/^TEST-CN-\d{6}$/),
        document: 'credit-note',
        invoiceNumber: number,
        issuedAt: test.clock.now().toISOString(),
      },
    ]);
  });

  it('in parts has a credit note for each, and together they are the invoice', async () => {
    const offer = await test.paidOffer({ netMinor: 33_33n });
    for (const part of [1, 9_99, 29_99, 1]) await test.takeBack(offer, 'refund', part);
    const notes = await notesOf(offer.book);
    const sum = (of: 'netMinor' | 'vatMinor') => notes.reduce((total, note) => total + Number(note[of]), 0);
    expect([notes.length, sum('netMinor'), sum('vatMinor')]).toEqual([4, 33_33, 6_67]);
  });

  it('of a top-up, and of an organisation outside the UK, has one too', async () => {
    const topUp = await test.openTopUp({ country: 'PL' });
    await test.pay(topUp.sessionId);
    await eventually(async () => expect(await test.balance(topUp.book)).toBe(100_00n));
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

  it('that fails afterwards has a cancellation, and a second refund has a credit note again', async () => {
    const offer = await test.paidOffer();
    const id = await test.takeBack(offer);
    await test.reverse(`refunds/${id}/fail`);
    await test.untilReversal(id, { returnedPosted: true });
    await test.takeBack(offer);
    const [first, second, third] = await notesOf(offer.book);
    const { number: invoiceNumber } = await invoiceOf(offer.book);
    const amounts = { netMinor: '1000', vatMinor: '200', grossMinor: '1200', invoiceNumber };
    expect(first).toMatchObject({ ...amounts, document: 'credit-note', cancelsNumber: null });
    expect(second).toMatchObject({ ...amounts, document: 'cancellation', cancelsNumber: first?.number });
    expect(third).toMatchObject({ ...amounts, document: 'credit-note', cancelsNumber: null });
  });

  it('has its credit note although the failure of an earlier refund is heard of last', async () => {
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
    const documents = (await notesOf(offer.book)).map(({ document }) => document);
    expect(documents).toEqual(['credit-note', 'cancellation', 'credit-note']);
  });

  it('that is heard of before its payment is numbered with the invoice, in one commit', async () => {
    const offer = await test.openOffer();
    const paid = await test.payUnheard(offer.sessionId);
    for (const part of [3_00, 9_00]) await test.receive(await unheardRefund(offer, part));
    expect((await list(offer.book)).invoices).toEqual([]);
    await test.receive(paid);
    expect((await grossOf(offer.book)).toSorted((a, b) => a - b)).toEqual([3_00, 9_00]);
  });

  it('shows the organisation as its invoice does, whenever that gets the name', async () => {
    const offer = await test.paidOffer();
    await test.takeBack(offer);
    const [note] = await notesOf(offer.book);
    const page = async () => (await get(`${note?.number}.html`, offer.book)).text();
    const { organisationId, currency } = offer.book;
    expect(await page()).toContain(`Organisation ${organisationId}`);
    const save = async (name: string, version: number) => {
      const facts = { organisationId, name, country: 'GB', currency };
      await saveOrganisation(test.billing.postgres, facts, version);
      await nameBuyers(test.billing.postgres);
    };
    await save('Corner Cafe Ltd', 1);
    expect(await page()).toContain('Corner Cafe Ltd');
    await save('Another Name Ltd', 2);
    expect(await page()).toContain('Corner Cafe Ltd');
  });
});

it.each(['won', 'lost'])('a dispute that is %s has no credit note', async (outcome) => {
  const offer = await test.paidOffer();
  const id = await test.takeBack(offer, 'dispute');
  await test.reverse(`disputes/${id}/close`, { outcome });
  await test.untilReversal(id, { status: outcome });
  expect(await notesOf(offer.book)).toEqual([]);
});

describe('numbers of credit notes', () => {
  it('have no gap when 20 refunds come at once in copies, and some transactions are rolled back', async () => {
    const before = (await numbersIn('LIVE')).length;
    const offers = await inTens(20, () => test.paidOffer({ book: test.newBook({ mode: 'LIVE' }) }));
    const webhooks = await inTens(20, (index) => unheardRefund(offers[index]!));
    const killed = killedBeforeCommit();
    const outcomes = await Promise.all(
      webhooks.flatMap((webhook, index) =>
        [index % 3 === 0 ? killed : test.billing, test.billing, test.billing].map((by) =>
          test.receive(webhook, by).catch((error: Error) => error.message),
        ),
      ),
    );
    expect(new Set(outcomes)).toEqual(new Set(['killed before the commit', 'accepted']));
    expect(await numbersIn('LIVE')).toEqual(oneTo(before + 20));
    for (const { book } of offers) expect(await grossOf(book)).toEqual([12_00]);
  });

  it('are given once when several pieces of news of a refund, and the list of events, come at once', async () => {
    const offer = await test.paidOffer();
    const webhooks = await test.unheard(async () => {
      const id = await test.reverse(`sessions/${offer.sessionId}/refund`, { pending: true });
      const created = await test.sentWebhook('refund.created', id);
      await test.reverse(`refunds/${id}/complete`);
      return [created, await test.sentWebhook('refund.updated', id)];
    });
    test.clock.advance(15 * MINUTE_MS);
    await Promise.all([
      ...[...webhooks, ...webhooks].map((webhook) => test.receive(webhook)),
      findMissedEvents(test.billing, new AbortController().signal),
    ]);
    expect(await grossOf(offer.book)).toEqual([12_00]);
  });

  it('of TEST and LIVE are two sequences, beside those of invoices', async () => {
    for (const mode of ['TEST', 'LIVE'] as const) {
      const offer = await test.paidOffer({ book: test.newBook({ mode }) });
      await test.takeBack(offer);
      const [note] = await notesOf(offer.book);
      const all = await numbersIn(mode);
      expect(all).toEqual(oneTo(all.length));
      const prefix = mode === 'TEST' ? 'TEST-CN' : 'CN';
      expect(note?.number).toBe(`${prefix}-${`${all.length}`.padStart(6, '0')}`);
    }
  });

  it('never have an earlier day than the one before, or than the invoice', async () => {
    const offers = await inTens(3, () => test.paidOffer());
    for (const [index, seconds] of [-100, 100, 0].entries()) {
      const now = new Date(test.clock.now().getTime() + seconds * 1_000);
      await test.receive(await unheardRefund(offers[index]!), { ...test.billing, clock: { now: () => now } });
    }
    const days = await Promise.all(offers.map(async ({ book }) => (await notesOf(book))[0]!.issuedAt));
    expect(days).toEqual(days.toSorted());
    for (const { book } of offers) {
      const [note] = await notesOf(book);
      expect(note!.issuedAt >= (await invoiceOf(book)).issuedAt).toBe(true);
    }
  });

  it('and amounts come to the same sums in whatever order the news of payment and refunds comes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.infiniteStream(fc.nat()), async (chance) => {
        const { book, sessionId } = await test.openOffer();
        const news = await test.unheard(async () => {
          const before = test.webhooks.sent.length;
          await test.pay(sessionId);
          const first = await test.reverse(`sessions/${sessionId}/refund`, { amountMinor: 700 });
          await test.reverse(`refunds/${first}/fail`);
          const second = await test.reverse(`sessions/${sessionId}/refund`, {
            amountMinor: 1100,
            pending: true,
          });
          await test.reverse(`refunds/${second}/complete`);
          const third = await test.reverse(`sessions/${sessionId}/refund`, { amountMinor: 100 });
          return eventually(() => {
            const ids = [sessionId, first, second, third];
            const sent = test.webhooks.sent.slice(before);
            const ours = sent.filter(({ body }) => ids.some((id) => body.includes(id)));
            expect(ours).toHaveLength(6);
            return ours;
          });
        });
        const shuffled = [...news, ...news]
          .map((webhook) => ({ webhook, place: chance.next().value }))
          .toSorted((one, other) => one.place - other.place);
        for (let start = 0; start < shuffled.length; start += 4)
          await Promise.all(shuffled.slice(start, start + 4).map(({ webhook }) => test.receive(webhook)));
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
    test.billing.postgres.query(sql).then(
      () => 'done',
      (error: Error) => error.message,
    );
  async function noted() {
    const offer = await test.paidOffer();
    await test.takeBack(offer, 'refund', 5_00);
    return offer.book.organisationId;
  }

  it('refuses to change or remove a credit note', async () => {
    const id = await noted();
    for (const sql of [
      `UPDATE credit_notes SET net_minor = 1 WHERE organisation_id = ${id}`,
      `DELETE FROM credit_notes WHERE organisation_id = ${id}`,
      'TRUNCATE credit_notes',
    ])
      expect(await answerTo(sql)).toContain('append-only');
  });

  it('refuses a number that leaves a gap, a credit note of what was never posted, and one that does not fit its invoice', async () => {
    const id = await noted();
    const next = `(SELECT max(sequence) + 1 FROM credit_notes WHERE mode = 'TEST')`;
    const insert = (columns: { [column: string]: string }) => {
      const given = {
        sequence: next,
        net_minor: 'net_minor',
        vat_minor: 'vat_minor',
        cancels: 'NULL',
        ...columns,
      };
      return answerTo(
        `INSERT INTO credit_notes (mode, cause, invoice, organisation_id, issued_at, ${Object.keys(given).join()})
         SELECT mode, 'made up', invoice, organisation_id, issued_at, ${Object.values(given).join()}
           FROM credit_notes WHERE organisation_id = ${id}`,
      );
    };
    expect(await insert({ sequence: 'sequence + 1000' })).toContain('credit_notes_mode_predecessor_fkey');
    expect(await insert({})).toContain('credit_notes_cause_fkey');
    expect(await insert({ net_minor: '10_00' })).toContain('does not fit its invoice');
    expect(await insert({ vat_minor: '1_50' })).toContain('does not fit its invoice');
    expect(await insert({ cancels: 'sequence', net_minor: 'net_minor - 1' })).toContain('cancels_whole_note');
  });
});

describe('GET /internal/invoices', () => {
  it('has invoices and credit notes in one list, newest first, page by page', async () => {
    const book = test.newBook();
    // Later than the day of any credit note so far.
    test.clock.advance(DAY_MS);
    for (const amountMinor of [1, 2, 3]) {
      const offer = await test.paidOffer({ book });
      await test.takeBack(offer, 'refund', amountMinor);
      // Those of the second and the third offer are of one moment.
      if (amountMinor === 1) test.clock.advance(MINUTE_MS);
    }
    const all = (await list(book)).invoices;
    const facts = all.map(({ document, grossMinor }) => [document, grossMinor]);
    expect(facts).toEqual([
      ['credit-note', '3'],
      ['credit-note', '2'],
      ['invoice', '1200'],
      ['invoice', '1200'],
      ['credit-note', '1'],
      ['invoice', '1200'],
    ]);
    const days = all.map(({ issuedAt }) => issuedAt);
    expect(days).toEqual(days.toSorted().toReversed());
    for (const limit of [1, 2, 4]) {
      const paged: InvoiceSummary[] = [];
      for (let cursor = ''; paged.length <= all.length; ) {
        const page = await list(book, `?limit=${limit}${cursor}`);
        paged.push(...page.invoices);
        if (page.nextCursor === null) break;
        cursor = `&cursor=${page.nextCursor}`;
      }
      expect(paged).toEqual(all);
    }
  });

  it('refuses a cursor that is of another organisation, or of no document', async () => {
    const { book } = await test.paidOffer();
    const { number } = await invoiceOf(book);
    for (const [caller, cursor] of [
      [test.newBook(), number],
      [book, 'TEST-CN-999999'],
      [book, 'nonsense'],
    ] as const)
      expect(await test.as(caller, 'GET', `/invoices?cursor=${cursor}`)).toMatchObject({
        status: 400,
        body: { message: 'cursor: must be the nextCursor of a page before' },
      });
  });
});

describe('GET /internal/invoices/{number} of a credit note', () => {
  it('is a page and a PDF, and leaves the page of its invoice as it was', async () => {
    const offer = await test.paidOffer();
    const invoice = await invoiceOf(offer.book);
    const invoicePage = async () => (await get(`${invoice.number}.html`, offer.book)).text();
    const before = await invoicePage();
    await test.takeBack(offer, 'refund', 6_00);
    expect(await invoicePage()).toBe(before);
    const [note] = await notesOf(offer.book);
    const page = await (await get(`${note?.number}.html`, offer.book)).text();
    for (const text of ['TEST, not a credit note', note!.number, `${invoice.number} of`, 'Total credited'])
      expect(page).toContain(text);
    const pdf = await get(`${note?.number}.pdf`, offer.book);
    expect(pdf.headers.get('content-disposition')).toBe(`attachment; filename="${note?.number}.pdf"`);
    expect((await pdf.text()).startsWith('%PDF-')).toBe(true);
  });

  it('is 404 for another organisation and the other mode, and known to the platform team by its number', async () => {
    const { book, ...offer } = await test.paidOffer();
    const id = await test.takeBack(offer);
    const [note] = await notesOf(book);
    for (const [caller, number] of [
      [test.newBook(), note?.number],
      [{ ...book, mode: 'LIVE' }, note?.number],
      [{ ...book, mode: 'LIVE' }, note?.number.replace('TEST-', '')],
      [book, 'TEST-CN-999999'],
    ] as const)
      expect((await get(`${number}.html`, caller)).status).toBe(404);
    const { organisationId } = book;
    const whole = { ...note, organisationId, organisationName: null, cause: `refund ${id} taken` };
    expect((await test.admin('GET', `/invoices/${note?.number}`)).body).toEqual(whole);
  });
});

describe('the ledger check', () => {
  /** What it finds after somebody has changed rows behind their rules; the change is then undone. */
  async function findingsAfter(change: string): Promise<readonly string[]> {
    let problems: readonly string[] = [];
    const undone = test.billing.postgres.transaction(async (tx) => {
      await tx.query('SET LOCAL session_replication_role = replica');
      await tx.query(change);
      ({ problems } = await checkLedger(tx));
      throw new Error('undo');
    });
    await expect(undone).rejects.toThrow('undo');
    return problems;
  }

  it('finds a refund without its credit note, one too many, wrong amounts and gaps', async () => {
    const offer = await test.paidOffer();
    const id = await test.takeBack(offer, 'refund', 6_00);
    const last = await test.takeBack(offer, 'refund', 3_00);
    const dispute = await test.takeBack(await test.paidOffer(), 'dispute');
    const of = (cause: string) => `WHERE cause = '${cause}'`;
    const noted = of(`refund ${id} taken`);
    const [row] = await test.billing.postgres.query<{ sequence: bigint; invoice: bigint }>(
      `SELECT sequence, invoice FROM credit_notes ${noted}`,
    );
    const { sequence, invoice } = row!;
    expect(await findingsAfter(`DELETE FROM credit_notes ${of(`refund ${last} taken`)}`)).toEqual([
      `refund ${last}: its record says 300 refunded, its credit notes 0`,
    ]);
    expect(await findingsAfter(`DELETE FROM credit_notes ${noted}`)).toEqual([
      `refund ${id}: its record says 600 refunded, its credit notes 0`,
      `credit note ${sequence + 1n} of TEST mode follows ${sequence - 1n}`,
    ]);
    expect(
      await findingsAfter(`UPDATE card_reversals SET succeeded = false WHERE reversal_id = '${id}'`),
    ).toEqual([`refund ${id}: its record says 0 refunded, its credit notes 600`]);
    expect(await findingsAfter(`UPDATE credit_notes SET net_minor = net_minor + 1 ${noted}`)).toEqual([
      `refund ${id}: its record says 600 refunded, its credit notes 601`,
      `credit note ${sequence} of TEST mode is of 601, the ledger says 600`,
    ]);
    expect(
      await findingsAfter(
        `UPDATE credit_notes SET net_minor = net_minor - 200, vat_minor = vat_minor + 200 ${noted}`,
      ),
    ).toContain(
      `invoice ${invoice} of TEST mode is of 1000 and 200 VAT, its credit notes are of 550 and 350`,
    );
    expect(await findingsAfter(`UPDATE credit_notes SET invoice = invoice - 1 ${noted}`)).toContainEqual(
      `refund ${id}: its record says 600 refunded, its credit notes 0`,
    );
    expect(
      await findingsAfter(`UPDATE credit_notes SET cause = 'dispute ${dispute} taken' ${noted}`),
    ).toEqual(
      expect.arrayContaining([
        `refund ${id}: its record says 600 refunded, its credit notes 0`,
        `credit note ${sequence} of TEST mode is of 600, the ledger says 0`,
      ]),
    );
  });
});
