import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sqlOf } from '@offer-ads/platform/postgres/postgres';
import { Fault } from '@offer-ads/platform/process/faults';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import type { Billing } from '../../src/billing.ts';
import { closeCheckout } from '../../src/checkouts/close-checkout.ts';
import type { Book } from '../../src/domain/ledger/ledger.ts';
import { issueInvoice, nameBuyers } from '../../src/invoices/invoices.ts';
import { findInvoice, listInvoices } from '../../src/invoices/invoices-store.ts';
import { saveOrganisation } from '../../src/organisations-store.ts';
import { stripeDeadline } from '../../src/stripe/client.ts';
import { receiveWebhook } from '../../src/webhooks/receive-webhook.ts';
import { type BillingUnderTest, seller, startBillingUnderTest, type Webhook } from '../billing-under-test.ts';

let test: BillingUnderTest;
beforeAll(async () => {
  test = await startBillingUnderTest();
});
afterAll(() => test.finish());

const invoicesOf = (book: Book) => listInvoices(test.billing.postgres, book, { before: null, limit: 200 });

async function sequences(mode: Book['mode']): Promise<number[]> {
  const rows = await test.billing.postgres.query<{ sequence: bigint }>(
    'SELECT sequence FROM invoices WHERE mode = $1 ORDER BY sequence',
    [mode],
  );
  return rows.map(({ sequence }) => Number(sequence));
}
const oneTo = (most: number) => Array.from({ length: most }, (_, index) => index + 1);

/** Pays, and gives the webhook that billing has not heard yet. */
async function paidUnheard(sessionId: string): Promise<Webhook> {
  test.webhooks.lost = true;
  await test.pay(sessionId);
  const webhook = await eventually(() => {
    const found = test.webhooks.sent.find(({ body }) => body.includes(sessionId));
    if (found === undefined) throw new Error('not sent yet');
    return found;
  });
  test.webhooks.lost = false;
  return webhook;
}

async function payOffer(book: Book, facts: { title?: string; country?: string } = {}) {
  const offer = await test.openOffer({ book, ...facts });
  await test.pay(offer.sessionId);
  await eventually(async () =>
    expect((await invoicesOf(book)).some(({ offerId }) => offerId === offer.offerId)).toBe(true),
  );
  return offer;
}

/** Billing whose process dies after all statements of a transaction, before its commit. */
function diesBeforeCommit(): Billing {
  const { postgres } = test.billing;
  const transaction: typeof postgres.transaction = (work) =>
    postgres.transaction(async (tx) => {
      await work(tx);
      throw new Error('killed before the commit');
    });
  return { ...test.billing, postgres: { ...postgres, transaction } };
}

const newOrganisation = async (name: string, book = test.newBook(), country = 'GB', version = 1) => {
  const facts = { organisationId: book.organisationId, name, country, currency: book.currency };
  await test.billing.postgres.transaction((tx) => saveOrganisation(tx, facts, version));
  return book;
};

describe('a card payment', () => {
  it('has an invoice in the name of the organisation, of exactly what was paid', async () => {
    const book = await newOrganisation('Corner Cafe Ltd');
    const { offerId } = await payOffer(book, { title: 'Two for one' });
    const [invoice, ...others] = await invoicesOf(book);
    expect(others).toEqual([]);
    expect(invoice).toMatchObject({
      kind: 'offer',
      offerId,
      book,
      title: 'Two for one',
      netMinor: 1000n,
      vatMinor: 200n,
      vatPercent: 20,
      paidAt: test.clock.now(),
      seller,
      buyer: { name: 'Corner Cafe Ltd', country: 'GB' },
    });
  });

  it('keeps the name that the organisation had then', async () => {
    const book = await newOrganisation('Old Name Ltd');
    await payOffer(book);
    await newOrganisation('New Name Ltd', book, 'GB', 2);
    await nameBuyers(test.billing);
    await payOffer(book);
    expect((await invoicesOf(book)).map(({ buyer }) => buyer?.name)).toEqual([
      'New Name Ltd',
      'Old Name Ltd',
    ]);
  });

  it('of an organisation that billing has not heard of is not held up, and its invoice is named later', async () => {
    const book = test.newBook();
    await payOffer(book, { country: 'PL' });
    await nameBuyers(test.billing);
    expect(await invoicesOf(book)).toMatchObject([{ buyer: null, vatMinor: 0n, vatPercent: 0 }]);
    await newOrganisation('Kawiarnia', book, 'PL');
    await nameBuyers(test.billing);
    expect(await invoicesOf(book)).toMatchObject([{ buyer: { name: 'Kawiarnia', country: 'PL' } }]);
  });
});

