import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BalanceCredited } from '@offer-ads/contracts/billing-events';
import type { EventDeclaration } from '@offer-ads/contracts/event-declaration';
import { OrganisationChanged, OrganisationRegistered } from '@offer-ads/contracts/gateway-events';
import { OfferDeleted, OfferEnded, OfferPaymentApplied } from '@offer-ads/contracts/offers-events';
import { creditTarget } from '@offer-ads/contracts/unused-time';
import { sqlOf } from '@offer-ads/platform/postgres';
import { eventually } from '@offer-ads/testing/eventually';
import { fc, runs } from '@offer-ads/testing/profile';
import type { Billing } from '../src/billing.ts';
import { chargeOffer } from '../src/charge-offer.ts';
import { subscriptions } from '../src/consumers.ts';
import type { Book } from '../src/domain/ledger.ts';
import { balanceOf } from '../src/ledger-store.ts';
import { previewCredit } from '../src/preview-credit.ts';
import { type BillingUnderTest, startBillingUnderTest } from './billing-under-test.ts';

let test: BillingUnderTest;
beforeAll(async () => {
  test = await startBillingUnderTest();
});
afterAll(() => test.finish());

const DAY_MS = 24 * 3_600_000;

/** As the broker would hand it over. */
async function hear(
  declaration: EventDeclaration,
  data: unknown,
  o: { id?: string; version?: number; billing?: Billing } = {},
) {
  const subscription = subscriptions(o.billing ?? test.billing).find(
    (one) => one.declaration === declaration,
  );
  await subscription?.handle({
    id: o.id ?? randomUUID(),
    time: test.clock.now(),
    subject: 'subject',
    subjectVersion: o.version ?? 1,
    data: declaration.schema.parse(data),
  });
}

function finished(offerId: number, book: Book, unusedMs: number, paid = true) {
  const { organisationId, mode } = book;
  const at = test.clock.now().toISOString();
  return {
    offerId,
    organisationId,
    mode,
    title: 'Two for one',
    startAt: at,
    expiryAt: at,
    unusedMs,
    scheduledMs: DAY_MS,
    paid,
    endedAt: at,
    deletedAt: at,
  };
}

async function chargedOffer(netMinor: bigint) {
  const book = test.newBook();
  const offerId = test.newOfferId();
  await test.topUp(book, netMinor + 1n);
  const sale = { offerId, book, title: 'Two for one', netMinor };
  await chargeOffer(test.billing, sale, test.clock.now());
  return { book, offerId };
}

const balance = (book: Book) => balanceOf(test.billing.postgres, book);

describe('a credit that is asked for beforehand', () => {
  it('is what the deletion then credits, also after a part was credited before, and books nothing', async () => {
    const { book, offerId } = await chargedOffer(9_99n);
    const preview = (unusedMs: number) =>
      previewCredit(test.billing.postgres, { offerId, book }, { unusedMs, scheduledMs: DAY_MS });
    for (const unusedMs of [DAY_MS / 64, DAY_MS / 3, DAY_MS / 4, DAY_MS]) {
      const before = await balanceOf(test.billing.postgres, book);
      const told = await preview(unusedMs);
      expect(await balanceOf(test.billing.postgres, book)).toBe(before);
      await hear(OfferDeleted, finished(offerId, book, unusedMs));
      expect((await balanceOf(test.billing.postgres, book)) - before).toBe(told);
    }
    expect(await preview(DAY_MS)).toBe(0n);
  });

  it('is nothing for an offer that nobody paid, and for one of another book', async () => {
    const { book, offerId } = await chargedOffer(10_00n);
    const whole = { unusedMs: DAY_MS, scheduledMs: DAY_MS };
    const { postgres } = test.billing;
    expect(await previewCredit(postgres, { offerId: test.newOfferId(), book }, whole)).toBe(0n);
    expect(await previewCredit(postgres, { offerId, book: test.newBook() }, whole)).toBe(0n);
    expect(await previewCredit(postgres, { offerId, book }, whole)).toBe(10_00n);
  });
});

