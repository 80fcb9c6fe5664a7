import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createDeadline } from '@offer-ads/platform/calls/deadline';
import { signedCaller, testContextSecret } from '@offer-ads/testing/caller';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { chargeOffer } from '../../src/balance/charge-offer.ts';
import { resolveCharge } from '../../src/checkouts/resolve-charge.ts';
import type { Book } from '../../src/domain/ledger/ledger.ts';
import { internalRoutes } from '../../src/http/internal-routes.ts';
import { balanceOf } from '../../src/ledger/ledger-store.ts';
import { stripeDeadline } from '../../src/stripe/client.ts';
import {
  type BillingUnderTest,
  serveRoutes,
  startBillingUnderTest,
  untilServed,
} from '../billing-under-test.ts';

let test: BillingUnderTest;
beforeAll(async () => {
  test = await startBillingUnderTest();
});
afterAll(() => test.finish());

async function bookWith(balanceMinor: bigint): Promise<Book> {
  const book = test.newBook();
  await test.topUp(book, balanceMinor);
  return book;
}

function charge(book: Book, netMinor: bigint, offerId = test.newOfferId()) {
  const sale = { offerId, book, title: 'Two for one', netMinor };
  return chargeOffer(test.billing, sale, test.clock.now());
}

const balance = (book: Book) => balanceOf(test.billing.postgres, book);

describe('a charge', () => {
  it('takes the net price from the balance at once', async () => {
    const book = await bookWith(100_00n);
    expect(await charge(book, 12_34n)).toEqual({
      outcome: 'charged',
      chargedAt: test.clock.now().toISOString(),
      balanceMinor: '8766',
    });
    expect(await balance(book)).toBe(87_66n);
  });

  it('may take the last penny but not one more', async () => {
    const book = await bookWith(10_00n);
    expect(await charge(book, 10_01n)).toEqual({
      outcome: 'refused',
      reason: 'balance-too-low',
      balanceMinor: '1000',
    });
    expect(await charge(book, 10_00n)).toMatchObject({ outcome: 'charged', balanceMinor: '0' });
  });

  it('of an organisation that never had a balance is refused', async () => {
    expect(await charge(test.newBook(), 1n)).toMatchObject({ reason: 'balance-too-low', balanceMinor: '0' });
  });

  it('that was refused may be tried again once the balance allows it', async () => {
    const book = test.newBook();
    const offerId = test.newOfferId();
    expect(await charge(book, 5_00n, offerId)).toMatchObject({ outcome: 'refused' });
    await test.topUp(book, 5_00n);
    expect(await charge(book, 5_00n, offerId)).toMatchObject({ outcome: 'charged', balanceMinor: '0' });
  });

  it('never reaches the balance of the other mode or of another currency', async () => {
    const book = await bookWith(10_00n);
    expect(await charge({ ...book, mode: 'LIVE' }, 1n)).toMatchObject({ outcome: 'refused' });
    expect(await charge({ ...book, currency: 'EUR' }, 1n)).toMatchObject({ outcome: 'refused' });
    expect(await balance(book)).toBe(10_00n);
  });

  it('of nothing is charged and writes no ledger entry', async () => {
    const book = test.newBook();
    expect(await charge(book, 0n)).toMatchObject({ outcome: 'charged', balanceMinor: '0' });
    const booked = await test.billing.postgres.query('SELECT FROM transactions WHERE organisation_id = $1', [
      book.organisationId,
    ]);
    expect(booked).toEqual([]);
  });
});

describe('charges of one balance', () => {
  it('are one statement each, so that nobody holds the balance while a process stands still', async () => {
    const book = await bookWith(100_00n);
    const { postgres } = test.billing;
    let statements = 0;
    const watched: typeof postgres = {
      ...postgres,
      query: (...statement) => {
        statements += 1;
        return postgres.query(...statement);
      },
      transaction: () =>
        Promise.reject(new Error('a plain charge needs no transaction of several statements')),
    };
    const sale = { offerId: test.newOfferId(), book, title: 'Two for one', netMinor: 1_00n };
    const answer = await chargeOffer({ ...test.billing, postgres: watched }, sale, test.clock.now());
    expect(answer).toMatchObject({ outcome: 'charged', balanceMinor: '9900' });
    expect(statements).toBe(1);
  });

  it('that come after their deadline, on the clock of the database, take nothing', async () => {
    const book = await bookWith(10_00n);
    const sale = { offerId: test.newOfferId(), book, title: 'Two for one', netMinor: 1_00n };
    const hour = 3_600_000;
    const late = createDeadline(hour, undefined, undefined, Date.now() - hour);
    await expect(chargeOffer(test.billing, sale, test.clock.now(), late)).rejects.toMatchObject({
      status: 503,
    });
    expect(await balance(book)).toBe(10_00n);
    const inTime = createDeadline(hour, undefined, undefined, Date.now() + hour);
    expect(await chargeOffer(test.billing, sale, test.clock.now(), inTime)).toMatchObject({
      outcome: 'charged',
    });
  });

  it('stand in a line of bounded length: what comes beyond is told so at once, and other balances are charged', async () => {
    const [busy, other] = [await bookWith(100_00n), await bookWith(100_00n)];
    await using server = await serveRoutes(test, (app) =>
      internalRoutes(app, test.billing, testContextSecret),
    );
    const ask = (book: Book) =>
      fetch(`${server.url}/internal/charges`, {
        method: 'POST',
        headers: { ...signedCaller({ audience: 'billing', ...book }), 'content-type': 'application/json' },
        body: JSON.stringify({ offerId: test.newOfferId(), title: 'Two for one', netMinor: '1' }),
      });
    const statuses: number[] = [];
    let asked: Promise<void[]> | undefined;
    await test.billing.postgres.transaction(async (tx) => {
      await tx.query(
        `SELECT FROM balances JOIN accounts USING (account_id) WHERE organisation_id = $1 FOR UPDATE OF balances`,
        [busy.organisationId],
      );
      asked = Promise.all(
        Array.from({ length: 70 }, async () => {
          const answer = await ask(busy);
          statuses.push(answer.status);
          if (answer.status === 429) expect(answer.headers.get('retry-after')).not.toBeNull();
        }),
      );
      await eventually(() => expect(statuses).toEqual([429, 429, 429, 429, 429, 429]));
      expect((await ask(other)).status).toBe(200);
    });
    await asked;
    expect(statuses.filter((status) => status === 200)).toHaveLength(64);
    expect(await balance(busy)).toBe(100_00n - 64n);
  });
});

