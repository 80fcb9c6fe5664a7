import { describe, expect, test } from '@jest/globals';
import type { PortalOffer } from '@offer-ads/contracts/portal/offers-api';
import { localText } from '../../../../../ui/time-text.ts';
import {
  completedUrl,
  coordinatesOf,
  copyOf,
  type Draft,
  draftAt,
  emptyDraft,
  estimateKey,
  estimateRequest,
  type Faults,
  faultsOf,
  isBegun,
  missingForPrice,
  offerForm,
  periodOf,
  pictureState,
  placeOf,
  readDraft,
  readTarget,
  targetOf,
  urlFault,
} from './draft.ts';

const now = new Date('2026-06-01T12:00:00Z');
const whole: Draft = {
  ...emptyDraft,
  categoryId: '3',
  title: 'Two for one',
  description: 'Bring a friend.',
  url: 'https://example.com/two',
  latitude: '51.5',
  longitude: '-0.12',
};

const long = '🍸'.repeat(41);

describe('the faults of a draft', () => {
  test('are one for each missing field', () => {
    const missing = Object.keys(faultsOf(emptyDraft, 'missing', now));
    expect(missing.toSorted()).toEqual(['category', 'description', 'picture', 'place', 'title', 'url']);
  });

  test.each<[string, Partial<Draft>]>([
    ['a complete one', {}],
    ['a title of 40 characters: an emoji counts as one, as in the service', { title: '🍸'.repeat(40) }],
    ['a start half a minute ago', { starts: 'later', startAt: '2026-06-01T11:59:30Z' }],
    ['an end one minute after the start', { runs: 'until', endAt: '2026-06-01T12:01:00Z' }],
  ])('are none for %s', (_what, change) => {
    expect(faultsOf({ ...whole, ...change }, 'fits', now)).toEqual({});
  });

  test.each<[keyof Faults, Partial<Draft>]>([
    ['title', { title: long }],
    ['title', { title: ' \u200b' }],
    ['advertisedName', { advertisedName: 'www.corner.example' }],
    ['advertisedName', { advertisedName: 'HTTPS://corner.example' }],
    ['advertisedName', { advertisedName: '<b>Corner</b>' }],
    ['url', { url: 'example' }],
    ['url', { url: 'ftp://example.com' }],
    ['url', { url: 'https://user@example.com' }],
    ['url', { url: 'https://exa mple.com' }],
    ['url', { url: 'https://' }],
    ['place', { latitude: '91' }],
    ['place', { longitude: '' }],
    ['place', { longitude: '1e3' }],
    ['start', { starts: 'later', startAt: '2026-06-01T11:58:00Z' }],
    ['start', { starts: 'later', startAt: '' }],
    ['end', { runs: 'until', endAt: '2026-06-01T12:00:59Z' }],
    ['end', { runs: 'until', endAt: '2026-05-31T12:00:00Z' }],
    ['end', { runs: 'until', endAt: '' }],
  ])('are at the field %s for %j', (field, change) => {
    expect(Object.keys(faultsOf({ ...whole, ...change }, 'fits', now))).toEqual([field]);
  });
});

test('a picture is a JPG, PNG or GIF of at most 5 MB', () => {
  const file = (type: string, size: number) => ({ type, size });
  expect(pictureState(null)).toBe('missing');
  expect(pictureState(file('image/png', 5 * 1024 * 1024))).toBe('fits');
  for (const wrong of [
    file('image/png', 5 * 1024 * 1024 + 1),
    file('image/svg+xml', 100),
    file('image/gif', 0),
  ])
    expect(pictureState(wrong)).toHaveProperty('problem');
});

