import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { BalanceCredited } from '@offer-ads/contracts/events/billing';
import { OfferDeleted, OfferEnded, OfferPaymentApplied } from '@offer-ads/contracts/events/offers';
import { DAY_MS } from '@offer-ads/contracts/values/durations';
import { creditTarget } from '@offer-ads/contracts/values/unused-time';
import { sqlOf } from '@offer-ads/platform/postgres/postgres';
import { fc, runs } from '@offer-ads/testing/profile';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { previewCredit } from '../../src/balance/credit-offer.ts';
import { creditOwed } from '../../src/domain/ledger/credit.ts';
import type { Book } from '../../src/domain/ledger/ledger.ts';
import type { Bearer } from '../../src/domain/payments/settlement.ts';
import { listCreditedDespiteReversal } from '../../src/reversals/reversals-store.ts';
import { settleReversal } from '../../src/reversals/settle-reversal.ts';
import { type OpenOffer, useBilling } from '../billing-under-test.ts';
import { withQuery } from '../watched-billing.ts';

const test = useBilling();

type Offer = { readonly offerId: number; readonly book: Book };

const factsOf = ({ offerId, book }: Offer, unusedMs: number, paid = true) => {
  const { organisationId, mode } = book;
  const at = test.clock.now().toISOString();
  const times = { startAt: at, expiryAt: at, endedAt: at, deletedAt: at };
  const unused = { unusedMs, scheduledMs: DAY_MS };
  return { offerId, organisationId, mode, title: 'Two for one', ...times, ...unused, paid };
};
const hearDeleted = (offer: Offer, unusedMs: number) => test.consume(OfferDeleted, factsOf(offer, unusedMs));

async function chargedOffer(netMinor: bigint): Promise<Offer> {
  const [book, offerId] = [test.newBook(), test.newOfferId()];
  await test.topUp(book, netMinor + 1n);
  await test.charge(book, netMinor, offerId);
  return { book, offerId };
}
async function chargedTogether(prices: readonly bigint[]) {
  const book = test.newBook();
  await test.topUp(book, 60_00n);
  const offers = prices.map((netMinor) => ({ netMinor, offerId: test.newOfferId() }));
  for (const { netMinor, offerId } of offers) await test.charge(book, netMinor, offerId);
  return { book, offers };
}
const previewed = (offer: Offer, unusedMs = DAY_MS) =>
  previewCredit(test.billing.postgres, offer, { unusedMs, scheduledMs: DAY_MS });
const preview = async (offer: Offer, unusedMs = DAY_MS) => (await previewed(offer, unusedMs)).creditMinor;

describe('the preview of a credit', () => {
  it('is what the deletion then credits, also after a part was credited, and posts nothing', async () => {
    const offer = await chargedOffer(9_99n);
    for (const unusedMs of [DAY_MS / 64, DAY_MS / 3, DAY_MS / 4, DAY_MS]) {
      const before = await test.balance(offer.book);
      const { creditMinor, creditedMinor } = await previewed(offer, unusedMs);
      expect(creditedMinor).toBe(before - 1n);
      expect(await test.balance(offer.book)).toBe(before);
      await hearDeleted(offer, unusedMs);
      expect((await test.balance(offer.book)) - before).toBe(creditMinor);
    }
    expect(await previewed(offer)).toEqual({ creditMinor: 0n, creditedMinor: 9_99n });
  });

  it('is 0 for an offer that was never paid, or that belongs to another book', async () => {
    const offer = await chargedOffer(10_00n);
    expect(await preview({ ...offer, offerId: test.newOfferId() })).toBe(0n);
    expect(await preview({ ...offer, book: test.newBook() })).toBe(0n);
    expect(await preview(offer)).toBe(10_00n);
  });
});

