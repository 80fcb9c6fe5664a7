/**
 * What offers tells of unused time and what billing makes of it, end to end and without stores: the two services know each
 * other by events alone, so only here can it be seen that they agree about an offer's money.
 */
import { describe, expect, it } from '@jest/globals';
import type { UnusedTime } from '@offer-ads/contracts/values/unused-time';
import { fc } from '@offer-ads/testing/profile';
import { creditDue, earnedCredit } from '../services/billing/src/domain/ledger/credit.ts';
import type { OfferEvent } from '../services/offers/src/lifecycle/offer-events.ts';
import { play, type Standing, type Story, stories } from '../services/offers/test/lifecycle/stories.ts';

/** Any of the events, each any number of times, in any order; every one at least once, since the outbox loses none. */
function deliveries(count: number): fc.Arbitrary<number[]> {
  const each = Array.from({ length: count }, (_, index) => index);
  return fc
    .array(fc.constantFrom(...each), { maxLength: 2 * count })
    .chain((again) => fc.shuffledSubarray([...each, ...again], { minLength: count + again.length }));
}

type Outcome = { readonly story: Story; readonly last: Standing; readonly delivered: readonly OfferEvent[] };

/** Stories of which something is told. */
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

/** As billing does: an offer that was never paid is credited nothing, and its page is closed. */
function creditsOf(netMinor: bigint, delivered: readonly OfferEvent[]): bigint[] {
  const credits: bigint[] = [];
  let [creditedMinor, earnedMinor] = [0n, 0n];
  for (const { declaration, data } of delivered) {
    // What does not fit the contract would never be written.
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

describe('the credits of an offer, whatever happened to it and however its events arrive', () => {
  it('are never negative, and together never exceed its price', () => {
    fc.assert(
      fc.property(outcomes, ({ story: { offer }, delivered }) => {
        const credits = creditsOf(offer.netMinor, delivered);
        expect(credits.every((credit) => credit >= 0n)).toBe(true);
        expect(sum(credits) <= offer.netMinor).toBe(true);
      }),
    );
  });

  it('come to the same sum in any order and with any repeats', () => {
    fc.assert(
      fc.property(outcomes, ({ story: { offer }, last, delivered }) => {
        expect(sum(creditsOf(offer.netMinor, delivered))).toBe(sum(creditsOf(offer.netMinor, last.events)));
      }),
    );
  });

  it('come to what the model of its life says, once its end or its deletion was told', () => {
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
