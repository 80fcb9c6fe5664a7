/** The status in SQL, by which statements choose offers, is the status of the domain, whatever happened to an offer and when. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openPostgres, type Postgres } from '@offer-ads/platform/postgres/postgres';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { silentLogger } from '@offer-ads/testing/logger';
import { fc } from '@offer-ads/testing/profile';
import { createTestDatabase, type TestDatabase } from '@offer-ads/testing/stores/database';
import { effectiveAt } from '../../src/domain/lifecycle/lifecycle.ts';
import { type ListingPlace, type ListingQuery, portalStatuses } from '../../src/domain/listing-query.ts';
import { isLive, statusAt } from '../../src/domain/offer.ts';
import { listOffers } from '../../src/listing/listing-store.ts';
import { changeDueOffers, countLive } from '../../src/offers-store.ts';
import { at, paidOffer } from '../lifecycle/lifecycle-fixture.ts';
import { type ListedFacts, putCatalogue, putOffers } from './listing-rows.ts';

let database: TestDatabase;
let postgres: Postgres;
beforeAll(async () => {
  database = await createTestDatabase('offers');
  const o = { url: database.url, logger: silentLogger, metrics: createMetrics('test') };
  postgres = await openPostgres({ ...o, statementTimeoutMs: 60_000 });
  await putCatalogue(postgres);
});
afterAll(async () => {
  await postgres[Symbol.asyncDispose]();
  await database.dispose();
});

const owner = { organisationId: 1, mode: 'TEST' } as const;

/** Few instants, so that many things happen at the same one. */
const hour = fc.integer({ min: 0, max: 6 });
const perhaps = fc.option(hour, { freq: 2 });
const instant = (value: number | null) => (value === null ? null : at(value));

const facts: fc.Arbitrary<Omit<ListedFacts, 'offerId'>> = fc
  .record({
    organisationId: fc.constantFrom(1, 1, 1, 2),
    mode: fc.constantFrom('TEST', 'TEST', 'TEST', 'LIVE'),
    createdAt: hour,
    startAt: hour,
    lasts: fc.integer({ min: 1, max: 4 }),
    paymentAppliedAt: perhaps,
    pausedSince: perhaps,
    disabledSince: perhaps,
    deletedAt: fc.option(hour, { freq: 1 }),
    isShown: fc.boolean(),
    /** How long after the moment the sweeper told of it, on a clock that may be ahead of ours. */
    activationAnnouncedAfter: perhaps,
    endAnnouncedAfter: perhaps,
  } as const)
  .map(({ isShown, lasts, startAt, activationAnnouncedAfter, endAnnouncedAfter, ...it }) => ({
    organisationId: it.organisationId,
    mode: it.mode,
    createdAt: at(it.createdAt),
    startAt: at(startAt),
    expiryAt: at(startAt + lasts),
    paymentAppliedAt: instant(it.paymentAppliedAt),
    pausedSince: instant(it.pausedSince),
    disabledSince: instant(it.disabledSince),
    deletedAt: instant(it.deletedAt),
    shownAt: isShown || it.deletedAt !== null ? at(it.createdAt) : null,
    activationAnnouncedAt: activationAnnouncedAfter === null ? null : at(startAt + activationAnnouncedAfter),
    endAnnouncedAt: endAnnouncedAfter === null ? null : at(startAt + lasts + endAnnouncedAfter),
  }));

const live = {
  startAt: at(0),
  expiryAt: at(9),
  paymentAppliedAt: at(0),
  pausedSince: null,
  disabledSince: null,
  deletedAt: null,
  shownAt: at(0),
  activationAnnouncedAt: null,
  endAnnouncedAt: null,
};
/** Random in two facts at most: of wholly random offers, hardly one is live. */
const nearlyLive = fc
  .record({ random: facts, changed: fc.subarray(Object.keys(live), { maxLength: 2 }) })
  .map(liveButFor);

function liveButFor(o: { random: Omit<ListedFacts, 'offerId'>; changed: readonly string[] }) {
  // An end is told no sooner than it comes, so the two are random together.
  const isRandom = new Set(o.changed.includes('endAnnouncedAt') ? [...o.changed, 'expiryAt'] : o.changed);
  const fixed = Object.entries(live).filter(([name]) => !isRandom.has(name));
  return { ...o.random, ...Object.fromEntries(fixed) };
}