describe('Unused Time', () => {
  it('of a deleted offer goes to the balance of its mode, and an event says so', async () => {
    const { book, offerId } = await chargedOffer(10_00n);
    await hearDeleted({ book, offerId }, DAY_MS / 4);
    expect(await test.balance(book)).toBe(2_51n);
    const amounts = { amountMinor: '250', balanceMinor: '251' };
    const credited = [{ ...book, offerId, title: 'Two for one', ...amounts }];
    expect(await test.emitted(BalanceCredited, { offerId })).toEqual(credited);
  });

  it('of a card payment is credited net of VAT, wholly when the payment came too late for the offer', async () => {
    const [deleted, late] = [await test.paidOffer(), await test.paidOffer()];
    await hearDeleted(deleted, DAY_MS / 2);
    const amounts = { currency: 'GBP', netMinor: '1000', vatMinor: '200', paymentMethod: 'E', createdBy: 1 };
    const paidAt = test.clock.now().toISOString();
    const facts = { ...factsOf(late, DAY_MS), ...amounts, paidAt, outcome: 'ended' };
    await test.consume(OfferPaymentApplied, facts);
    expect([await test.balance(deleted.book), await test.balance(late.book)]).toEqual([5_00n, 10_00n]);
  });

  it('of 0, as nearly every payment reports it, writes nothing', async () => {
    const offer = await chargedOffer(10_00n);
    const id = randomUUID();
    await test.consume(OfferEnded, factsOf(offer, 0), { id });
    expect(await test.billing.postgres.query('SELECT FROM inbox WHERE event_id = $1', [id])).toEqual([]);
    await test.consume(OfferEnded, factsOf(offer, DAY_MS / 2));
    expect(await test.balance(offer.book)).toBe(5_01n);
  });

  it('reported ten times at once by one event is credited once', async () => {
    const offer = await chargedOffer(10_00n);
    const [id, event] = [randomUUID(), factsOf(offer, DAY_MS / 2)];
    await Promise.all(Array.from({ length: 10 }, () => test.consume(OfferEnded, event, { id })));
    expect(await test.balance(offer.book)).toBe(5_01n);
  });

  it.each(['deleted', 'paid after their end'])(
    'of offers of a group that were %s together is credited at once, and each event says what all were credited',
    async (how) => {
      const prices = [10_00n, 20_00n, 30_00n];
      const byCard = how !== 'deleted';
      const { book, offers } = byCard ? await test.paidGroup(prices) : await chargedTogether(prices);
      const unused = offers.map(({ offerId }) => ({ offerId, unusedMs: DAY_MS / 2, scheduledMs: DAY_MS }));
      const group = { groupId: 7, title: 'Two for one (3 places)', unused: unused.toReversed() };
      const hear = (offerId: number, id: string) => {
        const facts = factsOf({ book, offerId }, DAY_MS / 2);
        const amounts = { currency: 'GBP', netMinor: '6000', vatMinor: '1200' };
        const applied = {
          ...facts,
          ...amounts,
          createdBy: 1,
          paymentMethod: 'E' as const,
          outcome: 'ended' as const,
        };
        const { startAt, expiryAt } = facts;
        const paid = { ...group, ...amounts, places: 3, startAt, expiryAt, haveSameTime: true };
        return byCard
          ? test.consume(OfferPaymentApplied, { ...applied, paidAt: facts.endedAt, group: paid }, { id })
          : test.consume(OfferDeleted, { ...facts, group }, { id });
      };
      const reports = offers.map(({ offerId }) => [offerId, randomUUID()] as const);
      await Promise.all([...reports, ...reports].map(([offerId, id]) => hear(offerId, id)));
      for (const [offerId] of reports) await hear(offerId, randomUUID());
      expect(await test.balance(book)).toBe(30_00n);
      const { unused: _, ...named } = group;
      const credited = { ...named, amountMinor: '3000', balanceMinor: '3000' };
      const told = await Promise.all(offers.map(({ offerId }) => test.emitted(BalanceCredited, { offerId })));
      expect(told.flat()).toMatchObject(
        ['500', '1000', '1500'].map((amountMinor) => ({ amountMinor, group: credited })),
      );
      expect(new Set(told.flat().map(({ group: ofAll }) => ofAll?.creditId)).size).toBe(1);
    },
  );

  it('reported twice at the moment in which the charge commits is never credited for both reports', async () => {
    const [book, offerId] = [test.newBook(), test.newOfferId()];
    await test.topUp(book, 10_00n);
    const charged = Promise.withResolvers<unknown>();
    let locked = 0;
    // Both reports have found no row to lock when the charge comes, and then go on.
    const by = withQuery(test.billing, async (on, statement, values) => {
      const rows = await on.query(statement, values);
      if (!sqlOf(statement).includes('FOR UPDATE')) return rows;
      locked += 1;
      if (locked === 2) charged.resolve(test.charge(book, 10_00n, offerId));
      await charged.promise;
      return rows;
    });
    const reports = [DAY_MS / 4, DAY_MS / 2].map((unusedMs) => factsOf({ offerId, book }, unusedMs));
    await Promise.allSettled(reports.map((report) => test.consume(OfferEnded, report, { by })));
    await Promise.all(reports.map((report) => test.consume(OfferEnded, report)));
    expect(await test.balance(book)).toBe(5_00n);
  });

  it('of an offer that billing does not know is an error, so that the event is parked for a person', async () => {
    const unknown = { offerId: test.newOfferId(), book: test.newBook() };
    await expect(hearDeleted(unknown, DAY_MS)).rejects.toThrow('billing does not know it');
  });
});

