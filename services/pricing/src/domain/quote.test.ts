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
    fc.assert(
      fc.property(anyForm, anyForm, (quoted, other) => {
        const [a, b] = [quoted.target, other.target];
        const same = (one: readonly unknown[], two: readonly unknown[]) =>
          new Set(one).symmetricDifference(new Set(two)).size === 0;
        const differing = [
          ...(+quoted.startAt === +other.startAt ? [] : ['startAt']),
          ...(+quoted.endAt === +other.endAt ? [] : ['endAt']),
          ...(a.latitude === b.latitude && a.longitude === b.longitude ? [] : ['location']),
          ...(a.radiusMiles === b.radiusMiles ? [] : ['radiusMiles']),
          ...(same(a.gender, b.gender) ? [] : ['gender']),
          ...(same(a.interests, b.interests) ? [] : ['interests']),
        ];
        expect(refusal(quoted, other)).toEqual(
          differing.length === 0 ? null : { reason: 'differs', fields: differing },
        );
      }),
    );
  });

  it.each([
    ['startAt', { startAt: new Date(+form.startAt + 1) }],
    ['endAt', { endAt: new Date(+form.endAt - 1) }],
    ['location', { target: { ...form.target, latitude: 51.500_000_1 } }],
    ['location', { target: { ...form.target, latitude: -0.1, longitude: 51.5 } }],
    ['radiusMiles', { target: { ...form.target, radiusMiles: 11 } }],
    ['gender', { target: { ...form.target, gender: [] } }],
    ['interests', { target: { ...form.target, interests: [12] } }],
    ['interests', { target: { ...form.target, interests: [] } }],
  ])('is refused when only %s differs: %j', (field, change) => {
    expect(refusal(form, { ...form, ...change })).toEqual({ reason: 'differs', fields: [field] });
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
  });

  it('may arrive before its own time, because clocks of replicas differ', () => {
    expect(refusal(form, form, { at: new Date(+now - 60_000) })).toBeNull();
  });

  it.each([
    ['the currency cannot be billed', { matchingUsers: 50, exchangeRate: null }],
    ['nobody matches', { matchingUsers: 0, exchangeRate: pound }],
  ])('is not given when %s', (_, change) => {
    expect(quoteOf(form, priceOf({ durationMs: 3_600_000, ...change }))).toBeNull();
  });

  it('is given for an offer that costs nothing because it is short', () => {
    const short = priceOf({ durationMs: 1, matchingUsers: 1, exchangeRate: pound });
    expect(quoteOf(form, short)?.price).toMatchObject({ money: { costMinor: 0n } });
  });
});
