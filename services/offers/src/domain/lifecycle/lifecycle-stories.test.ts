import { describe, expect, it } from '@jest/globals';
import { fc } from '@offer-ads/testing/profile';
import { play, type Standing, stories } from '../../../test/lifecycle/stories.ts';
import { activatedAt, isLive, stateAt } from '../offer.ts';
import { ranMs, type UnusedTime, unusedTime } from './unused-time.ts';

/** At the limits of the schedule, and at any later time. */
const offsets = fc.array(fc.integer({ min: 0, max: 500 * 86_400_000 }), { maxLength: 3 });

/** Every beginning of a story is a story too, so only the state at its end is checked. Events are generated in order. */
function instantsFrom({ now, offer }: Standing, offsets: readonly number[]): Date[] {
  const borders = [offer.startAt, offer.expiryAt].flatMap((it) => [-1, 0, 1].map((off) => +it + off));
  const instants = [...borders, ...offsets.map((offset) => +now + offset)].filter((at) => at > +now);
  return [now, ...instants.toSorted((a, b) => a - b).map((at) => new Date(at))];
}

function isWithin({ unusedMs, scheduledMs }: UnusedTime): boolean {
  return Number.isSafeInteger(unusedMs) && unusedMs >= 0 && unusedMs <= scheduledMs;
}

describe('for any commands at any milliseconds', () => {
  it('the allowed commands, the later states, and whether the offer is live are those of the model', () => {
    fc.assert(
      fc.property(stories, offsets, (story, offsets) => {
        const standings = [...play(story)];
        expect(standings.map((it) => it.accepted)).toEqual(standings.map((it) => it.modelAccepted));
        for (const standing of standings.slice(-1)) {
          const { offer, model } = standing;
          const instants = instantsFrom(standing, offsets);
          expect(instants.map((at) => [at, stateAt(offer, at), isLive(offer, at)])).toEqual(
            instants.map((at) => [at, model.stateAt(+at), model.isLiveAt(+at)]),
          );
        }
      }),
    );
  });

  it('Unused Time is that of the model, lies in 0..scheduled and never shrinks', () => {
    fc.assert(
      fc.property(stories, offsets, (story, offsets) => {
        const standings = [...play(story)];
        const figures = standings.map(({ offer, now }) => unusedTime(offer, now));
        for (const standing of standings.slice(-1)) {
          const instants = instantsFrom(standing, offsets);
          const later = instants.map((at) => unusedTime(standing.offer, at));
          expect(later.map((it) => it.unusedMs)).toEqual(instants.map((at) => standing.model.unusedMs(+at)));
          figures.push(...later);
        }
        expect(figures.every(isWithin)).toBe(true);
        const unused = figures.map((it) => it.unusedMs);
        expect(unused).toEqual(unused.toSorted((a, b) => a - b));
      }),
    );
  });

  it('what ran and what is unused of a paid offer make up the time that has passed', () => {
    fc.assert(
      fc.property(stories, offsets, (story, offsets) => {
        for (const standing of [...play(story)].slice(-1)) {
          const { offer } = standing;
          const begins = Math.max(+offer.startAt, +offer.createdAt);
          for (const at of instantsFrom(standing, offsets)) {
            const passed = Math.max(0, Math.min(+at, +offer.expiryAt) - begins);
            const { unusedMs } = unusedTime(offer, at);
            const ran = ranMs(offer, at);
            if (offer.paymentAppliedAt === null) expect(ran).toBe(0);
            else if (offer.deletedAt === null) expect(ran).toBe(Math.max(0, passed - unusedMs));
            expect(ran).toBeLessThanOrEqual(passed);
          }
        }
      }),
    );
  });

  it('stops are separate and in order, and a live offer was live since its activation, and not before', () => {
    fc.assert(
      fc.property(stories, (story) => {
        for (const { now, offer, model } of play(story)) {
          const borders = offer.stops.flatMap(({ from, to }) => [+from, +to]);
          expect(borders).toEqual([...new Set(borders)].toSorted((a, b) => a - b));
          const since = activatedAt(offer, now);
          expect(since !== null).toBe(model.isLiveAt(+now));
          if (since !== null)
            expect([+since - 1, +since, (+since + +now) / 2].map((at) => model.isLiveAt(at))).toEqual([
              false,
              true,
              true,
            ]);
        }
      }),
    );
  });
});

describe('for commands that are handled in another order than they arrived', () => {
  const overtaken = fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 26_000 })), {
    maxLength: 16,
  });

  it('Unused Time lies in 0..scheduled; in events it never shrinks, and never grows after the end', () => {
    fc.assert(
      fc.property(stories, overtaken, (story, overtaken) => {
        const standings = [...play(story, overtaken)];
        expect(standings.every(({ offer, now }) => isWithin(unusedTime(offer, now)))).toBe(true);
        const events = standings.at(-1)?.events ?? [];
        const figures = events.map(({ data }) => (data as UnusedTime).unusedMs);
        expect(figures).toEqual(figures.toSorted((a, b) => a - b));
        const isPaidAndEnded = ({ declaration, data }: (typeof events)[number]) =>
          declaration.name === 'OfferEnded' && (data as { paid: boolean }).paid;
        const atTheEnd = events.findIndex(isPaidAndEnded);
        if (atTheEnd >= 0) expect(new Set(figures.slice(atTheEnd)).size).toBe(1);
        // Payment, end and deletion: at most once each.
        expect(new Set(events.map(({ declaration }) => declaration.name)).size).toBe(events.length);
      }),
    );
  });
});
