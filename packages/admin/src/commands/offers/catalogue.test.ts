import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Catalogue, catalogueReplacement } from '@offer-ads/contracts/admin/offers-api';
import { fc } from '@offer-ads/testing/profile';
import { runWith } from '../../../test/admin-under-test.ts';
import { type CatalogueChange, catalogueChanges } from '../../catalogue-changes.ts';
import type { Tools } from '../../tools.ts';

let folder: string;
let catalogue: Catalogue;
/** Every replacement that was sent. */
let sent: unknown[];
let onRead: () => void;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'catalogue-'));
  sent = [];
  onRead = () => {};
  catalogue = {
    version: 4,
    categories: [
      { categoryId: 1, categoryName: 'Food', active: true, organisationIds: null },
      { categoryId: 2, categoryName: 'Music', active: true, organisationIds: [7, 3] },
    ],
    interests: [{ interestId: 1, interestName: 'Hiking', active: false }],
  };
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Like the service: entries that are not named become inactive, and a wrong version is refused. */
const call: Tools['call'] = async (owner, route, o) => {
  if (route === 'GET /admin/catalogue') {
    const read = structuredClone(catalogue);
    onRead();
    return read;
  }
  expect([owner, route]).toEqual(['offers', 'PUT /admin/catalogue']);
  sent.push(o?.json);
  const wanted = catalogueReplacement.parse(o?.json);
  if (wanted.version !== undefined && wanted.version !== catalogue.version)
    throw new Error('offers: The catalogue has changed since that version (HTTP 409)');
  catalogue = replaced(catalogue, wanted);
  return catalogue;
};

function replaced(before: Catalogue, wanted: Pick<Catalogue, 'categories' | 'interests'>): Catalogue {
  const categories = new Map(before.categories.map((it) => [it.categoryId, { ...it, active: false }]));
  for (const it of wanted.categories) categories.set(it.categoryId, it);
  const interests = new Map(before.interests.map((it) => [it.interestId, { ...it, active: false }]));
  for (const it of wanted.interests) interests.set(it.interestId, it);
  return {
    version: before.version + 1,
    categories: [...categories.values()],
    interests: [...interests.values()],
  };
}

const admin = (words: string) => runWith(words, call);

