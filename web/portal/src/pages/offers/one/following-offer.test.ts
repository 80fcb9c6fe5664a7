import { expect, it } from '@jest/globals';
import type { PortalOffer } from '@offer-ads/contracts/portal/offers-api';
import { estimateRequest, periodOf } from '../new/draft.ts';
import { followingDraft, followingPlaces, linkedOffers } from './following-offer.ts';

const offer = {
  category_id: 3,
  title: 'Two for one',
  description: 'Two coffees',
  terms_and_conditions: '',
  advertised_name: null,
  url: 'https://cafe.example/',
  latitude: 51.5074,
  longitude: -0.1278,
  radius: 7,
  gender: ['Female'],
  interests: [{ interest_id: 2, interest_name: 'Cooking' }],
  start_datetime: '2026-06-01T12:00:00.123Z',
  expiry_datetime: '2026-06-03T12:00:00.456Z',
} as unknown as PortalOffer;
const paid = { endAt: null, paymentMethod: 'B' } as const;

it('begins in the moment in which the other one ends, for the same length, target and audience', () => {
  const now = new Date('2026-06-02T00:00:00Z');
  expect(estimateRequest(followingDraft(offer, now, paid), now)).toEqual({
    start_datetime: '2026-06-03T12:00:00.456Z',
    end_datetime: '2026-06-05T12:00:00.789Z',
    location: [51.5074, -0.1278],
    radius: 7,
    gender: ['Female'],
    interests: [2],
  });
});

it('begins now when the other one has ended, and can have another end', () => {
  const now = new Date('2026-06-04T00:00:00Z');
  expect(periodOf(followingDraft(offer, now, paid), now)).toEqual({
    start: now,
    end: new Date('2026-06-06T00:00:00.333Z'),
  });
  const until = { ...paid, endAt: '2026-06-30T10:00:00Z' };
  expect(periodOf(followingDraft(offer, now, until), now)?.end).toEqual(new Date('2026-06-30T10:00:00Z'));
});

it('follows a group with everything that each of its offers has, and the price that was quoted', () => {
  const soho = { ...offer, offer_id: 17, place_label: 'Soho' };
  const over = { ...offer, offer_id: 18, place_label: null, expiry_datetime: '2026-06-02T12:00:00Z' };
  const now = new Date('2026-06-03T00:00:00Z');
  const [first, second] = followingPlaces([soho, over], { now, endAt: null }, ['q1', null]);
  expect(first).toEqual({
    latitude: 51.5074,
    longitude: -0.1278,
    label: 'Soho',
    category_id: 3,
    title: 'Two for one',
    description: 'Two coffees',
    terms_and_conditions: '',
    advertised_name: '',
    url: 'https://cafe.example/',
    radius: 7,
    gender: ['Female'],
    interests: [2],
    start_datetime: '2026-06-03T12:00:00.456Z',
    expiry_datetime: '2026-06-05T12:00:00.789Z',
    image_offer_id: 17,
    quote_id: 'q1',
  });
  expect(second).toMatchObject({ start_datetime: now.toISOString(), image_offer_id: 18, label: null });
  expect(second).not.toHaveProperty('quote_id');
});

const numbered = (offer_id: number, part: Partial<PortalOffer> = {}) => ({ ...offer, offer_id, ...part });
const first = numbered(1);
const second = numbered(2, {
  start_datetime: first.expiry_datetime,
  expiry_datetime: '2026-06-05T12:00:00Z',
});
const third = numbered(3, {
  start_datetime: second.expiry_datetime,
  expiry_datetime: '2026-06-07T12:00:00Z',
});

it('knows the offers before and after an offer, and the last one, which is extended next', () => {
  const all = [third, second, first];
  expect(linkedOffers(first, all)).toEqual({ before: null, after: second, last: third, isLastKnown: true });
  expect(linkedOffers(second, all)).toEqual({ before: first, after: third, last: third, isLastKnown: true });
  expect(linkedOffers(third, all)).toEqual({ before: second, after: null, last: third, isLastKnown: true });
});

it.each<[string, Partial<PortalOffer>]>([
  ['begins a millisecond later', { start_datetime: '2026-06-03T12:00:00.457Z' }],
  ['has another title', { title: 'Two for one, today' }],
  ['has another place', { latitude: 52 }],
  ['has another radius', { radius: 8 }],
])('takes no offer for a following one that %s', (_what, part) => {
  const other = { ...second, ...part };
  expect(linkedOffers(first, [other, first])).toEqual({
    before: null,
    after: null,
    last: first,
    isLastKnown: true,
  });
});

it('does not know the last one while the list is not read, or when the offer is older than all that are listed', () => {
  expect(linkedOffers(first, []).isLastKnown).toBe(false);
  expect(linkedOffers(first, [third]).isLastKnown).toBe(false);
});