describe('Unused Time', () => {
  it('of a deleted offer goes to the balance of its mode and is told', async () => {
    const { book, offerId } = await chargedOffer(10_00n);
    await hear(OfferDeleted, finished(offerId, book, DAY_MS / 4));
    expect(await balance(book)).toBe(2_51n);
    expect(await test.emitted(BalanceCredited)).toContainEqual({
      ...book,
      offerId,
      title: 'Two for one',
      amountMinor: '250',
      balanceMinor: '251',
    });
  });

  it('of a card payment is credited net of VAT', async () => {
    const { offerId, book, sessionId } = await test.openOffer();
    await test.pay(sessionId);
    await eventually(async () => expect((await test.cardPayment(offerId)).checkout.state).toBe('paid'));
    await hear(OfferDeleted, finished(offerId, book, DAY_MS));
    expect(await balance(book)).toBe(10_00n);
  });

  it('of an offer whose payment came too late is the whole price', async () => {
    const { offerId, book, sessionId } = await test.openOffer();
    await test.pay(sessionId);
    await eventually(async () => expect((await test.cardPayment(offerId)).checkout.state).toBe('paid'));
    const at = test.clock.now().toISOString();
    await hear(OfferPaymentApplied, {
      ...finished(offerId, book, DAY_MS),
      createdBy: 1,
      paymentMethod: 'E',
      currency: 'GBP',
      netMinor: '1000',
      vatMinor: '200',
      paidAt: at,
      outcome: 'ended',
    });
    expect(await balance(book)).toBe(10_00n);
  });

  it('reported by one event ten times at once is credited once', async () => {
    const { book, offerId } = await chargedOffer(10_00n);
    const id = randomUUID();
    const event = finished(offerId, book, DAY_MS / 2);
    await Promise.all(Array.from({ length: 10 }, () => hear(OfferEnded, event, { id })));
    expect(await balance(book)).toBe(5_01n);
  });

  it('reported twice at the very moment in which the charge is committed is never credited for both reports', async () => {
    const [book, offerId, netMinor] = [test.newBook(), test.newOfferId(), 10_00n];
    await test.topUp(book, netMinor);
    const { postgres } = test.billing;
    const charged = Promise.withResolvers<unknown>();
    let looking = 0;
    // Both have found no row to lock when the charge comes, and then go on.
    const transaction: typeof postgres.transaction = (work) =>
      postgres.transaction((tx) =>
        work({
          query: (statement, values) =>
            tx.query(statement, values).then(async (rows) => {
              if (!sqlOf(statement).includes('FOR UPDATE')) return rows;
              looking += 1;
              const sale = { offerId, book, title: 'Two for one', netMinor };
              if (looking === 2)
                charged.resolve(chargeOffer({ ...test.billing, postgres }, sale, test.clock.now()));
              await charged.promise;
              return rows;
            }) as never,
        }),
      );
    const billing = { ...test.billing, postgres: { ...postgres, transaction } };
    const reports = [finished(offerId, book, DAY_MS / 4), finished(offerId, book, DAY_MS / 2)];
    await Promise.allSettled(reports.map((report) => hear(OfferEnded, report, { billing })));
    await Promise.all(reports.map((report) => hear(OfferEnded, report)));
    expect(await balance(book)).toBe(5_00n);
  });

  it('of an offer that billing does not know is an error, so that somebody looks at it', async () => {
    const unknown = finished(test.newOfferId(), test.newBook(), DAY_MS);
    await expect(hear(OfferDeleted, unknown)).rejects.toThrow('billing does not know it');
  });
});

it('credits in any order, repeated and at once come to the largest report and never exceed the price', async () => {
  const reports = fc.array(fc.integer({ min: 0, max: 2 * DAY_MS }), { minLength: 1, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(fc.bigInt({ min: 0n, max: 500_00n }), reports, async (netMinor, unused) => {
      const { book, offerId } = await chargedOffer(netMinor);
      const spentBalance = await balance(book);
      await Promise.all(
        [...unused, ...unused].map((unusedMs, index) =>
          hear(index % 2 ? OfferEnded : OfferDeleted, finished(offerId, book, unusedMs)),
        ),
      );
      const credited = (await balance(book)) - spentBalance;
      const largest = creditTarget(netMinor, { unusedMs: Math.max(...unused), scheduledMs: DAY_MS });
      expect(credited).toBe(largest);
      expect(credited <= netMinor).toBe(true);
    }),
    { numRuns: runs(25, 1_000) },
  );
}, 300_000);

describe('an offer that ends unpaid', () => {
  it('has its payment page closed and is credited nothing', async () => {
    const { offerId, book, sessionId } = await test.openOffer();
    await hear(OfferEnded, finished(offerId, book, DAY_MS, false));
    expect((await test.cardPayment(offerId)).checkout.state).toBe('closed');
    expect(await test.pay(sessionId)).toBe(false);
    expect(await balance(book)).toBe(0n);
  });
});

describe('what billing keeps of organisations', () => {
  const facts = (organisationId: number, name: string) => ({
    organisationId,
    name,
    tradingName: 'Cafe',
    country: 'GB',
    currency: 'GBP',
    enabled: true,
    people: [],
  });

  it('is what the newest event says, whatever order they come in', async () => {
    const organisationId = test.newOfferId();
    await hear(OrganisationChanged, facts(organisationId, 'New name'), { version: 2 });
    await hear(OrganisationRegistered, facts(organisationId, 'Old name'), { version: 1 });
    const rows = await test.billing.postgres.query(
      'SELECT name FROM organisations WHERE organisation_id = $1',
      [organisationId],
    );
    expect(rows).toEqual([{ name: 'New name' }]);
  });
});
