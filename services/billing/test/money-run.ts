/**
 * One random run of everything that moves money, for the property test: the steps that offers, payers, Stripe and the platform team take,
 * and what they know afterwards, which a simple model is compared with.
 */

import { createHash, randomUUID } from 'node:crypto';
import type { EventDeclaration } from '@offer-ads/contracts/events/event-declaration';
import { OfferDeleted, OfferEnded, OfferPaymentApplied } from '@offer-ads/contracts/events/offers';
import { DAY_MS } from '@offer-ads/contracts/values/durations';
import { Fault } from '@offer-ads/platform/process/faults';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { topUpBalance } from '../src/balance/top-up-balance.ts';
import type { Book } from '../src/domain/ledger/ledger.ts';
import { type GroupSale, purchaseOf } from '../src/domain/payments/offer-payment.ts';
import type { Bearer } from '../src/domain/payments/settlement.ts';
import { keepCheckout } from '../src/payments/close-checkout.ts';
import { openTopUp } from '../src/payments/open-top-up.ts';
import { findCardPaymentByToken, findPayment } from '../src/payments/payments-store.ts';
import { settleReversal } from '../src/reversals/settle-reversal.ts';
import { stripeDeadline } from '../src/stripe/client.ts';
import { findMissedEvents } from '../src/webhooks/find-missed-events.ts';
import { type BillingUnderTest, stripeKeys } from './billing-under-test.ts';

/**
 * Offers 0 and 1 are paid by balance, the others by card; the even ones belong to one organisation, the odd to another. Numbers 1, 4 and 5
 * are groups of two offers, of which events and credits are of the first.
 */
export const OFFERS = 6;
const BY_BALANCE = 2;
const GROUPS = new Set([1, 4, 5]);
export const PARTS_OF_TIME = 7;

const reports = { deleted: OfferDeleted, ended: OfferEnded, applied: OfferPaymentApplied };

export type Step =
  | { readonly kind: 'charge or open' | 'pay' | 'visit' | 'resolve' | 'ends unpaid'; readonly offer: number }
  | { readonly kind: 'close' | 'keep'; readonly offer: number; readonly deletion: number }
  | {
      readonly kind: 'unused';
      readonly offer: number;
      readonly report: keyof typeof reports;
      readonly parts: number;
      readonly eventId: number;
    }
  | { readonly kind: 'refund' | 'dispute'; readonly offer: number; readonly comesBack: boolean }
  /** A person decides who bears one of those that are known. */
  | { readonly kind: 'bear'; readonly pick: number; readonly borneBy: Bearer }
  | { readonly kind: 'platform tops up'; readonly book: number; readonly reference: number }
  | { readonly kind: 'card top-up' | 'pay top-up'; readonly book: number }
  | { readonly kind: 'webhooks'; readonly pick: number; readonly copies: number }
  | { readonly kind: 'all webhooks' }
  | { readonly kind: 'reconcile'; readonly hours: number };

export type Plan = {
  readonly prices: readonly number[];
  /** Which offers are charged or have their page opened, and how often the platform tops up, before everything else. */
  readonly begunOffers: readonly boolean[];
  readonly begunTopUps: number;
  /** Of the offers by card, those that were paid and taken back before everything else, and everybody knows. */
  readonly takenBack: readonly number[];
  /** Steps of one of these are taken at once. */
  readonly waves: readonly (readonly Step[])[];
};

/** What the outside world knows of an offer. */
export type KnownOffer = {
  readonly offerId: number;
  /** What `offerId` costs: of a group, less than the whole. */
  readonly offerMinor: bigint;
  readonly group: Pick<GroupSale, 'groupId' | 'offers'> | null;
  readonly book: Book;
  readonly method: 'B' | 'E';
  readonly netMinor: bigint;
  readonly vatMinor: bigint;
  readonly answers: Set<'charged' | 'too low' | 'closed' | 'resolved as charged' | 'resolved as closed'>;
  /** Stripe took the payer's money. */
  paidSession: string | null;
  /** The most that was ever heard of, in parts of the scheduled time. */
  unusedParts: number | null;
};
export type KnownTopUp = {
  readonly book: Book;
  readonly netMinor: bigint;
  readonly vatMinor: bigint;
  topUpId: number | null;
  payToken: string | null;
  paidSession: string | null;
};
export type KnownReversal = {
  readonly book: Book;
  readonly offerId: number;
  readonly minor: bigint;
  readonly returned: boolean;
  borneBy: Bearer | null;
};

