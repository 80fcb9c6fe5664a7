import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BalanceCredited } from '@offer-ads/contracts/events/billing';
import type { EventDeclaration } from '@offer-ads/contracts/events/event-declaration';
import { OrganisationChanged, OrganisationRegistered } from '@offer-ads/contracts/events/gateway';
import { OfferDeleted, OfferEnded, OfferPaymentApplied } from '@offer-ads/contracts/events/offers';
import { creditTarget } from '@offer-ads/contracts/values/unused-time';
import { sqlOf } from '@offer-ads/platform/postgres/postgres';
import { fc, runs } from '@offer-ads/testing/profile';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { chargeOffer } from '../../src/balance/charge-offer.ts';
import { previewCredit } from '../../src/balance/credit-offer.ts';
import type { Billing } from '../../src/billing.ts';
import { reconcileCheckouts } from '../../src/checkouts/reconcile.ts';
import { subscriptions } from '../../src/consumers.ts';
import { creditOwed } from '../../src/domain/ledger/credit.ts';
import type { Book } from '../../src/domain/ledger/ledger.ts';
import type { Bearer } from '../../src/domain/payments/settlement.ts';
import { balanceOf } from '../../src/ledger/ledger-store.ts';
import { listCreditedTakenBack } from '../../src/reversals/reversals-store.ts';
import { settleReversal } from '../../src/reversals/settle-reversal.ts';
import { receiveWebhook } from '../../src/webhooks/receive-webhook.ts';
import { type BillingUnderTest, startBillingUnderTest, type Webhook } from '../billing-under-test.ts';

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