describe('requests', () => {
  test('an offer of one week runs 168 hours', () => {
    expect(periodOf(whole, now)).toEqual({ start: now, end: new Date('2026-06-08T12:00:00Z') });
  });
  test('there is no estimate without a place or with a wrong period', () => {
    expect(estimateRequest({ ...whole, latitude: '' }, now)).toBeNull();
    expect(estimateRequest({ ...whole, runs: 'until', endAt: '2026-05-01T00:00' }, now)).toBeNull();
  });
  test('an estimate for everybody has neither gender nor interests', () => {
    expect(estimateRequest(whole, now)).toEqual({
      start_datetime: '2026-06-01T12:00:00.000Z',
      end_datetime: '2026-06-08T12:00:00.000Z',
      location: [51.5, -0.12],
      radius: 10,
    });
    expect(estimateRequest({ ...whole, genders: ['Male'], interestIds: [4] }, now)).toMatchObject({
      gender: ['Male'],
      interests: [4],
    });
  });
  test('the key of an estimate changes with place, time and audience, not with texts', () => {
    expect(estimateKey({ ...whole, title: 'Other', paymentMethod: 'B' })).toBe(estimateKey(whole));
    for (const part of [{ radiusMiles: 11 }, { runs: '24' }, { genders: ['Male'] }, { latitude: '51.6' }])
      expect(estimateKey({ ...whole, ...part })).not.toBe(estimateKey(whole));
    expect(estimateKey({ ...whole, interestIds: [2, 1] })).toBe(
      estimateKey({ ...whole, interestIds: [1, 2] }),
    );
  });
  test('the form has the fields of the specification', () => {
    const form = offerForm(
      { ...whole, genders: ['Male', 'Female'], interestIds: [4] },
      { picture: new File(['x'], 'a.png', { type: 'image/png' }), mode: 'test', now, quoteId: 'a.b' },
    );
    expect(form.getAll('location[]')).toEqual(['51.5', '-0.12']);
    expect(form.getAll('gender[]')).toEqual(['Male', 'Female']);
    expect(form.getAll('interests[]')).toEqual(['4']);
    expect(form.get('environment')).toBe('TEST');
    expect(form.get('payment_method')).toBe('E');
    expect(form.get('quote_id')).toBe('a.b');
    expect(form.get('expiry_datetime')).toBe('2026-06-08T12:00:00.000Z');
  });
});

test('a text that stands for no place yet takes the place away, but not the circle of the map', () => {
  const typed = { ...whole, placeText: 'ZZ9 9ZZ' };
  expect(faultsOf(typed, 'fits', now)).toHaveProperty('place');
  expect([placeOf(typed), estimateRequest(typed, now)]).toEqual([null, null]);
  expect(coordinatesOf(typed)).toEqual({ latitude: 51.5, longitude: -0.12 });
  expect(isBegun({ ...emptyDraft, placeText: 'Z' })).toBe(true);
});

test('a draft is begun when something is written; the initial place does not count', () => {
  expect(isBegun({ ...emptyDraft, latitude: '51.5', longitude: '-0.1' })).toBe(false);
  expect(isBegun({ ...emptyDraft, title: 'T' })).toBe(true);
});

describe('a copy of an offer', () => {
  const offer = {
    offer_id: 7,
    category_id: 3,
    title: 'Two for one',
    description: 'Bring a friend.',
    terms_and_conditions: 'On Mondays.',
    advertised_name: null,
    url: 'https://example.com/two',
    latitude: 51.5,
    longitude: -0.12,
    radius: 12,
    gender: ['Female'],
    interests: [{ interest_id: 4, interest_name: 'Film' }],
    start_datetime: '2025-01-01T00:00:00.000Z',
    expiry_datetime: '2025-01-08T00:00:00.000Z',
    payment_method: 'B',
    image: 'https://images.example/a.jpg',
  } as unknown as PortalOffer;

  test('has everything of it, starts now, and says of which offer it is', () => {
    expect(copyOf(offer, now, [3])).toEqual({
      ...whole,
      termsAndConditions: 'On Mondays.',
      radiusMiles: 12,
      genders: ['Female'],
      interestIds: [4],
      runs: '168',
      paymentMethod: 'B',
      copiedFromId: 7,
      copiedFromTitle: 'Two for one',
      copiedPicture: 'https://images.example/a.jpg',
    });
  });
  test('runs as long as the offer, also for a length that is not among the usual ones', () => {
    const copy = copyOf({ ...offer, expiry_datetime: '2025-01-03T05:00:00.000Z' }, now, [3]);
    expect([copy.runs, copy.endAt]).toEqual(['until', localText(new Date('2026-06-03T17:00:00Z'))]);
    const short = copyOf({ ...offer, expiry_datetime: '2025-01-01T00:01:00.000Z' }, now, [3]);
    expect(faultsOf(short, 'fits', now)).toEqual({});
  });
  test('is sent with the picture of the offer, until another one is chosen', () => {
    const copy = copyOf(offer, now, [3]);
    expect([pictureState(null, copy), pictureState(null, whole)]).toEqual(['fits', 'missing']);
    const sent = (picture: File | null) =>
      offerForm(copy, { picture, mode: 'test', now, quoteId: undefined });
    expect([sent(null).get('image_offer_id'), sent(null).has('image')]).toEqual(['7', false]);
    const chosen = sent(new File(['x'], 'a.png', { type: 'image/png' }));
    expect([chosen.has('image_offer_id'), chosen.has('image')]).toEqual([false, true]);
  });
  test('has no category if that of the offer cannot be chosen any more', () => {
    expect(copyOf(offer, now, [1, 2]).categoryId).toBe('');
  });
});

