/** Two commands at once, through two replicas: one after the other in whatever order, and nothing twice, lost or half. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { OfferPaid } from '@offer-ads/contracts/events/billing';
import { startWhenStoresServe } from '@offer-ads/platform/process/patient-start';
import { silentLogger } from '@offer-ads/testing/logger';
import { runs } from '@offer-ads/testing/profile';
import { type Offers, startOffers } from '../../src/service.ts';
import { createdId, type Parts, startingNow } from '../forms.ts';
import { type OffersUnderTest, startOffersUnderTest } from '../offers-under-test.ts';
import { offerPaid } from '../payments.ts';

const HOUR = 3_600_000;
const EXPIRY = '2026-06-01T23:00:00Z';
/** Even, so that each of the two is sent first as often. */
const ROUNDS = runs(4, 200);

let under: OffersUnderTest;
let replica: Offers;
beforeAll(async () => {
  under = await startOffersUnderTest();
  replica = await startWhenStoresServe(() =>
    startOffers(under.config, { clock: under.clock, logger: silentLogger }),
  );
});
afterAll(async () => {
  await replica[Symbol.asyncDispose]();
  await under[Symbol.asyncDispose]();
});
beforeEach(() => {
  under.otherServices.reset();
});

const deeds = {
  pause: async (id: number, to: Offers) => codeOf(await under.call('POST', `/offers/${id}/pause`, { to })),
  resume: async (id: number, to: Offers) => codeOf(await under.call('POST', `/offers/${id}/resume`, { to })),
  delete: async (id: number, to: Offers) => codeOf(await under.call('DELETE', `/offers/${id}`, { to })),
  disable: async (id: number) => `${(await under.admin('POST', `/admin/offers/${id}/disable`)).status}`,
  enable: async (id: number) => `${(await under.admin('POST', `/admin/offers/${id}/enable`)).status}`,
  end: async (_id: number, to: Offers) => {
    await to.sweeper.announce();
    return 'swept';
  },
  pay: async (id: number) => {
    const paid = offerPaid(under, id, { paidAt: '2026-06-01T12:30:00.000Z' });
    await under.deliver(OfferPaid, paid, randomUUID());
    return 'applied';
  },
};
type Deed = keyof typeof deeds;

function codeOf(answer: { status: number; body: unknown }): string {
  return `${answer.status} ${(answer.body as { return_code: string }).return_code}`;
}

/** Everything that was told of the offer, with its versions in order and without a gap. */
async function told(id: number) {
  const events = (await under.events('all')).filter(({ data }) => data.offerId === id);
  expect(events.map((event) => event.subjectVersion)).toEqual(events.map((_, index) => index + 1));
  return events;
}

type Story = {
  readonly before?: { parts?: Parts; deeds?: readonly Deed[]; clock?: string };
  readonly at: string;
  /** Which pairs of answers may be, and what is told then after the creation. */
  readonly ends: readonly (readonly [answers: string, events: string])[];
  readonly unusedMs?: number;
};

const unpaid: Parts = { payment_method: 'E' };
const stories: Record<string, Story> = {
  'pause and pause': { at: '12:30', ends: [['200 S1, 200 E3', 'OfferPaused']] },
  'resume and resume': {
    before: { deeds: ['pause'] },
    at: '12:30',
    ends: [['200 S2, 200 E4', 'OfferPaused, OfferResumed']],
  },
  'pause and resume': {
    at: '12:30',
    ends: [
      ['200 S1, 200 S2', 'OfferPaused, OfferResumed'],
      ['200 S1, 200 E4', 'OfferPaused'],
    ],
  },
  'delete and delete': { at: '12:30', ends: [['200 S1, 401 E1', 'OfferDeleted']], unusedMs: 10 * HOUR },
  'pause and delete': {
    at: '12:30',
    ends: [
      ['200 S1, 200 S1', 'OfferPaused, OfferDeleted'],
      ['401 E1, 200 S1', 'OfferDeleted'],
    ],
    unusedMs: 10 * HOUR,
  },
  'resume and delete': {
    before: { parts: startingNow, deeds: ['pause'] },
    at: '15:00',
    ends: [
      ['200 S2, 200 S1', 'OfferPaused, OfferResumed, OfferDeleted'],
      ['401 E1, 200 S1', 'OfferPaused, OfferDeleted'],
    ],
    unusedMs: 11 * HOUR,
  },
  'resume and disable': {
    before: { deeds: ['pause'] },
    at: '12:30',
    ends: [
      ['200 S2, 200', 'OfferPaused, OfferResumed, OfferDisabled'],
      ['200 S2, 200', 'OfferPaused, OfferDisabled, OfferResumed'],
    ],
  },
  'disable and disable': { at: '12:30', ends: [['200, 409', 'OfferDisabled']] },
  'disable and delete': {
    at: '12:30',
    ends: [
      ['200, 200 S1', 'OfferDisabled, OfferDeleted'],
      ['404, 200 S1', 'OfferDeleted'],
    ],
    unusedMs: 10 * HOUR,
  },
  'delete and end': {
    before: { parts: startingNow, deeds: ['pause'], clock: '20:00' },
    at: '23:00',
    // Deleted at its very end it has ended all the same, whoever is asked first.
    ends: [
      ['200 S1, swept', 'OfferPaused, OfferEnded, OfferDeleted'],
      ['200 S1, swept', 'OfferPaused, OfferDeleted, OfferEnded'],
    ],
    unusedMs: 3 * HOUR,
  },
  'resume and end': {
    before: { parts: startingNow, deeds: ['pause'], clock: '20:00' },
    at: '23:00',
    ends: [['200 E2, swept', 'OfferPaused, OfferEnded']],
    unusedMs: 3 * HOUR,
  },
  'end and end': { at: '23:00', ends: [['swept, swept', 'OfferEnded']], unusedMs: 0 },
  'pay and end': {
    before: { parts: unpaid },
    at: '23:00',
    ends: [
      ['applied, swept', 'OfferPaymentApplied, OfferEnded'],
      ['applied, swept', 'OfferEnded, OfferPaymentApplied'],
    ],
    unusedMs: 10 * HOUR,
  },
  'pay and pay': {
    before: { parts: unpaid },
    at: '12:30',
    ends: [['applied, applied', 'OfferPaymentApplied']],
    unusedMs: 0,
  },
  'pay and pause': {
    before: { parts: unpaid },
    at: '12:30',
    ends: [
      ['applied, 200 S1', 'OfferPaymentApplied, OfferPaused'],
      ['applied, 200 E5', 'OfferPaymentApplied'],
    ],
  },
};

