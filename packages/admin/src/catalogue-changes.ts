/** The changes that a new catalogue would make, entry by entry, for people to review. */
import type { Catalogue, CatalogueReplacement } from '@offer-ads/contracts/admin/offers-api';

export type Kind = 'category' | 'interest';
/** A category or an interest. */
export type Entry = {
  readonly kind: Kind;
  readonly id: number;
  readonly name: string;
  readonly active: boolean;
  /** Null: every organisation may use it. */
  readonly organisationIds: readonly number[] | null;
};

/** From and to are texts for people; null where the entry did not or will not exist. */
export type CatalogueChange = {
  readonly kind: Kind;
  readonly id: number;
  readonly name: string;
  readonly change: 'added' | 'renamed' | 'activated' | 'deactivated' | 'organisations';
  readonly from: string | null;
  readonly to: string | null;
};

export function entriesOf({ categories, interests }: Pick<Catalogue, 'categories' | 'interests'>): Entry[] {
  return [
    ...categories.map(({ categoryId: id, categoryName: name, active, organisationIds }) => {
      return { kind: 'category' as const, id, name, active, organisationIds };
    }),
    ...interests.map(({ interestId: id, interestName: name, active }) => {
      return { kind: 'interest' as const, id, name, active, organisationIds: null };
    }),
  ];
}

/** In the order of the new catalogue, then the entries that are not in it. */
export function catalogueChanges(before: Catalogue, after: CatalogueReplacement): CatalogueChange[] {
  const known = new Map(entriesOf(before).map((entry) => [keyOf(entry), entry]));
  const wanted = entriesOf(after);
  const named = new Set(wanted.map(keyOf));
  const left = [...known.values()].filter((entry) => !named.has(keyOf(entry)));
  return [
    ...wanted.flatMap((entry) => changesOf(known.get(keyOf(entry)), entry)),
    // An entry that is not in the catalogue becomes inactive and keeps its other values.
    ...left.flatMap((entry) => changesOf(entry, { ...entry, active: false })),
  ];
}

function changesOf(was: Entry | undefined, is: Entry): CatalogueChange[] {
  const { kind, id, name } = is;
  const change = (change: CatalogueChange['change'], from: string | null, to: string | null) => {
    return { kind, id, name, change, from, to };
  };
  if (was === undefined) return [change('added', null, is.active ? shown(is.organisationIds) : 'inactive')];
  const [before, after] = [shown(was.organisationIds), shown(is.organisationIds)];
  return [
    ...(was.name === name ? [] : [change('renamed', was.name, name)]),
    ...(was.active === is.active ? [] : [change(is.active ? 'activated' : 'deactivated', null, null)]),
    ...(before === after ? [] : [change('organisations', before, after)]),
  ];
}

function keyOf({ kind, id }: Entry): string {
  return `${kind} ${id}`;
}

function shown(organisationIds: readonly number[] | null): string {
  if (organisationIds === null) return 'all organisations';
  return `organisations ${organisationIds.toSorted((a, b) => a - b).join(', ') || '(none)'}`;
}