function fileOf(content: unknown): string {
  const file = join(folder, 'catalogue.json');
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

describe('catalogue list', () => {
  it('shows all entries and the version', async () => {
    expect(await admin('catalogue list')).toEqual({
      status: 0,
      result: {
        catalogue: [
          { kind: 'category', id: 1, name: 'Food', active: true, organisationIds: null },
          { kind: 'category', id: 2, name: 'Music', active: true, organisationIds: [7, 3] },
          { kind: 'interest', id: 1, name: 'Hiking', active: false, organisationIds: null },
        ],
        version: 4,
      },
    });
  });
});

describe('an exported catalogue', () => {
  it('changes nothing when it is imported unchanged', async () => {
    const file = join(folder, 'out.json');
    expect(await admin(`catalogue export ${file}`)).toEqual({ status: 0, result: { file, version: 4 } });
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(catalogue);
    expect(await admin(`catalogue import ${file}`)).toEqual({
      status: 0,
      result: { changes: [], version: 4 },
    });
    expect(sent).toEqual([]);
  });

  it('is refused when somebody else has changed the catalogue, and diff warns of that', async () => {
    const file = fileOf({ ...catalogue, interests: [] });
    catalogue = { ...catalogue, version: 5 };
    expect(await admin(`catalogue diff ${file}`)).toMatchObject({
      status: 0,
      result: { version: 5, warning: expect.stringContaining('version 4') },
    });
    expect(await admin(`catalogue import ${file}`)).toMatchObject({
      status: 1,
      result: { error: expect.stringContaining('has changed since that version') },
    });
    expect(catalogue.version).toBe(5);
  });

  it('never overwrites a file', async () => {
    const file = fileOf('precious');
    expect(await admin(`catalogue export ${file}`)).toMatchObject({
      status: 1,
      result: { error: `catalogue export: ${file} exists already` },
    });
    expect(readFileSync(file, 'utf8')).toBe('precious');
    expect(await admin(`catalogue export ${join(folder, 'no', 'where.json')}`)).toMatchObject({ status: 1 });
    expect(existsSync(join(folder, 'no'))).toBe(false);
  });
});

describe('catalogue diff and import', () => {
  const next = {
    categories: [
      { categoryId: 1, categoryName: 'Food & Drink', organisationIds: [9] },
      { categoryId: 5, categoryName: 'Sport' },
    ],
    interests: [
      { interestId: 1, interestName: 'Hiking' },
      { interestId: 2, interestName: 'Tea', active: false },
    ],
  };
  const all = 'all organisations';
  const changes = [
    { kind: 'category', id: 1, name: 'Food & Drink', change: 'renamed', from: 'Food', to: 'Food & Drink' },
    {
      kind: 'category',
      id: 1,
      name: 'Food & Drink',
      change: 'organisations',
      from: all,
      to: 'organisations 9',
    },
    { kind: 'category', id: 5, name: 'Sport', change: 'added', from: null, to: all },
    { kind: 'interest', id: 1, name: 'Hiking', change: 'activated', from: null, to: null },
    { kind: 'interest', id: 2, name: 'Tea', change: 'added', from: null, to: 'inactive' },
    { kind: 'category', id: 2, name: 'Music', change: 'deactivated', from: null, to: null },
  ];

  it('print the same changes, and only import makes them', async () => {
    const file = fileOf(next);
    expect(await admin(`catalogue diff ${file}`)).toEqual({
      status: 0,
      result: { changes, version: 4, warning: null },
    });
    expect(sent).toEqual([]);
    expect(await admin(`catalogue import ${file}`)).toEqual({ status: 0, result: { changes, version: 5 } });
    expect(catalogue.categories.map((it) => [it.categoryId, it.active])).toEqual([
      [1, true],
      [2, false],
      [5, true],
    ]);
  });

  it('import is refused when the catalogue changes after it was read', async () => {
    const file = fileOf(next);
    onRead = () => {
      catalogue = { ...catalogue, version: catalogue.version + 1 };
    };
    expect(await admin(`catalogue import ${file}`)).toMatchObject({ status: 1 });
    expect(catalogue.interests).toEqual([{ interestId: 1, interestName: 'Hiking', active: false }]);
  });

  const categoryNamed = (categoryName: string, categoryId = 1) => ({
    categories: [{ categoryId, categoryName }],
    interests: [],
  });
  it.each([
    ['no JSON', '{"categories": [', 'is not JSON'],
    ['no catalogue', '[]', 'the whole'],
    ['no interests', { categories: [] }, 'interests '],
    ['a wrong id', categoryNamed('x', 0), 'categories.0.categoryId '],
    ['a name of two lines', categoryNamed('a\nb'), 'line breaks'],
    ['a name too long', categoryNamed('x'.repeat(101)), 'at most 100'],
  ])('refuse a file with %s before anything is sent, and name the place', async (_, content, problem) => {
    const file = fileOf(content);
    for (const words of ['diff', 'import']) {
      const { status, result } = await admin(`catalogue ${words} ${file}`);
      expect({ status, result }).toEqual({
        status: 1,
        result: { error: expect.stringMatching(new RegExp(`^catalogue ${words}: ${file}.*${problem}`)) },
      });
    }
    expect(sent).toEqual([]);
  });
});

describe('category set and interest set', () => {
  it('change one entry and no other', async () => {
    expect(await admin('category set 2 --name Songs')).toMatchObject({
      status: 0,
      result: { changes: [{ change: 'renamed', from: 'Music', to: 'Songs' }], version: 5 },
    });
    expect(await admin('category set 2 --orgs all')).toMatchObject({
      result: { changes: [{ change: 'organisations', from: 'organisations 3, 7', to: 'all organisations' }] },
    });
    expect(await admin('category set 1 --orgs none --active no')).toMatchObject({
      result: { changes: [{ change: 'deactivated' }, { to: 'organisations (none)' }] },
    });
    expect(await admin('interest set 1 --active yes')).toMatchObject({
      result: { changes: [{ kind: 'interest', change: 'activated' }] },
    });
    expect(await admin('interest set 8 --name Tea')).toMatchObject({
      result: { changes: [{ kind: 'interest', id: 8, change: 'added' }], version: 9 },
    });
    expect(catalogue.categories.toSorted((a, b) => a.categoryId - b.categoryId)).toEqual([
      { categoryId: 1, categoryName: 'Food', active: false, organisationIds: [] },
      { categoryId: 2, categoryName: 'Songs', active: true, organisationIds: null },
    ]);
    expect(catalogue.interests).toMatchObject([
      { interestId: 1, active: true },
      { interestId: 8, active: true },
    ]);
  });

  it.each([
    ['category set 9', 'there is no category 9 yet, so it needs a --name'],
    ['interest set 9 --active no', 'there is no interest 9 yet'],
    ['category set 1 --orgs 0', 'categories.'],
    ['category set 1 --orgs x', '--orgs must be all, none or ids'],
    ['category set 1 --active maybe', '--active must be yes or no'],
    ['interest set 2147483648 --name x', 'interestId'],
  ])('%s is refused and sends nothing', async (words, problem) => {
    expect(await admin(words)).toEqual({ status: 1, result: { error: expect.stringContaining(problem) } });
    expect(sent).toEqual([]);
  });
});

describe('the changes between any two catalogues', () => {
  const id = fc.integer({ min: 1, max: 5 });
  const name = fc.constantFrom('a', 'b', 'c');
  const organisationIds = fc.option(fc.uniqueArray(id, { maxLength: 2 }), { nil: null });
  const some = fc.record({
    version: fc.nat(),
    categories: fc.uniqueArray(
      fc.record({ categoryId: id, categoryName: name, active: fc.boolean(), organisationIds }),
      { selector: (it) => it.categoryId },
    ),
    interests: fc.uniqueArray(fc.record({ interestId: id, interestName: name, active: fc.boolean() }), {
      selector: (it) => it.interestId,
    }),
  });

  it('are empty exactly when they are equal', () => {
    fc.assert(
      fc.property(some, some, (before, after) => {
        expect(catalogueChanges(replaced(before, after), after)).toEqual([]);
        const changes: CatalogueChange[] = catalogueChanges(before, after);
        const same = JSON.stringify(sorted(replaced(before, after))) === JSON.stringify(sorted(before));
        expect(changes.length === 0).toBe(same);
      }),
    );
  });

  function sorted({ categories, interests }: Catalogue) {
    return [
      categories
        .toSorted((a, b) => a.categoryId - b.categoryId)
        .map((it) => [
          it.categoryId,
          it.categoryName,
          it.active,
          it.organisationIds?.toSorted((a, b) => a - b),
        ]),
      interests
        .toSorted((a, b) => a.interestId - b.interestId)
        .map((it) => [it.interestId, it.interestName, it.active]),
    ];
  }
});