it('credits in any order, repeated and at once add up to the largest report and never exceed the price', async () => {
  const reports = fc.array(fc.integer({ min: 0, max: 2 * DAY_MS }), { minLength: 1, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(fc.bigInt({ min: 0n, max: 500_00n }), reports, async (netMinor, unused) => {
      const offer = await chargedOffer(netMinor);
      const before = await test.balance(offer.book);
      await Promise.all(
        [...unused, ...unused].map((unusedMs, index) =>
          test.consume(index % 2 ? OfferEnded : OfferDeleted, factsOf(offer, unusedMs)),
        ),
      );
      const credited = (await test.balance(offer.book)) - before;
      const largest = creditTarget(netMinor, { unusedMs: Math.max(...unused), scheduledMs: DAY_MS });
      expect(credited).toBe(largest);
      expect(credited <= netMinor).toBe(true);
    }),
    { numRuns: runs(25, 1_000) },
  );
}, 300_000);

describe('a card payment that the provider has taken back', () => {
  /** After 10.00 and 2.00 VAT were paid. */
  const hearUnused = (offer: Offer, quarters: number) => hearDeleted(offer, (quarters * DAY_MS) / 4);
  const settle = async (reversalId: string, borneBy: Bearer) => {
    const decision = { reversalId, borneBy, reason: 'agreed', decidedBy: 'ann' };
    const outcome = await settleReversal(test.billing.postgres, decision, test.clock.now());
    expect(outcome).toMatchObject({ ok: true });
  };
  const owed = async ({ organisationId }: Book) =>
    (await listCreditedDespiteReversal(test.billing.postgres))
      .filter((one) => one.organisationId === organisationId)
      .reduce((sum, one) => sum + creditOwed(one, one), 0n);

  it.each([
    ['refund', undefined, 0n],
    ['dispute', undefined, 0n],
    ['refund', 3_00, 7_50n],
  ] as const)(
    'is credited only what is kept when its offer is deleted after a %s of %s',
    async (how, amount, kept) => {
      const offer = await test.paidOffer();
      await test.takeBack(offer, how, amount);
      expect(await preview(offer)).toBe(kept);
      await hearUnused(offer, 4);
      expect([await test.balance(offer.book), await owed(offer.book)]).toEqual([kept, 0n]);
    },
  );

  it('after the credit is owed, until a person has decided or the money has come back', async () => {
    const decided = await test.paidOffer();
    await hearUnused(decided, 3);
    expect(await owed(decided.book)).toBe(0n);
    const refund = await test.takeBack(decided);
    expect(await owed(decided.book)).toBe(7_50n);
    await settle(refund, 'platform');
    expect(await owed(decided.book)).toBe(0n);
    const returned = await test.paidOffer();
    await hearUnused(returned, 4);
    const dispute = await test.takeBack(returned, 'dispute', 6_00);
    expect(await owed(returned.book)).toBe(5_00n);
    await test.win(dispute);
    expect([await owed(returned.book), await test.balance(returned.book)]).toEqual([0n, 10_00n]);
  });

  it('before its webhook came is credited nothing when it reaches a closed page', async () => {
    const { book, offerId, sessionId } = await test.openOffer();
    const webhooks = await test.unheard(async () => {
      await test.pay(sessionId);
      const refund = await test.reverse(`sessions/${sessionId}/refund`);
      const paid = ['checkout.session.completed', sessionId] as const;
      return [await test.sentWebhook('refund.created', refund), await test.sentWebhook(...paid)];
    });
    // As if closing had ended before the payment: Stripe itself lets nobody pay then.
    await test.billing.postgres.query(`UPDATE payments SET state = 'closed' WHERE offer_id = $1`, [offerId]);
    for (const webhook of webhooks) await test.receive(webhook);
    expect(await test.cardPayment(offerId)).toMatchObject({ creditedMinor: 0n, earnedMinor: 10_00n });
    expect(await test.balance(book)).toBe(0n);
  });

  it.each([
    ['before a person has decided', false],
    ['after the organisation has borne it', true],
  ])('and returned while its offer is being deleted is credited all the same, %s', async (_when, isBorne) => {
    const { postgres } = test.billing;
    const offer: OpenOffer = await test.paidOffer();
    const dispute = await test.takeBack(offer, 'dispute');
    await test.topUp(offer.book, 12_00n);
    if (isBorne) await settle(dispute, 'balance');
    const won = await test.unheard(async () => {
      await test.reverse(`disputes/${dispute}/close`, { outcome: 'won' });
      return test.sentWebhook('funds_reinstated', dispute);
    });
    // The deletion has read what was taken back when the webhook comes, and goes on once that is done or waits for a lock.
    let returned: Promise<unknown> | undefined;
    const by = withQuery(test.billing, async (on, statement, values) => {
      const rows = await on.query(statement, values);
      if (returned !== undefined || !sqlOf(statement).includes('FROM card_reversals')) return rows;
      returned = test.receive(won);
      const waits = eventually(async () => {
        const waiting = await postgres.query(
          `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        );
        if (waiting.length === 0) throw new Error('nobody waits for a lock yet');
      });
      await Promise.race([returned, waits]);
      return rows;
    });
    await test.consume(OfferDeleted, factsOf(offer, DAY_MS), { by });
    await returned;
    expect(await test.balance(offer.book)).toBe(22_00n);
  });

  it('is at each moment credited what is kept, never more, whatever is taken, returned, borne and reported', async () => {
    type Step =
      | { readonly kind: 'unused'; readonly quarters: number }
      | { readonly kind: 'dispute'; readonly amountMinor: number }
      | { readonly kind: 'win' | 'balance' | 'platform'; readonly pick: number };
    const step = fc.oneof<fc.Arbitrary<Step>[]>(
      fc.record({ kind: fc.constant('unused'), quarters: fc.nat(4) }),
      fc.record({ kind: fc.constant('dispute'), amountMinor: fc.integer({ min: 1, max: 6_00 }) }),
      fc.record({ kind: fc.constantFrom('win', 'balance', 'platform'), pick: fc.nat(3) }),
    );
    const unused = (quarters: number): Step => ({ kind: 'unused', quarters });
    const dispute: Step = { kind: 'dispute', amountMinor: 12_00 };
    // In every run: returned after reports, of which the last is of less; borne by the organisation, and by the platform.
    const examples = [
      [dispute, unused(2), unused(1), { kind: 'win', pick: 0 }, unused(2), unused(4)],
      [dispute, unused(4), { kind: 'balance', pick: 0 }, unused(4)],
      [dispute, unused(4), { kind: 'platform', pick: 0 }, unused(4)],
    ] satisfies Step[][];
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 7, maxLength: 9 }), async (steps) => {
        const offer = await test.paidOffer();
        await test.topUp(offer.book, 100_00n);
        const disputes: { id: string; minor: bigint; outcome: string }[] = [];
        let [earned, credited] = [0n, 0n];
        for (const one of steps) {
          if (one.kind === 'unused') {
            await hearUnused(offer, one.quarters);
            earned = earned > 2_50n * BigInt(one.quarters) ? earned : 2_50n * BigInt(one.quarters);
          } else if (one.kind === 'dispute') {
            if (disputes.length === 2) continue;
            const id = await test.takeBack(offer, 'dispute', one.amountMinor);
            disputes.push({ id, minor: BigInt(one.amountMinor), outcome: 'taken' });
          } else {
            const dispute = disputes[one.pick];
            if (dispute === undefined || dispute.outcome === 'win') continue;
            if (one.kind === 'win') await test.win(dispute.id);
            else if (dispute.outcome === 'taken') await settle(dispute.id, one.kind);
            else continue;
            dispute.outcome = one.kind;
          }
          const sumOf = (...outcomes: string[]) =>
            disputes
              .filter(({ outcome }) => outcomes.includes(outcome))
              .reduce((sum, { minor }) => sum + minor, 0n);
          const kept = (10_00n * (12_00n - sumOf('taken', 'platform'))) / 12_00n;
          const due = (earned < kept ? earned : kept) - credited;
          if (due > 0n) credited += due;
          expect(await test.balance(offer.book)).toBe(100_00n - sumOf('balance') + credited);
        }
      }),
      { numRuns: runs(8, 300), examples: examples.map((steps) => [steps]) },
    );
  }, 300_000);
});

describe('an offer that ends unpaid', () => {
  it('is credited nothing, and its page is closed by the reconciliation: events ask nothing of Stripe', async () => {
    const offers = await Promise.all(Array.from({ length: 12 }, () => test.openOffer()));
    const before = test.requests.length;
    await Promise.all(
      offers.map((offer, index) =>
        test.consume(index % 2 ? OfferEnded : OfferDeleted, factsOf(offer, DAY_MS, false)),
      ),
    );
    expect(test.requests.slice(before)).toEqual([]);
    await test.reconcile();
    for (const offer of offers) {
      expect((await test.checkout(offer)).state).toBe('closed');
      expect(await test.pay(offer.sessionId)).toBe(false);
      expect(await test.balance(offer.book)).toBe(0n);
    }
  });
});
