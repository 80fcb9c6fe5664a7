/** The status in SQL is the status of the domain, for random offers at random times. */
import { beforeAll, expect, it } from '@jest/globals';
import { fc, runs } from '@offer-ads/testing/profile';
import { type ListingPlace, type ListingQuery, portalStatuses } from '../../src/domain/listing-query.ts';
import { isLive, statusAt } from '../../src/domain/offer.ts';
import { listOffers } from '../../src/listing/listing-store.ts';
import { changeDueOffers, countLive } from '../../src/offers-store.ts';
import { at, paidOffer } from '../lifecycle/lifecycle-fixture.ts';
import { databaseUnderTest } from '../offers-under-test.ts';
import { type ListedFacts, putCatalogue, putOffers } from './listing-rows.ts';

const [postgres] = databaseUnderTest();
beforeAll(() => putCatalogue(postgres));
/** Each run compares up to forty offers in up to eight queries. */
const few = { numRuns: runs(50, 10_000) };

const owner = { organisationId: 1, mode: 'TEST' } as const;

/** Few instants, so that many facts have the same one. */
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
    deletedAt: fc.option(hour, { freq: 2 }),
    isShown: fc.boolean(),
    /** Hours from the change until the sweeper announced it, on a clock that may be ahead of ours. */
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
/** At most two facts are random, because hardly any wholly random offer is live. */
const nearlyLive = fc
  .record({ random: facts, changed: fc.subarray(Object.keys(live), { maxLength: 2 }) })
  .map(liveButFor);

function liveButFor(o: { random: Omit<ListedFacts, 'offerId'>; changed: readonly string[] }) {
  // An end is never announced before it comes, so the two facts are random together.
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
    createdAfter: fc.option(hour.map(at), { freq: 2 }),
    createdBefore: fc.option(hour.map(at), { freq: 2 }),
  },
  { requiredKeys: ['limit', 'after', 'status', 'createdAfter', 'createdBefore'] },
);

const statusOf = {
  'Awaiting Payment': 'awaiting_payment',
  Active: 'active',
  Paused: 'paused',
  Ended: 'ended',
  Scheduled: 'scheduled',
} as const;

async function putNumbered(facts: readonly Omit<ListedFacts, 'offerId'>[]): Promise<ListedFacts[]> {
  const offers = facts.map((offer, index) => ({ ...offer, offerId: index + 1 }));
  await postgres.query('TRUNCATE offers CASCADE');
  await putOffers(postgres, offers);
  return offers;
}

it('a page of the listing has the offers that the domain selects, in its order, and the place of the next page', async () => {
  const story = fc.record({
    random: fc.array(facts, { minLength: 1, maxLength: 40 }),
    asked: fc.array(fc.record({ query, now: fc.integer({ min: 0, max: 11 }) }), {
      minLength: 1,
      maxLength: 8,
    }),
  });
  await fc.assert(
    fc.asyncProperty(story, async ({ random, asked }) => {
      const offers = await putNumbered(random);
      for (const { query: wanted, now } of asked) {
        const page = await listOffers(postgres, owner, wanted, at(now));
        expect({ ids: page.offers.map((offer) => offer.offerId), next: page.next }).toEqual(
          expectedPage(offers, wanted, at(now)),
        );
      }
    }),
    few,
  );
});

const nearlyLiveStory = fc.record({
  random: fc.array(nearlyLive, { minLength: 1, maxLength: 40 }),
  now: fc.integer({ min: 0, max: 11 }),
  hoursAhead: fc.constantFrom(0, 2),
});

it('exactly the offers that the domain calls live are counted, and are activated if they were not yet, each by its own time', async () => {
  await fc.assert(
    fc.asyncProperty(nearlyLiveStory, async ({ random, now, hoursAhead }) => {
      const offers = await putNumbered(random);
      await postgres.query('DELETE FROM test_clocks');
      if (hoursAhead > 0)
        await postgres.query('INSERT INTO test_clocks VALUES (1, $1)', [hoursAhead * 3_600]);
      /** TEST offers of organisation 1 live by its test clock. */
      const isByTestClock = ({ organisationId, mode }: Pick<ListedFacts, 'organisationId' | 'mode'>) =>
        hoursAhead > 0 && organisationId === 1 && mode === 'TEST';
      const expected = offers
        .filter((offer) => offer.shownAt !== null)
        .filter((offer) =>
          isLive({ ...paidOffer(), ...offer }, at(isByTestClock(offer) ? now + hoursAhead : now)),
        );
      const counted = await countLive(postgres, at(now), offers.length);
      for (const mode of ['TEST', 'LIVE'] as const)
        expect(counted.get(mode) ?? 0).toBe(expected.filter((offer) => offer.mode === mode).length);
      const due: number[] = [];
      for (const whose of ['due by the real time', 'due by test clocks'] as const)
        await changeDueOffers(
          postgres,
          'to-activate',
          { whose, now: at(now), atMost: offers.length },
          (offer) => {
            // By the real time, those with a test clock are left to the other run.
            if (whose === 'due by test clocks' || !isByTestClock(offer)) due.push(offer.offerId);
            return { ok: false, reason: 'not-due' };
          },
        );
      const notYet = expected.filter((offer) => offer.activationAnnouncedAt === null);
      expect(due.toSorted((a, b) => a - b)).toEqual(notYet.map(({ offerId }) => offerId));
    }),
    { numRuns: runs(70, 10_000) },
  );
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
      const status = statusAt({ ...paidOffer(), ...offer }, now);
      // Activated by a clock that is ahead: until our clock is there, no filter by status shows it.
      const isAhead =
        status === 'Scheduled' && offer.activationAnnouncedAt !== null && wanted.onlyDisabled === undefined;
      return wanted.status === null || (statusOf[status] === wanted.status && !isAhead);
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