test('a stored draft is read as a whole or not at all', () => {
  expect(readDraft(JSON.stringify(whole))).toEqual(whole);
  expect(readDraft(JSON.stringify({ ...whole, genders: 'Male' }))).toBeNull();
  expect(readDraft('{"title":1}')).toBeNull();
  expect(readDraft('nonsense')).toBeNull();
  expect(readDraft(null)).toBeNull();
});

test.each([
  ['www.northwind.example', 'https://www.northwind.example'],
  [' northwind.example/a?b=1#c ', 'https://northwind.example/a?b=1#c'],
  ['café.example:8080', 'https://café.example:8080'],
  ['http://northwind.example', 'http://northwind.example'],
  ['ftp://northwind.example', 'ftp://northwind.example'],
  ['javascript:alert(1)', 'javascript:alert(1)'],
  ['mail@northwind.example', 'mail@northwind.example'],
  ['northwind', 'northwind'],
  ['my shop.example', 'my shop.example'],
  ['', ''],
])('an address “%s” is completed to “%s”', (typed, url) => {
  expect(completedUrl(typed)).toBe(url);
  if (url !== typed.trim()) expect(urlFault(url)).toBeUndefined();
});

test('the page says what is missing for a price, and only then asks for none', () => {
  const cases: [Partial<Draft>, string | null][] = [
    [{}, null],
    [{ latitude: '' }, 'Choose a place to see the price.'],
    [{ starts: 'later', startAt: '2026-05-01T12:00' }, 'Correct the start to see the price.'],
    [{ runs: 'until', endAt: '2026-05-01T12:00' }, 'Correct the end to see the price.'],
  ];
  for (const [change, missing] of cases) {
    const draft = { ...whole, ...change };
    expect(missingForPrice(draft, now)).toBe(missing);
    expect(estimateRequest(draft, now) === null).toBe(missing !== null);
  }
});

describe('the circle of the latest offer', () => {
  const target = { latitude: 53.48, longitude: -2.24, radiusMiles: 12, label: 'Salford' };
  test('is where the next form begins, which is no draft yet', () => {
    const draft = draftAt(target);
    expect(readTarget(JSON.stringify(targetOf(draft)))).toEqual(target);
    expect(isBegun(draft)).toBe(false);
    expect(isBegun({ ...draft, title: 'Two' })).toBe(true);
  });
  test.each([
    null,
    '',
    'null',
    '{',
    '[]',
    '{"latitude":1,"longitude":2}',
    '{"latitude":91,"longitude":2,"radiusMiles":10}',
    '{"latitude":"1","longitude":2,"radiusMiles":10}',
    '{"latitude":1,"longitude":2,"radiusMiles":31}',
    '{"latitude":1,"longitude":2,"radiusMiles":5.5}',
  ])('is not read from “%s”', (text) => {
    expect(readTarget(text)).toBeNull();
  });
});
