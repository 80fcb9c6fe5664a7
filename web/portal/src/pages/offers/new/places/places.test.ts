import { describe, expect, test } from '@jest/globals';
import { runsOf } from '../../groups.ts';
import {
  type Draft,
  draftAt,
  estimateRequest,
  faultsOf,
  knownPlacesOf,
  offerForm,
  placesOf,
  readDraft,
} from '../draft.ts';
import {
  addPlace,
  draftPlaceOf,
  indexOfPlace,
  removePlace,
  savedPlaceChosen,
  selectPlace,
} from './places.ts';

const now = new Date('2026-06-01T12:00:00Z');
const soho = { latitude: 51.5136, longitude: -0.1365 };
const leeds = { latitude: 53.8, longitude: -1.54 };
const york = { latitude: 53.96, longitude: -1.08 };
const one: Draft = draftAt({ ...soho, radiusMiles: 10, label: 'Soho' });
const withPlace = (draft: Draft, place: typeof soho, label: string): Draft => ({
  ...draft,
  ...addPlace(draft, draftPlaceOf(place, label)),
});
const three = withPlace(withPlace(one, leeds, 'Leeds'), york, '');
const labels = (draft: Draft) => placesOf(draft).map(({ label }) => label);

describe('the places of a draft', () => {
  test('keep their order, whichever is in the fields', () => {
    const first = { ...three, ...selectPlace(three, 0) };
    expect([first.label, first.latitude]).toEqual(['Soho', '51.5136']);
    expect(labels(first)).toEqual(['Soho', 'Leeds', '']);
    expect(readDraft(JSON.stringify(first))).toEqual(first);
    expect(readDraft(JSON.stringify({ ...first, otherPlaces: [{ label: 7 }] }))).toBeNull();
  });

  test.each([
    [0, 2, ['Leeds', ''], ''],
    [2, 2, ['Soho', 'Leeds'], 'Leeds'],
    [1, 1, ['Soho', ''], ''],
    [1, 0, ['Soho', ''], 'Soho'],
  ])('without that at %i, from the fields at %i', (removed, selected, left, inFields) => {
    const draft = { ...three, ...selectPlace(three, selected) };
    const after = { ...draft, ...removePlace(draft, removed) };
    expect([labels(after), after.label]).toEqual([left, inFields]);
  });

  test('end with none, which is a fault, as is one that is not chosen yet or stands there twice', () => {
    const fault = (draft: Draft) => faultsOf(draft, 'fits', now).place;
    expect(fault(three)).toBeUndefined();
    expect(fault({ ...one, ...removePlace(one, 0) })).toMatch(/^Choose a place/);
    expect(fault({ ...three, ...addPlace(three) })).toMatch('not chosen yet');
    expect(fault(withPlace(three, { ...soho, latitude: 51.51361 }, 'Again'))).toMatch('twice');
  });

  test('that are saved fill the fields first, and are added then; a radius counts for the only place', () => {
    const saved = [
      { ...leeds, id: 1, name: 'Leeds', radiusMiles: 5 },
      { ...york, id: 2, name: 'York', radiusMiles: 7 },
    ];
    const first = { ...one, ...savedPlaceChosen(one, saved[0]!, saved) };
    expect([labels(first), first.radiusMiles]).toEqual([['Leeds'], 5]);
    const second = { ...first, ...savedPlaceChosen(first, saved[1]!, saved) };
    expect([labels(second), second.radiusMiles]).toEqual([['Leeds', 'York'], 5]);
    expect(indexOfPlace(second, york)).toBe(1);
  });

  test('are priced and sent together; one alone is an ordinary offer', () => {
    expect(estimateRequest(one, now)).toMatchObject({ location: [soho.latitude, soho.longitude] });
    const waiting = { ...one, ...addPlace(one) };
    expect(estimateRequest(waiting, now)).toEqual(estimateRequest(one, now));
    expect(estimateRequest(three, now)).toMatchObject({ places: knownPlacesOf(three) });
    const form = (draft: Draft) => {
      const { picture, quoteId } = { picture: null, quoteId: undefined };
      return offerForm(draft, { picture, mode: 'test', now, quoteId });
    };
    expect([form(one).getAll('location[]'), form(one).get('places')]).toEqual([['51.5136', '-0.1365'], null]);
    expect(form(three).getAll('location[]')).toEqual([]);
    expect(JSON.parse(form(three).get('places') as string)).toEqual([
      { ...soho, label: 'Soho' },
      { ...leeds, label: 'Leeds' },
      { ...york, label: '' },
    ]);
  });
});

test('the list shows neighbours of a group together, and one alone like any offer', () => {
  const runs = runsOf([1, 1, null, null, 2, 3, 3].map((group_id, id) => ({ group_id, id })));
  expect(runs.map(({ groupId, offers }) => [groupId, offers.length])).toEqual([
    [1, 2],
    [null, 1],
    [null, 1],
    [null, 1],
    [3, 2],
  ]);
});