describe('numbers', () => {
  it.each(['told by its webhook', 'found when asked'])(
    'keep other payments waiting for one statement and the commit, for a payment that is %s',
    async (how) => {
      const { postgres } = test.billing;
      const { sessionId, offerId } = await test.openOffer();
      const { body, signature } = await paidUnheard(sessionId);
      const transactions: string[][] = [];
      const transaction: typeof postgres.transaction = (work) => {
        const statements: string[] = [];
        transactions.push(statements);
        return postgres.transaction((tx) =>
          work({
            query: (statement, values) => {
              statements.push(`${sqlOf(statement)} ${String(values?.[0])}`);
              return tx.query(statement, values);
            },
          }),
        );
      };
      const billing = { ...test.billing, postgres: { ...postgres, transaction } };
      if (how === 'found when asked') {
        const payment = await test.cardPayment(offerId);
        expect(await closeCheckout(billing, payment, stripeDeadline())).toBe('paid');
      } else await receiveWebhook(billing, body, signature);
      const isLock = (statement: string) => statement.includes('invoice numbers of TEST');
      const booking = transactions.find((statements) => statements.some(isLock)) ?? [];
      const [insert, ...more] = booking.slice(booking.findIndex(isLock) + 1);
      expect(insert).toContain('INSERT INTO invoices');
      expect(more).toEqual([]);
    },
  );

  it('have no gap when 50 payments come at once in copies, and some transactions are rolled back', async () => {
    const before = (await sequences('LIVE')).length;
    const webhooks: Webhook[] = [];
    for (let index = 0; index < 50; index++) {
      const { sessionId } = await test.openOffer({ book: test.newBook({ mode: 'LIVE' }) });
      webhooks.push(await paidUnheard(sessionId));
    }
    /** As Stripe sends it: again when billing was too busy. Any other fault is one of ours. */
    const receive = async (billing: Billing, { body, signature }: Webhook): Promise<string> => {
      try {
        return await receiveWebhook(billing, body, signature);
      } catch (error) {
        if (error instanceof Fault) return receive(billing, { body, signature });
        return (error as Error).message;
      }
    };
    const outcomes = await Promise.all(
      webhooks.flatMap((webhook, index) => {
        const first = index % 3 === 0 ? diesBeforeCommit() : test.billing;
        return [first, test.billing, test.billing].map((billing) => receive(billing, webhook));
      }),
    );
    // Who died is given the chance again, as Stripe does.
    expect(new Set(outcomes)).toEqual(new Set(['accepted', 'killed before the commit']));
    expect(outcomes.filter((outcome) => outcome === 'accepted')).toHaveLength(133);
    expect(await sequences('LIVE')).toEqual(oneTo(before + 50));
  });

  it('of TEST and LIVE are two sequences', async () => {
    const [book, live] = [test.newBook(), test.newBook({ mode: 'LIVE' })];
    await payOffer(book);
    await payOffer(live);
    expect(await sequences('TEST')).toEqual(oneTo((await sequences('TEST')).length));
    expect(await sequences('LIVE')).toEqual(oneTo((await sequences('LIVE')).length));
  });

  it('never bear an earlier day than the one before, whatever clock they were issued by', async () => {
    for (const seconds of [0, 100, -100]) {
      const { sessionId } = await test.openOffer();
      const { body, signature } = await paidUnheard(sessionId);
      const now = new Date(test.clock.now().getTime() + seconds * 1_000);
      await receiveWebhook({ ...test.billing, clock: { now: () => now } }, body, signature);
    }
    const rows = await test.billing.postgres.query<{ sequence: bigint; issued_at: Date }>(
      `SELECT sequence, issued_at FROM invoices WHERE mode = 'TEST' ORDER BY sequence`,
    );
    const days = rows.map(({ issued_at }) => issued_at.getTime());
    expect(days).toEqual(days.toSorted((a, b) => a - b));
  });

  it('are given once for each cause, however often it is asked for', async () => {
    const book = test.newBook();
    const { offerId } = await payOffer(book);
    const [invoice] = await invoicesOf(book);
    const again = () =>
      test.billing.postgres.transaction((tx) =>
        issueInvoice(tx, {
          cause: `offer ${offerId} paid by card`,
          book,
          kind: 'offer',
          offerId,
          title: 'another',
          netMinor: 5n,
          vatMinor: 0n,
          paidAt: test.clock.now(),
          seller,
          now: test.clock.now(),
        }),
      );
    const numbers = await Promise.all([again(), again(), again()]);
    expect(new Set(numbers.map(({ number }) => number)).size).toBe(1);
    expect(await invoicesOf(book)).toEqual([invoice]);
  });
});