describe('a card payment that the provider has taken back', () => {
  /** 10.00 and 2.00 VAT, and what became of it at Stripe. */
  async function paidOffer() {
    const offer = await test.openOffer();
    await test.pay(offer.sessionId);
    await eventually(async () => expect((await test.cardPayment(offer.offerId)).checkout.state).toBe('paid'));
    const reverse = async (how: 'refund' | 'dispute', amountMinor = 12_00) => {
      const id = await test.reverse(`sessions/${offer.sessionId}/${how}`, { amountMinor });
      await eventually(async () => expect(await reversalOf(id)).toMatchObject({ taken_booked: true }));
      return id;
    };
    const win = async (id: string) => {
      await test.reverse(`disputes/${id}/close`, { outcome: 'won' });
      await eventually(async () => expect(await reversalOf(id)).toMatchObject({ returned_booked: true }));
    };
    const unused = (parts: number) =>
      hear(OfferDeleted, finished(offer.offerId, offer.book, (parts * DAY_MS) / 4));
    return { ...offer, reverse, win, unused };
  }
  const reversalOf = async (id: string) =>
    (await test.billing.postgres.query('SELECT * FROM card_reversals WHERE reversal_id = $1', [id]))[0];
  const settle = (reversalId: string, borneBy: Bearer) =>
    settleReversal(
      test.billing.postgres,
      { reversalId, borneBy, reason: 'agreed', decidedBy: 'ann' },
      test.clock.now(),
    );
  const owed = async (book: Book) => {
    const offers = await listCreditedTakenBack(test.billing.postgres);
    return offers
      .filter((one) => one.organisationId === book.organisationId)
      .reduce((sum, one) => sum + creditOwed(one, one.takenBack), 0n);
  };

  it.each(['refund', 'dispute'] as const)(
    'is credited nothing when its offer is deleted after a %s',
    async (how) => {
      const { book, offerId, reverse, unused } = await paidOffer();
      await reverse(how);
      const whole = { unusedMs: DAY_MS, scheduledMs: DAY_MS };
      expect(await previewCredit(test.billing.postgres, { offerId, book }, whole)).toBe(0n);
      await unused(4);
      expect(await balance(book)).toBe(0n);
      expect(await owed(book)).toBe(0n);
    },
  );

  it('is credited for the part that was kept', async () => {
    const { book, reverse, unused } = await paidOffer();
    await reverse('refund', 3_00);
    await unused(4);
    expect(await balance(book)).toBe(7_50n);
  });

  it('is credited as soon as the provider has returned the money, and no more than once', async () => {
    const { book, reverse, win, unused } = await paidOffer();
    const dispute = await reverse('dispute');
    await unused(2);
    // Told late: less went unused then.
    await unused(1);
    await win(dispute);
    expect(await balance(book)).toBe(5_00n);
    await unused(2);
    await unused(4);
    expect(await balance(book)).toBe(10_00n);
  });

  it('is credited once the organisation has borne it, and not when the platform has', async () => {
    for (const borneBy of ['balance', 'platform'] as const) {
      const { book, reverse, unused } = await paidOffer();
      await test.topUp(book, 12_00n);
      const refund = await reverse('refund');
      await unused(4);
      expect(await balance(book)).toBe(12_00n);
      expect(await settle(refund, borneBy)).toMatchObject({ ok: true });
      expect(await balance(book)).toBe(borneBy === 'balance' ? 10_00n : 12_00n);
      await unused(4);
      expect(await balance(book)).toBe(borneBy === 'balance' ? 10_00n : 12_00n);
    }
  });

  it('after its Unused Time was credited is owed, until a person has decided or the money has come back', async () => {
    const first = await paidOffer();
    await first.unused(3);
    expect(await owed(first.book)).toBe(0n);
    const refund = await first.reverse('refund');
    expect(await owed(first.book)).toBe(7_50n);
    await settle(refund, 'platform');
    expect(await owed(first.book)).toBe(0n);
    const second = await paidOffer();
    await second.unused(4);
    const dispute = await second.reverse('dispute', 6_00);
    expect(await owed(second.book)).toBe(5_00n);
    await second.win(dispute);
    expect(await owed(second.book)).toBe(0n);
    expect(await balance(second.book)).toBe(10_00n);
  });

  it('before anybody knew of it is credited nothing when it reaches a closed page', async () => {
    const { book, offerId, sessionId } = await test.openOffer();
    test.webhooks.lost = true;
    const before = test.webhooks.sent.length;
    await test.pay(sessionId);
    const refund = await test.reverse(`sessions/${sessionId}/refund`);
    const told = (type: string, id: string) =>
      test.webhooks.sent.slice(before).find(({ body }) => body.includes(type) && body.includes(id));
    const webhooks = await eventually(() => {
      const found = [told('refund.created', refund), told('checkout.session.completed', sessionId)];
      expect(found).not.toContain(undefined);
      return found as Webhook[];
    }).finally(() => {
      test.webhooks.lost = false;
    });
    const { postgres } = test.billing;
    // As if closing had come to its end before the payment: Stripe itself lets no such page be paid.
    await postgres.query(`UPDATE offer_payments SET state = 'closed' WHERE offer_id = $1`, [offerId]);
    for (const { body, signature } of webhooks) await receiveWebhook(test.billing, body, signature);
    expect(await test.cardPayment(offerId)).toMatchObject({ creditedMinor: 0n, earnedMinor: 10_00n });
    expect(await balance(book)).toBe(0n);
  });

  it.each([
    ['before anybody has decided', false],
    ['after the organisation has borne it', true],
  ])(
    'and returns at the moment in which the offer is deleted is credited all the same, %s',
    async (_when, isBorne) => {
      const { postgres } = test.billing;
      const { book, offerId, reverse } = await paidOffer();
      const dispute = await reverse('dispute');
      await test.topUp(book, 12_00n);
      if (isBorne) expect(await settle(dispute, 'balance')).toMatchObject({ ok: true });
      test.webhooks.lost = true;
      await test.reverse(`disputes/${dispute}/close`, { outcome: 'won' });
      const won = await eventually(() => {
        const found = test.webhooks.sent.find(
          ({ body }) => body.includes('funds_reinstated') && body.includes(dispute),
        );
        expect(found).toBeDefined();
        return found as Webhook;
      }).finally(() => {
        test.webhooks.lost = false;
      });
      // The deletion has read what is gone when the news of its return comes, and goes on once that is done or waits.
      let returned: Promise<unknown> | undefined;
      const transaction: typeof postgres.transaction = (work) =>
        postgres.transaction((tx) =>
          work({
            query: (statement, values) =>
              tx.query(statement, values).then(async (rows) => {
                if (returned !== undefined || !sqlOf(statement).includes('FROM card_reversals')) return rows;
                returned = receiveWebhook(test.billing, won.body, won.signature);
                const waits = eventually(async () => {
                  if ((await waitingForLocks()) === 0) throw new Error('nobody waits for a lock yet');
                });
                await Promise.race([returned, waits]);
                return rows;
              }) as never,
          }),
        );
      const billing = { ...test.billing, postgres: { ...postgres, transaction } };
      await hear(OfferDeleted, finished(offerId, book, DAY_MS), { billing });
      await returned;
      expect(await balance(book)).toBe(22_00n);
    },
  );
  const waitingForLocks = async () =>
    (
      await test.billing.postgres.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      )
    ).length;

  it('is credited what is kept at each moment, never more, whatever is taken, returned, borne and reported', async () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('unused' as const), parts: fc.nat(4) }),
      fc.record({ kind: fc.constant('dispute' as const), amountMinor: fc.integer({ min: 1, max: 6_00 }) }),
      fc.record({ kind: fc.constantFrom('win', 'balance', 'platform'), pick: fc.nat(3) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 7, maxLength: 9 }), async (steps) => {
        const { book, reverse, win, unused } = await paidOffer();
        await test.topUp(book, 100_00n);
        const disputes: { id: string; minor: bigint; fate: string }[] = [];
        let [earned, credited] = [0n, 0n];
        for (const one of steps) {
          if (one.kind === 'unused') {
            await unused(one.parts);
            earned = earned > 2_50n * BigInt(one.parts) ? earned : 2_50n * BigInt(one.parts);
          } else if (one.kind === 'dispute') {
            if (disputes.length === 2) continue;
            const id = await reverse('dispute', one.amountMinor);
            disputes.push({ id, minor: BigInt(one.amountMinor), fate: 'taken' });
          } else {
            const dispute = disputes[one.pick];
            if (dispute === undefined || dispute.fate === 'win') continue;
            if (one.kind === 'win') await win(dispute.id);
            else if (dispute.fate === 'taken') await settle(dispute.id, one.kind);
            else continue;
            dispute.fate = one.kind;
          }
          const gone = disputes
            .filter(({ fate }) => fate === 'taken' || fate === 'platform')
            .reduce((sum, { minor }) => sum + minor, 0n);
          const kept = (10_00n * (12_00n - gone)) / 12_00n;
          const due = (earned < kept ? earned : kept) - credited;
          if (due > 0n) credited += due;
          const borne = disputes
            .filter(({ fate }) => fate === 'balance')
            .reduce((sum, { minor }) => sum + minor, 0n);
          expect(await balance(book)).toBe(100_00n - borne + credited);
        }
      }),
      { numRuns: runs(8, 300) },
    );
  }, 300_000);
});

describe('an offer that ends unpaid', () => {
  const isClosed = async (offerId: number) => (await test.cardPayment(offerId)).checkout.state === 'closed';

  it('has its payment page closed and is credited nothing', async () => {
    const { offerId, book, sessionId } = await test.openOffer();
    await hear(OfferEnded, finished(offerId, book, DAY_MS, false));
    await reconcileCheckouts(test.billing, new AbortController().signal);
    expect(await isClosed(offerId)).toBe(true);
    expect(await test.pay(sessionId)).toBe(false);
    expect(await balance(book)).toBe(0n);
  });

  it('is closed at the pace of the reconciliation, however many end at midnight: events ask nothing of Stripe', async () => {
    const offers = await Promise.all(Array.from({ length: 12 }, () => test.openOffer()));
    const before = test.requests.length;
    await Promise.all(
      offers.map(({ offerId, book }, index) =>
        hear(index % 2 ? OfferEnded : OfferDeleted, finished(offerId, book, DAY_MS, false)),
      ),
    );
    expect(test.requests.slice(before)).toEqual([]);
    await reconcileCheckouts(test.billing, new AbortController().signal);
    for (const { offerId } of offers) expect(await isClosed(offerId)).toBe(true);
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