export type Run = ReturnType<typeof beginRun>;

export function beginRun(test: BillingUnderTest, plan: Plan) {
  const { billing, clock } = test;
  // British, with VAT, and not; one book in each mode.
  const homes = [
    { book: test.newBook({ mode: 'TEST' }), country: 'GB' },
    { book: test.newBook({ mode: 'LIVE' }), country: 'DE' },
  ] as const;
  const homeOf = (index: number) => homes[index % 2 === 0 ? 0 : 1];
  const vatOf = (netMinor: bigint, country: string) => (country === 'GB' ? (netMinor * 2n + 5n) / 10n : 0n);
  const offers = Array.from({ length: OFFERS }, (_, index): KnownOffer => {
    const { book, country } = homeOf(index);
    const netMinor = BigInt(plan.prices[index] ?? 100);
    const method = index < BY_BALANCE ? 'B' : 'E';
    const isGroup = GROUPS.has(index);
    const offerMinor = isGroup ? netMinor / 3n : netMinor;
    const [first, second] = [test.newOfferId(), test.newOfferId()];
    const offers = [
      { offerId: first, title: 'Two for one', netMinor: offerMinor },
      { offerId: second, title: 'Two for one', netMinor: netMinor - offerMinor },
    ];
    return {
      offerId: first,
      offerMinor,
      group: isGroup ? { groupId: test.newOfferId(), offers } : null,
      book,
      method,
      netMinor,
      vatMinor: method === 'E' ? vatOf(netMinor, country) : 0n,
      answers: new Set(),
      paidSession: null,
      unusedParts: null,
    };
  });
  const offerOf = (index: number) => offers[index] as KnownOffer;
  const saleOf = ({ offerId, group, book }: KnownOffer) =>
    group === null ? { offerId, book } : { groupId: group.groupId, book };
  const paymentOf = (index: number) => findPayment(billing.postgres, purchaseOf(saleOf(offerOf(index))));
  const topUps = homes.map(
    ({ book, country }): KnownTopUp => ({
      book,
      netMinor: 12_34n,
      vatMinor: vatOf(12_34n, country),
      topUpId: null,
      payToken: null,
      paidSession: null,
    }),
  );
  const keys = topUps.map(() => randomUUID());
  const salt = randomUUID();
  const platformTopUps = new Map<string, { readonly book: Book; readonly minor: bigint }>();
  const reversals = new Map<string, KnownReversal>();
  const begun = test.webhooks.sent.length;
  const ours = () => test.webhooks.sent.slice(begun);

  async function charge(offer: KnownOffer, isAlone: boolean): Promise<void> {
    const { offerId, group, book, netMinor, answers } = offer;
    const isKnown = answers.has('charged') || answers.has('closed') || answers.has('resolved as closed');
    const before = await test.balance(book);
    const answer =
      group === null
        ? await test.charge(book, netMinor, offerId)
        : await test.chargeGroup(test.newGroup([], { ...group, book, netMinor }));
    const said = answer.outcome === 'charged' ? 'charged' : answer.reason === 'closed' ? 'closed' : 'too low';
    answers.add(said);
    // With nobody else at it, a new charge has one possible answer.
    if (!isAlone || isKnown) return;
    const expected = before >= netMinor ? 'charged' : 'too low';
    if (said !== expected) throw new Error(`a charge of ${netMinor} from ${before} is ${said}`);
  }

  async function open(offer: KnownOffer): Promise<void> {
    const { offerId, group, book, netMinor, answers } = offer;
    const { country } = homes.find((home) => home.book === book) ?? homes[0];
    const offerExpiryAt = new Date(clock.now().getTime() + 4 * DAY_MS);
    const facts = { book, country, netMinor, offerExpiryAt };
    const answer = await test.open(
      group === null ? test.newOrder({ offerId, ...facts }) : test.newGroup([], { ...group, ...facts }),
    );
    if (answer.outcome === 'refused') answers.add('closed');
  }

  /** As a payer does on the page; Stripe's webhook is caught, and delivered when the plan says so. */
  async function pay(one: { paidSession: string | null }, sessionId: string | null | undefined) {
    if (!sessionId || !(await test.pay(sessionId))) return;
    if (one.paidSession !== null) throw new Error('Stripe took the money twice');
    one.paidSession = sessionId;
    await caught(sessionId);
  }

  const caught = (id: string, times = 1) =>
    eventually(() => {
      const told = ours().filter(({ body }) => body.includes(id) && !body.includes('session.expired'));
      if (told.length < times) throw new Error(`no webhook of ${id} yet`);
    });

  async function takeBack(offer: KnownOffer, step: { kind: 'refund' | 'dispute'; comesBack: boolean }) {
    if (offer.paidSession === null) return;
    const part = Number(offer.netMinor / 3n);
    const id = await test.reverse(`sessions/${offer.paidSession}/${step.kind}`, { amountMinor: part });
    const { book, offerId } = offer;
    reversals.set(id, { book, offerId, minor: BigInt(part), returned: step.comesBack, borneBy: null });
    const [told, more] = step.kind === 'refund' ? [1, 1] : [2, 2];
    if (step.comesBack && step.kind === 'refund') await test.reverse(`refunds/${id}/fail`);
    if (step.comesBack && step.kind === 'dispute') {
      await test.reverse(`disputes/${id}/close`, { outcome: 'won' });
    }
    await caught(id, step.comesBack ? told + more : told);
  }

  async function bear(pick: number, borneBy: Bearer): Promise<void> {
    const [id, reversal] = [...reversals][pick % Math.max(reversals.size, 1)] ?? [];
    if (id === undefined || reversal === undefined) return;
    const decision = { reversalId: id, borneBy, reason: 'agreed', decidedBy: 'ann' };
    const outcome = await settleReversal(billing.postgres, decision, clock.now());
    if (outcome.ok) reversal.borneBy = outcome.settlement.borneBy;
  }

  /** Signed anew, as Stripe does when it delivers again. */
  function deliver(body: Buffer): Promise<unknown> {
    const mode = body.includes('"livemode": true') || body.includes('"livemode":true') ? 'LIVE' : 'TEST';
    return test.receive(test.signed(body.toString(), stripeKeys[mode].webhookSecret));
  }

  async function hear(
    declaration: EventDeclaration,
    o: { offer: KnownOffer; parts: number; paid: boolean; id: string },
  ) {
    const { offerId, book, offerMinor, vatMinor, method } = o.offer;
    const at = clock.now().toISOString();
    const facts = {
      ...book,
      offerId,
      title: 'Two for one',
      startAt: at,
      expiryAt: at,
      unusedMs: o.parts,
      scheduledMs: PARTS_OF_TIME,
      paid: o.paid,
      endedAt: at,
      deletedAt: at,
      createdBy: null,
      paymentMethod: method,
      netMinor: `${offerMinor}`,
      vatMinor: `${vatMinor}`,
      paidAt: at,
      outcome: 'active',
    };
    await test.consume(declaration, facts, { id: o.id });
  }

  async function hearUnused(step: Extract<Step, { kind: 'unused' }>): Promise<void> {
    const offer = offerOf(step.offer);
    // Of the same id is the same event.
    const id = uuidOf(`${salt} ${step.offer} ${step.report} ${step.parts} ${step.eventId}`);
    await hear(reports[step.report], { offer, parts: step.parts, paid: true, id }).catch(unlessUnknown);
    offer.unusedParts = Math.max(offer.unusedParts ?? 0, step.parts);
  }

  async function topUpByCard(index: number): Promise<void> {
    const topUp = topUps[index] as KnownTopUp;
    const { book, country } = homeOf(index);
    const order = { book, country, netMinor: topUp.netMinor, idempotencyKey: keys[index] ?? '' };
    const outcome = await openTopUp(billing, order, stripeDeadline());
    if (!outcome.ok) throw new Error(`top-up refused: ${outcome.reason}`);
    topUp.topUpId = outcome.reply.topUpId;
    topUp.payToken = outcome.reply.paymentUrl.slice(-32);
  }

  async function step(o: Step, isAlone: boolean): Promise<void> {
    switch (o.kind) {
      case 'charge or open': {
        const offer = offerOf(o.offer);
        return offer.method === 'B' ? charge(offer, isAlone) : open(offer);
      }
      case 'pay': {
        const payment = await paymentOf(o.offer);
        return pay(offerOf(o.offer), payment?.method === 'E' ? payment.checkout.session.sessionId : null);
      }
      case 'visit': {
        const payment = await paymentOf(o.offer);
        if (payment?.method === 'E') {
          await test.follow(payment);
        }
        return;
      }
      case 'resolve': {
        const offer = offerOf(o.offer);
        const { outcome } = await test.resolve(saleOf(offer));
        if (outcome !== 'unknown') offer.answers.add(`resolved as ${outcome}`);
        return;
      }
      case 'ends unpaid':
        return hear(OfferEnded, { offer: offerOf(o.offer), parts: 0, paid: false, id: randomUUID() });
      case 'close':
        // Offers closes the pages of card payments only.
        if (offerOf(o.offer).method === 'E') {
          await test.close(saleOf(offerOf(o.offer)), o.deletion);
        }
        return;
      case 'keep': {
        const payment = await paymentOf(o.offer);
        if (payment?.method === 'E') await keepCheckout(billing, saleOf(offerOf(o.offer)), o.deletion);
        return;
      }
      case 'unused':
        return hearUnused(o);
      case 'refund':
      case 'dispute':
        return takeBack(offerOf(o.offer), { kind: o.kind, comesBack: o.comesBack });
      case 'bear':
        return bear(o.pick, o.borneBy);
      case 'platform tops up': {
        const { book } = homeOf(o.book);
        // A reference always stands for the same amount: what is sent again is a repeat.
        const topUp = {
          book,
          amountMinor: 700n + BigInt(o.reference),
          reference: `${salt} ${o.book} ${o.reference}`,
        };
        const result = await topUpBalance(billing.postgres, topUp, clock.now());
        if (!result.ok) throw new Error(result.reason);
        platformTopUps.set(topUp.reference, { book, minor: topUp.amountMinor });
        return;
      }
      case 'card top-up':
        return topUpByCard(o.book);
      case 'pay top-up': {
        const topUp = topUps[o.book] as KnownTopUp;
        if (topUp.payToken === null) return;
        const payment = await findCardPaymentByToken(billing.postgres, topUp.payToken);
        return pay(topUp, payment?.checkout.session.sessionId);
      }
      case 'webhooks': {
        const told = ours();
        const webhook = told[o.pick % Math.max(told.length, 1)];
        if (webhook === undefined) return;
        await Promise.all(Array.from({ length: o.copies }, () => deliver(webhook.body)));
        return;
      }
      case 'all webhooks':
        await Promise.all(ours().map(({ body }) => deliver(body)));
        return;
      case 'reconcile':
        clock.advance(o.hours * 3_600_000);
        test.expireDueSessions();
        await test.reconcile();
        return findMissedEvents(billing, new AbortController().signal);
    }
  }

  /** Until all has arrived that Stripe and offers repeat until it has. */
  async function quiesce(): Promise<void> {
    const told = ours().map(({ body }) => body);
    await Promise.all([...told.toReversed(), ...told].map(deliver));
    for (const offer of offers) {
      // The request that comes last of all must still find the id closed.
      if (offer.method === 'B' && offer.answers.has('resolved as closed')) await charge(offer, false);
      if (offer.unusedParts === null) continue;
      const last = { offer, parts: offer.unusedParts, paid: true, id: randomUUID() };
      await hear(OfferPaymentApplied, last).catch(unlessUnknown);
    }
  }

  return {
    books: homes.map(({ book }) => book),
    offers,
    topUps,
    platformTopUps,
    reversals,
    take: async () => {
      for (const wave of [...beginning(plan), ...plan.waves]) {
        const ended = await Promise.allSettled(wave.map((one) => step(one, wave.length === 1)));
        for (const one of ended) if (one.status === 'rejected') unlessBusy(one.reason);
      }
      await quiesce();
    },
  };
}

/** What most lives begin with; the rest of the plan still meets offers that nobody has asked for. */
function beginning({ begunOffers, begunTopUps, takenBack }: Plan): Step[][] {
  const topUps = Array.from({ length: begunTopUps }, (_, reference) =>
    [0, 1].map((book): Step => ({ kind: 'platform tops up', book, reference })),
  );
  const offers = begunOffers.flatMap((begun, offer): Step[] =>
    begun ? [{ kind: 'charge or open', offer }] : [],
  );
  const takenOnes = takenBack.flatMap((offer): Step[][] => [
    [{ kind: 'pay', offer }],
    [{ kind: 'refund', offer, comesBack: false }],
    [{ kind: 'all webhooks' }],
  ]);
  return [topUps.flat(), [...offers, { kind: 'card top-up', book: 0 }], ...takenOnes];
}

/** Asked again later, as every caller does. */
function unlessBusy(error: unknown): void {
  if (!(error instanceof Fault) || error.status !== 503) throw error;
}

/** Parked, and replayed by a person: here it is heard once more in the end. */
function unlessUnknown(error: unknown): void {
  if (!(error instanceof Error) || !error.message.includes('billing does not know it')) throw error;
}

function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
