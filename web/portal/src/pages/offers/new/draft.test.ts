import { describe, expect, test } from '@jest/globals';
import {
  type Draft,
  emptyDraft,
  estimateKey,
  estimateRequest,
  faultsOf,
  isBegun,
  lengthOf,
  offerForm,
  periodOf,
  pictureState,
  placeOf,
  readDraft,
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

describe('what is wrong with a draft', () => {
  test('nothing, when all is there', () => {
    expect(faultsOf(whole, 'fits', now)).toEqual({});
  });
  test('everything that is missing, at its field', () => {
    const missing = Object.keys(faultsOf(emptyDraft, 'missing', now));
    expect(missing.toSorted()).toEqual(['category', 'description', 'picture', 'place', 'title', 'url']);
  });
  test('characters are counted as the service counts them: an emoji is one', () => {
    expect(lengthOf('🍸🍸')).toBe(2);
    expect(faultsOf({ ...whole, title: '🍸'.repeat(40) }, 'fits', now)).toEqual({});
    expect(faultsOf({ ...whole, title: '🍸'.repeat(41) }, 'fits', now)).toEqual({
      title: '1 character too long.',
    });
  });
  test('a title of blanks is none', () => {
    expect(faultsOf({ ...whole, title: ' \u200b' }, 'fits', now)).toHaveProperty('title');
  });
  test.each(['www.corner.example', 'HTTPS://corner.example', '<b>Corner</b>'])(
    '%s is no advertised name',
    (name) => {
      expect(faultsOf({ ...whole, advertisedName: name }, 'fits', now)).toHaveProperty('advertisedName');
    },
  );
  test.each([
    'example.com',
    'ftp://example.com',
    'https://user@example.com',
    'https://exa mple.com',
    'https://',
  ])('%s is no address', (url) => {
    expect(faultsOf({ ...whole, url }, 'fits', now)).toHaveProperty('url');
  });
  test('a place needs both numbers, within the world', () => {
    expect(placeOf({ ...whole, latitude: '91' })).toBeNull();
    expect(placeOf({ ...whole, longitude: '' })).toBeNull();
    expect(placeOf({ ...whole, longitude: '1e3' })).toBeNull();
    expect(placeOf(whole)).toEqual({ latitude: 51.5, longitude: -0.12 });
  });
  test('it may start a minute ago, while the button is pressed, and no earlier', () => {
    const starting = (startAt: string): Draft => ({ ...whole, starts: 'later', startAt });
    expect(faultsOf(starting('2026-06-01T11:59:30Z'), 'fits', now)).toEqual({});
    expect(faultsOf(starting('2026-06-01T11:58:00Z'), 'fits', now)).toHaveProperty('start');
    expect(faultsOf(starting(''), 'fits', now)).toHaveProperty('start');
  });
  test('it ends a minute after its start at the earliest', () => {
    const ending = (endAt: string): Draft => ({ ...whole, runs: 'until', endAt });
    expect(faultsOf(ending('2026-06-01T12:01:00Z'), 'fits', now)).toEqual({});
    expect(faultsOf(ending('2026-06-01T12:00:59Z'), 'fits', now)).toHaveProperty('end');
    expect(faultsOf(ending('2026-05-31T12:00:00Z'), 'fits', now)).toHaveProperty('end');
    expect(faultsOf(ending(''), 'fits', now)).toHaveProperty('end');
  });
});

describe('a picture', () => {
  const file = (type: string, size: number) => ({ type, size });
  test('is a JPG, PNG or GIF of at most 5 MB', () => {
    expect(pictureState(null)).toBe('missing');
    expect(pictureState(file('image/png', 5 * 1024 * 1024))).toBe('fits');
    expect(pictureState(file('image/png', 5 * 1024 * 1024 + 1))).toHaveProperty('problem');
    expect(pictureState(file('image/svg+xml', 100))).toHaveProperty('problem');
    expect(pictureState(file('image/gif', 0))).toHaveProperty('problem');
  });
});

describe('what is asked and sent', () => {
  test('an offer of a week from now on runs 168 hours', () => {
    expect(periodOf(whole, now)).toEqual({ start: now, end: new Date('2026-06-08T12:00:00Z') });
  });
  test('no estimate is asked for without a place or with a period that does not do', () => {
    expect(estimateRequest({ ...whole, latitude: '' }, now)).toBeNull();
    expect(estimateRequest({ ...whole, runs: 'until', endAt: '2026-05-01T00:00' }, now)).toBeNull();
  });
  test('an estimate asks for everybody by leaving genders and interests out', () => {
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
  test('texts change no price; place, time and audience do', () => {
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
      new File(['x'], 'a.png', { type: 'image/png' }),
      'test',
      now,
    );
    expect(form.getAll('location[]')).toEqual(['51.5', '-0.12']);
    expect(form.getAll('gender[]')).toEqual(['Male', 'Female']);
    expect(form.getAll('interests[]')).toEqual(['4']);
    expect(form.get('environment')).toBe('TEST');
    expect(form.get('payment_method')).toBe('E');
    expect(form.get('expiry_datetime')).toBe('2026-06-08T12:00:00.000Z');
  });
});

test('a draft is begun by what somebody writes, not by the place where the map begins', () => {
  expect(isBegun({ ...emptyDraft, latitude: '51.5', longitude: '-0.1' })).toBe(false);
  expect(isBegun({ ...emptyDraft, title: 'T' })).toBe(true);
});

test('a kept draft comes back whole or not at all', () => {
  expect(readDraft(JSON.stringify(whole))).toEqual(whole);
  expect(readDraft(JSON.stringify({ ...whole, genders: 'Male' }))).toBeNull();
  expect(readDraft('{"title":1}')).toBeNull();
  expect(readDraft('nonsense')).toBeNull();
  expect(readDraft(null)).toBeNull();
});