describe.each(Object.entries(stories))('%s', (name, { before, at, ends, unusedMs }) => {
  const [one, other] = name.split(' and ') as [Deed, Deed];

  it('happen one after the other', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      under.clock.set('2026-06-01T12:00:00Z');
      const id = await createdId(under, before?.parts);
      if (before?.clock !== undefined) under.clock.set(`2026-06-01T${before.clock}:00Z`);
      for (const deed of before?.deeds ?? []) await deeds[deed](id, under.offers);
      under.clock.set(`2026-06-01T${at}:00Z`);
      const start = [() => deeds[one](id, under.offers), () => deeds[other](id, replica)];
      const answers = await Promise.all((round % 2 === 0 ? start : start.toReversed()).map((deed) => deed()));
      const given = (round % 2 === 0 ? answers : answers.toReversed()).join(', ');
      // A sweeper leaves alone what somebody else is at, and comes again: whichever that was, it has ended then.
      if (at === '23:00') await Promise.all([deeds.end(id, under.offers), deeds.end(id, replica)]);
      const events = await told(id);
      const news = events.slice(2).filter((event) => event.name !== 'OfferActivated');
      const end = [given, news.map((event) => event.name).join(', ')];
      expect([...ends, ...(one === other ? ends.map(swapped) : [])]).toContainEqual(end);
      if (unusedMs !== undefined) expect(Math.max(...news.map(unusedOf))).toBe(unusedMs);
      await under.clearEvents();
    }
  });
});

/** Of two alike, either may be the first. */
function swapped([answers, events]: readonly [string, string]): [string, string] {
  return [answers.split(', ').toReversed().join(', '), events];
}

function unusedOf({ data }: { data: Record<string, unknown> }): number {
  return typeof data.unusedMs === 'number' ? data.unusedMs : 0;
}

describe('a payment event', () => {
  it('of an offer that nobody knows, or of another amount, currency, organisation or mode, changes nothing and is for a person', async () => {
    under.clock.set('2026-06-01T12:00:00Z');
    const id = await createdId(under, unpaid);
    const before = await told(id);
    const wrong = [
      { offerId: 2_000_000_000 },
      { netMinor: '999' },
      { netMinor: '1001' },
      { currency: 'EUR' },
      { organisationId: 2 },
      { mode: 'LIVE' as const },
    ];
    for (const facts of wrong)
      await expect(under.deliver(OfferPaid, offerPaid(under, id, facts))).rejects.toThrow(/no offer/);
    expect(await told(id)).toEqual(before);
    expect((await under.admin('GET', `/admin/offers/${id}`)).body).toMatchObject({
      status: 'Awaiting Payment',
    });
    await deeds.pay(id);
    expect((await under.admin('GET', `/admin/offers/${id}`)).body).toMatchObject({ status: 'Scheduled' });
  });

  it('counts once, however often and under however many ids it comes, also after the deletion and after the end', async () => {
    under.clock.set('2026-06-01T12:00:00Z');
    const id = await createdId(under, unpaid);
    const eventId = randomUUID();
    const paid = offerPaid(under, id);
    for (const again of [eventId, eventId, randomUUID()]) await under.deliver(OfferPaid, paid, again);
    await under.call('DELETE', `/offers/${id}`);
    await under.deliver(OfferPaid, { ...paid, paidAt: '2026-06-01T12:00:01.000Z' }, randomUUID());
    under.clock.set(EXPIRY);
    await deeds.end(id, under.offers);
    await under.deliver(OfferPaid, paid, randomUUID());
    expect((await told(id)).map((event) => event.name)).toEqual([
      'OfferCreated',
      'PaymentLinkIssued',
      'OfferPaymentApplied',
      'OfferDeleted',
    ]);
  });
});