describe('the database', () => {
  const answerTo = (sql: string) =>
    test.billing.postgres.query(sql).then(
      () => 'done',
      (error: Error) => error.message,
    );

  it('refuses to change or remove an invoice', async () => {
    const book = await newOrganisation('Final Ltd');
    await payOffer(book);
    const whose = `organisation_id = ${book.organisationId}`;
    expect(await answerTo(`UPDATE invoices SET net_minor = 1 WHERE ${whose}`)).toContain(
      'an invoice is final',
    );
    expect(await answerTo(`UPDATE invoices SET buyer_name = 'x' WHERE ${whose}`)).toContain(
      'an invoice is final',
    );
    expect(await answerTo(`DELETE FROM invoices WHERE ${whose}`)).toContain('append-only');
    expect(await answerTo('TRUNCATE invoices')).toContain('append-only');
  });

  it('lets nothing but the buyer be filled in', async () => {
    const book = test.newBook();
    await payOffer(book);
    const whose = `organisation_id = ${book.organisationId}`;
    expect(
      await answerTo(
        `UPDATE invoices SET buyer_name = 'x', buyer_country = 'GB', net_minor = 1 WHERE ${whose}`,
      ),
    ).toContain('an invoice is final');
  });

  it('refuses a number that leaves a gap, and an invoice of what was never booked', async () => {
    const book = test.newBook();
    await payOffer(book);
    const copy = (sequence: string, cause: string) =>
      answerTo(
        `INSERT INTO invoices (mode, sequence, cause, organisation_id, currency, kind, offer_id, net_minor, vat_minor,
                               vat_percent, paid_at, issued_at, seller_name, seller_address, seller_vat_number)
         SELECT mode, ${sequence}, '${cause}', organisation_id, currency, kind, offer_id, net_minor, vat_minor,
                vat_percent, paid_at, issued_at, seller_name, seller_address, seller_vat_number
           FROM invoices WHERE organisation_id = ${book.organisationId}`,
      );
    expect(await copy('sequence + 1000', 'made up')).toContain('invoices_mode_predecessor_fkey');
    expect(await copy("(SELECT max(sequence) + 1 FROM invoices WHERE mode = 'TEST')", 'made up')).toContain(
      'invoices_cause_fkey',
    );
  });
});

describe('the list', () => {
  it('goes page by page, newest first, and holds what is the organisation’s in its mode alone', async () => {
    const [book, stranger] = [test.newBook(), test.newBook()];
    const live = { ...book, mode: 'LIVE' } as const;
    const ids: number[] = [];
    for (const owner of [book, stranger, book, live, book]) {
      const { offerId } = await payOffer(owner);
      if (owner === book) ids.unshift(offerId);
    }
    const { postgres } = test.billing;
    const first = await listInvoices(postgres, book, { before: null, limit: 2 });
    const rest = await listInvoices(postgres, book, { before: first.at(-1)?.sequence ?? 0n, limit: 2 });
    expect([...first, ...rest].map(({ offerId }) => offerId)).toEqual(ids);
    expect(await invoicesOf(live)).toHaveLength(1);
    const [theirs] = await invoicesOf(stranger);
    expect(await findInvoice(postgres, book, theirs?.sequence ?? 0n)).toBeUndefined();
    expect(await findInvoice(postgres, stranger, theirs?.sequence ?? 0n)).toEqual(theirs);
  });
});
