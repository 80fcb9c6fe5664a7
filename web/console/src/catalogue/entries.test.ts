import { expect, it } from '@jest/globals';
import type { Catalogue } from '@offer-ads/contracts/admin/offers-api';
import { entriesOf, idsText, nextId, readIds, withEntry } from './entries.ts';

const food = { categoryId: 1, categoryName: 'Food', active: true, organisationIds: null };
const old = { categoryId: 9, categoryName: 'Cinemas', active: false, organisationIds: [3] };
const hiking = { interestId: 4, interestName: 'Hiking', active: true };
const catalogue: Catalogue = { version: 7, categories: [old, food], interests: [hiking] };

it('entries are listed by name, and retired ones last', () => {
  const art = { ...food, categoryId: 2, categoryName: 'Art' };
  const names = entriesOf({ ...catalogue, categories: [old, food, art] }, 'category').map(({ name }) => name);
  expect(names).toEqual(['Art', 'Food', 'Cinemas']);
});

it('a changed entry replaces itself, and everything else stays, retired ones too', () => {
  const entry = { id: 1, name: 'Food & Drink', active: false, organisationIds: [3, 7] };
  expect(withEntry(catalogue, 'category', entry)).toEqual({
    version: 7,
    categories: [
      old,
      { categoryId: 1, categoryName: 'Food & Drink', active: false, organisationIds: [3, 7] },
    ],
    interests: [hiking],
  });
  const art = { id: 5, name: 'Art', active: true, organisationIds: null };
  expect(withEntry(catalogue, 'interest', art)).toEqual({
    version: 7,
    categories: [old, food],
    interests: [hiking, { interestId: 5, interestName: 'Art', active: true }],
  });
});

it('a new entry gets an id that no entry ever had', () => {
  expect([nextId(catalogue, 'category'), nextId(catalogue, 'interest')]).toEqual([10, 5]);
  expect(nextId({ version: 0, categories: [], interests: [] }, 'interest')).toBe(1);
});

it.each([
  ['', null],
  ['3, 7', [3, 7]],
  ['nobody', []],
])('the organisations %j are read as %j, and written so', (text, ids) => {
  expect(readIds(text)).toEqual(ids);
  expect(idsText(ids)).toBe(text);
});

it.each(['3;7', '0', 'all', '3,'])('%j names no organisations', (text) => {
  expect(readIds(text)).toBeUndefined();
});