const place = fc.record({ createdAt: hour.map(at), offerId: fc.integer({ min: 1, max: 40 }) });
const query: fc.Arbitrary<ListingQuery> = fc.record(
  {
    limit: fc.integer({ min: 1, max: 5 }),
    after: fc.option(place, { freq: 2 }),
    status: fc.option(fc.constantFrom(...portalStatuses), { freq: 5 }),
    onlyDisabled: fc.constant(true),
    createdAfter: fc.option(hour.map(at), { freq: 1 }),
    createdBefore: fc.option(hour.map(at), { freq: 1 }),
  },
  { requiredKeys: ['limit', 'after', 'status', 'createdAfter', 'createdBefore'] },
);

const spoken = {
  'Awaiting Payment': 'awaiting_payment',
  Active: 'active',
  Paused: 'paused',
  Ended: 'ended',
  Scheduled: 'scheduled',
} as const;

describe('a page of the listing', () => {
  it('holds what the domain says belongs there, in its order, and says where the next one begins', async () => {
    const story = fc.record({
      offers: fc.array(facts, { minLength: 1, maxLength: 40 }),
      asked: fc.array(fc.record({ query, now: fc.integer({ min: 0, max: 11 }) }), {
        minLength: 1,
        maxLength: 8,
      }),
    });
    await fc.assert(
      fc.asyncProperty(story, async ({ offers: all, asked }) => {
        const offers = all.map((offer, index) => ({ ...offer, offerId: index + 1 }));
        await postgres.query('TRUNCATE offers CASCADE');
        await putOffers(postgres, offers);
        for (const { query: wanted, now } of asked) {
          const page = await listOffers(postgres, owner, wanted, at(now));
          expect({ ids: page.offers.map((offer) => offer.offerId), next: page.next }).toEqual(
            expectedPage(offers, wanted, at(now)),
          );
        }
      }),
    );
  });
});

describe('offers that the domain calls live', () => {
  it('are those that are counted, and those whose activation is told once', async () => {
    const story = fc.record({
      offers: fc.array(nearlyLive, { minLength: 1, maxLength: 40 }),
      now: fc.integer({ min: 0, max: 11 }).map(at),
    });
    await fc.assert(
      fc.asyncProperty(story, async ({ offers: all, now }) => {
        const offers = all.map((offer, index) => ({ ...offer, offerId: index + 1 }));
        await postgres.query('TRUNCATE offers CASCADE');
        await putOffers(postgres, offers);
        const expected = offers
          .filter((offer) => offer.shownAt !== null)
          .filter((offer) => isLive({ ...paidOffer(), ...offer }, effectiveAt(offer, now)));
        const counted = await countLive(postgres, now, offers.length);
        expect([counted.get('TEST') ?? 0, counted.get('LIVE') ?? 0]).toEqual([
          expected.filter(({ mode }) => mode === 'TEST').length,
          expected.filter(({ mode }) => mode === 'LIVE').length,
        ]);
        const due: number[] = [];
        await changeDueOffers(postgres, 'to-activate', { now, atMost: offers.length }, ({ offerId }) => {
          due.push(offerId);
          return { ok: false, reason: 'not-due' };
        });
        expect(due.toSorted((a, b) => a - b)).toEqual(
          expected
            .filter(({ activationAnnouncedAt }) => activationAnnouncedAt === null)
            .map(({ offerId }) => offerId),
        );
      }),
    );
  });
});

function expectedPage(offers: readonly ListedFacts[], wanted: ListingQuery, now: Date) {
  const matching = offers
    .filter((offer) => offer.organisationId === owner.organisationId && offer.mode === owner.mode)
    .filter((offer) => offer.shownAt !== null && offer.deletedAt === null)
    .filter((offer) => wanted.createdAfter === null || offer.createdAt >= wanted.createdAfter)
    .filter((offer) => wanted.createdBefore === null || offer.createdAt <= wanted.createdBefore)
    .filter((offer) => wanted.after === null || newestFirst(wanted.after, offer) < 0)
    .filter((offer) => wanted.onlyDisabled === undefined || offer.disabledSince !== null)
    .filter((offer) => {
      const status = statusAt({ ...paidOffer(), ...offer }, effectiveAt(offer, now));
      // Told of its start by a clock that is ahead: for those milliseconds no filter shows it.
      const isAhead =
        status === 'Scheduled' && offer.activationAnnouncedAt !== null && wanted.onlyDisabled === undefined;
      return wanted.status === null || (spoken[status] === wanted.status && !isAhead);
    })
    .toSorted(newestFirst);
  const shown = matching.slice(0, wanted.limit);
  const last = matching.length > wanted.limit ? shown.at(-1) : undefined;
  return {
    ids: shown.map((offer) => offer.offerId),
    next: last === undefined ? null : { createdAt: last.createdAt, offerId: last.offerId },
  };
}

function newestFirst(a: ListingPlace, b: ListingPlace): number {
  return b.createdAt.getTime() - a.createdAt.getTime() || b.offerId - a.offerId;
}