describe('the same offer id', () => {
  it('charged 20 times at once is charged once, and every answer says so', async () => {
    const book = await bookWith(100_00n);
    const offerId = test.newOfferId();
    const answers = await Promise.all(Array.from({ length: 20 }, () => charge(book, 30_00n, offerId)));
    for (const answer of answers) expect(answer).toMatchObject({ outcome: 'charged', balanceMinor: '7000' });
    expect(await balance(book)).toBe(70_00n);
  });

  it('charged again later gives the time of the first charge', async () => {
    const book = await bookWith(100_00n);
    const offerId = test.newOfferId();
    const first = await charge(book, 1_00n, offerId);
    test.clock.advance(3_600_000);
    expect(await charge(book, 1_00n, offerId)).toEqual(first);
  });

  it('with another amount or organisation is a fault and charges nothing', async () => {
    const book = await bookWith(100_00n);
    const other = await bookWith(100_00n);
    const offerId = test.newOfferId();
    await charge(book, 1_00n, offerId);
    await expect(charge(book, 2_00n, offerId)).rejects.toMatchObject({ status: 409 });
    await expect(charge(other, 1_00n, offerId)).rejects.toMatchObject({ status: 409 });
    await expect(charge({ ...book, mode: 'LIVE' }, 1_00n, offerId)).rejects.toMatchObject({ status: 409 });
    expect(await balance(book)).toBe(99_00n);
    expect(await balance(other)).toBe(100_00n);
  });
});

it('of 50 charges at once against a balance that affords 10, exactly 10 are charged', async () => {
  const book = await bookWith(100_00n);
  const offers = Array.from({ length: 50 }, () => test.newOfferId());
  const answers = await Promise.all(
    offers.map((offerId) => untilServed(() => charge(book, 10_00n, offerId))),
  );
  expect(answers.filter(({ outcome }) => outcome === 'charged')).toHaveLength(10);
  expect(answers.filter(({ outcome }) => outcome === 'refused')).toHaveLength(40);
  expect(await balance(book)).toBe(0n);
});

describe('settling an abandoned creation by balance', () => {
  it('finds the charge that was made', async () => {
    const book = await bookWith(10_00n);
    const offerId = test.newOfferId();
    await charge(book, 4_00n, offerId);
    expect(await resolveCharge(test.billing, { offerId, book }, stripeDeadline())).toEqual({
      outcome: 'charged',
      paymentMethod: 'B',
      paymentUrl: null,
      netMinor: '400',
      vatMinor: '0',
      paidAt: test.clock.now().toISOString(),
    });
  });

  it('closes the id for ever when none was made: a late charge is refused', async () => {
    const book = await bookWith(10_00n);
    const offerId = test.newOfferId();
    const settle = () => resolveCharge(test.billing, { offerId, book }, stripeDeadline());
    expect(await settle()).toEqual({ outcome: 'closed' });
    expect(await charge(book, 4_00n, offerId)).toMatchObject({ outcome: 'refused', reason: 'closed' });
    expect(await settle()).toEqual({ outcome: 'closed' });
    expect(await balance(book)).toBe(10_00n);
  });

  it('and charging at once never disagree', async () => {
    const book = await bookWith(100_00n);
    for (let round = 0; round < 20; round += 1) {
      const offerId = test.newOfferId();
      const [charged, settled] = await Promise.all([
        charge(book, 1_00n, offerId),
        resolveCharge(test.billing, { offerId, book }, stripeDeadline()),
      ]);
      expect(settled.outcome).toBe(charged.outcome === 'charged' ? 'charged' : 'closed');
    }
  });
});
