import { describe, expect, it } from '@jest/globals';
import { fc } from '@offer-ads/testing/profile';
import type { EstimateForm } from './estimate-form.ts';
import { type Price, priceOf } from './price.ts';
import { QUOTE_VALID_MS, type QuoteHolder, quoteFor, refusalOfQuote, termsOf } from './quote.ts';

const now = new Date('2026-11-20T18:00:00Z');
const holder: QuoteHolder = { organisationId: 7, mode: 'TEST', currency: 'GBP' };
const pound = { perGbpE6: 1_000_000n, date: null };
const price = priceOf({ durationMs: 3_600_000, matchingUsers: 50, exchangeRate: pound });

const anyForm: fc.Arbitrary<EstimateForm> = fc.record({
  startAt: fc.date({ min: now, max: new Date('2030-01-01'), noInvalidDate: true }),
  endAt: fc.date({ min: new Date('2030-01-02'), max: new Date('2040-01-01'), noInvalidDate: true }),
  target: fc.record({
    latitude: fc.double({ min: -90, max: 90, noNaN: true }),
    longitude: fc.double({ min: -179, max: 179, noNaN: true }),
    radiusMiles: fc.integer({ min: 5, max: 30 }),
    // Without all three: that is the same as none.
    gender: fc.subarray(['Male', 'Female', 'Non-binary'] as const, { maxLength: 2 }),
    interests: fc.uniqueArray(fc.integer({ min: 1, max: 512 }), { maxLength: 20 }),
  }),
});

function quoteOf(form: EstimateForm, of: Price = price) {
  return quoteFor(of, { holder, terms: termsOf(form), now });
}

function refusal(quoted: EstimateForm, asked: EstimateForm, o: { holder?: QuoteHolder; at?: Date } = {}) {
  const quote = quoteOf(quoted)!;
  return refusalOfQuote(quote, {
    holder: o.holder ?? holder,
    terms: termsOf(asked),
    receivedAt: o.at ?? now,
  });
}

const form: EstimateForm = {
  startAt: new Date('2026-12-01T00:00:00Z'),
  endAt: new Date('2026-12-08T00:00:00Z'),
  target: { latitude: 51.5, longitude: -0.1, radiusMiles: 10, gender: ['Male'], interests: [1, 2] },
};

describe('a quote', () => {
  it('holds for the same offer, however its genders and interests are written', () => {
    fc.assert(
      fc.property(anyForm, (quoted) => {
        const { gender, interests } = quoted.target;
        const target = {
          ...quoted.target,
          gender: [...gender.toReversed(), ...gender],
          interests: [...interests.toReversed(), ...interests],
        };
        const asked = { target, startAt: new Date(quoted.startAt), endAt: new Date(quoted.endAt) };
        expect(refusal(quoted, asked)).toBeNull();
      }),
    );
  });

  it.each([
    ['all genders by name and none', { gender: ['Non-binary', 'Male', 'Female'] as const }, { gender: [] }],
    ['both sides of the dateline', { longitude: 180 }, { longitude: -180 }],
    ['0 and -0', { latitude: 0, longitude: -0 }, { latitude: -0, longitude: 0 }],
  ])('takes %s as the same', (_, one, other) => {
    const a = { ...form, target: { ...form.target, ...one } };
    const b = { ...form, target: { ...form.target, ...other } };
    expect([refusal(a, b), refusal(b, a)]).toEqual([null, null]);
  });

  it('is refused for any other offer, and names exactly the fields that differ', () => {
    const fields = ['startAt', 'endAt', 'latitude', 'longitude', 'radiusMiles', 'gender', 'interests'];
    fc.assert(
      fc.property(anyForm, anyForm, fc.subarray(fields), (quoted, another, changed) => {
        const changeOf = (of: object) =>
          Object.fromEntries(Object.entries(of).filter(([name]) => changed.includes(name)));
        const target = { ...quoted.target, ...changeOf(another.target) };
        const other = { ...quoted, ...changeOf(another), target };
        const [a, b] = [quoted.target, other.target];
        const isSet = (one: readonly unknown[], two: readonly unknown[]) =>
          new Set(one).symmetricDifference(new Set(two)).size === 0;
        const isSame = {
          startAt: +quoted.startAt === +other.startAt,
          endAt: +quoted.endAt === +other.endAt,
          location: a.latitude === b.latitude && a.longitude === b.longitude,
          radiusMiles: a.radiusMiles === b.radiusMiles,
          gender: isSet(a.gender, b.gender),
          interests: isSet(a.interests, b.interests),
        };
        const differing = Object.entries(isSame).flatMap(([field, same]) => (same ? [] : [field]));
        expect(refusal(quoted, other)).toEqual(
          differing.length === 0 ? null : { reason: 'differs', fields: differing },
        );
      }),
    );
  });

  it.each([
    ['location', { latitude: 51.500_000_1 }],
    ['location', { latitude: -0.1, longitude: 51.5 }],
    ['interests', { interests: [12] }],
  ])('is refused when only %s differs: %j', (field, change) => {
    const other = { ...form, target: { ...form.target, ...change } };
    expect(refusal(form, other)).toEqual({ reason: 'differs', fields: [field] });
  });

  it.each<[string, Partial<QuoteHolder>]>([
    ['organisation', { organisationId: 8 }],
    ['mode', { mode: 'LIVE' }],
    ['currency', { currency: 'EUR' }],
  ])('is foreign to another %s, whatever else is wrong', (_, change) => {
    const at = new Date(+now + QUOTE_VALID_MS);
    expect(refusal(form, { ...form, endAt: now }, { holder: { ...holder, ...change }, at })).toEqual({
      reason: 'foreign',
    });
  });

  it('expires after five minutes to the millisecond', () => {
    const end = +now + 5 * 60_000;
    expect(quoteOf(form)?.expiresAt).toEqual(new Date(end));
    expect(refusal(form, form, { at: new Date(end - 1) })).toBeNull();
    expect(refusal(form, form, { at: new Date(end) })).toEqual({ reason: 'expired' });
    // Clocks of replicas differ.
    expect(refusal(form, form, { at: new Date(+now - 60_000) })).toBeNull();
  });

  it('is given for an offer that costs nothing because it is short', () => {
    const short = priceOf({ durationMs: 1, matchingUsers: 1, exchangeRate: pound });
    expect(quoteOf(form, short)?.price).toMatchObject({ money: { costMinor: 0n } });
  });
});
