/**
 * The events in which offers reports Unused Time, and the credits that billing computes from them, without stores. The two services
 * know each other only by events, so only this test sees that they agree about an offer's money.
 */
import { describe, expect, it } from '@jest/globals';
import type { UnusedTime } from '@offer-ads/contracts/values/unused-time';
import { fc } from '@offer-ads/testing/profile';
import { creditDue, earnedCredit } from '../services/billing/src/domain/ledger/credit.ts';
import type { OfferEvent } from '../services/offers/src/lifecycle/offer-events.ts';
import { play, type Standing, type Story, stories } from '../services/offers/test/lifecycle/stories.ts';

/** The events in any order, each at least once, because the outbox loses none, and any number of times. */
function deliveries(count: number): fc.Arbitrary<number[]> {
  const each = Array.from({ length: count }, (_, index) => index);
  return fc
    .array(fc.constantFrom(...each), { maxLength: 2 * count })
    .chain((again) => fc.shuffledSubarray([...each, ...again], { minLength: count + again.length }));
}

type Outcome = { readonly story: Story; readonly last: Standing; readonly delivered: readonly OfferEvent[] };

/** Stories with at least one event. */
const outcomes: fc.Arbitrary<Outcome> = stories
  .map((story) => ({ story, last: [...play(story)].at(-1)! }))
  .filter(({ last }) => last.events.length > 0)
  .chain(({ story, last }) =>
    deliveries(last.events.length).map((order) => ({
      story,
      last,
      delivered: order.map((index) => last.events[index]!),
    })),
  );

/** As billing computes them. An offer that was never paid is credited nothing. */
function creditsOf(netMinor: bigint, delivered: readonly OfferEvent[]): bigint[] {
  const credits: bigint[] = [];
  let [creditedMinor, earnedMinor] = [0n, 0n];
  for (const { declaration, data } of delivered) {
    // An event that does not fit the contract is never written.
    const facts = declaration.schema.parse(data) as UnusedTime & { paid?: boolean };
    if (facts.paid === false) continue;
    earnedMinor = earnedCredit({ netMinor, earnedMinor }, facts);
    const due = creditDue({ netMinor, vatMinor: 0n, creditedMinor, earnedMinor }, 0n);
    creditedMinor += due;
    credits.push(due);
  }
  return credits;
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n);
}

/** Decision 6, Unused Time, computed again: price x unused / scheduled, half up. */
function worth(netMinor: bigint, unusedMs: number, scheduledMs: number): bigint {
  const scheduled = BigInt(scheduledMs);
  return (2n * netMinor * BigInt(unusedMs) + scheduled) / (2n * scheduled);
}

describe('the credits of an offer, whatever happened to it and in whatever order its events arrive', () => {
  it('are never negative, and together never exceed its price', () => {
    fc.assert(
      fc.property(outcomes, ({ story: { offer }, delivered }) => {
        const credits = creditsOf(offer.netMinor, delivered);
        expect(credits.every((credit) => credit >= 0n)).toBe(true);
        expect(sum(credits) <= offer.netMinor).toBe(true);
      }),
    );
  });

  it('have the same sum in any order and with any repeats', () => {
    fc.assert(
      fc.property(outcomes, ({ story: { offer }, last, delivered }) => {
        expect(sum(creditsOf(offer.netMinor, delivered))).toBe(sum(creditsOf(offer.netMinor, last.events)));
      }),
    );
  });

  it('have the sum that the model gives, after the event of its end or its deletion', () => {
    fc.assert(
      fc.property(outcomes, ({ story: { offer }, last, delivered }) => {
        fc.pre(
          last.events.some(({ declaration: { name } }) => name === 'OfferEnded' || name === 'OfferDeleted'),
        );
        const { start, expiry } = last.model.schedule;
        const unusedMs = last.model.unusedMs(expiry + 1);
        expect(sum(creditsOf(offer.netMinor, delivered))).toBe(
          worth(offer.netMinor, unusedMs, expiry - start),
        );
      }),
    );
  });
});
