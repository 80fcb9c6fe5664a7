/** Changes of single entries of the catalogue, which is replaced as a whole. */
import type { Catalogue, CatalogueReplacement } from '@offer-ads/contracts/admin/offers-api';

export type Kind = 'category' | 'interest';
/** A category or an interest. `organisationIds`: who may use it; null: everybody, and always for interests. */
export type Entry = {
  readonly id: number;
  readonly name: string;
  readonly active: boolean;
  readonly organisationIds: readonly number[] | null;
};

/** By name. Retired ones come last. */
export function entriesOf(catalogue: Catalogue, kind: Kind): Entry[] {
  const all =
    kind === 'category'
      ? catalogue.categories.map(({ categoryId: id, categoryName: name, active, organisationIds }) => {
          return { id, name, active, organisationIds };
        })
      : catalogue.interests.map(({ interestId: id, interestName: name, active }) => {
          return { id, name, active, organisationIds: null };
        });
  return all.toSorted(
    (one, other) => Number(other.active) - Number(one.active) || one.name.localeCompare(other.name),
  );
}

/** The catalogue with this entry added or changed. The version makes the service refuse it if somebody has changed the catalogue since. */
export function withEntry(catalogue: Catalogue, kind: Kind, entry: Entry): CatalogueReplacement {
  const { version, categories, interests } = catalogue;
  const { id, name, active } = entry;
  if (kind === 'interest') {
    const others = interests.filter(({ interestId }) => interestId !== id);
    return {
      version,
      categories,
      interests: [...others, { interestId: id, interestName: name, active }],
    };
  }
  const organisationIds = entry.organisationIds === null ? null : [...entry.organisationIds];
  const others = categories.filter(({ categoryId }) => categoryId !== id);
  return {
    version,
    categories: [...others, { categoryId: id, categoryName: name, active, organisationIds }],
    interests,
  };
}

/** One more than the greatest, retired ones included: an id is never used for something else. */
export function nextId(catalogue: Catalogue, kind: Kind): number {
  return Math.max(0, ...entriesOf(catalogue, kind).map(({ id }) => id)) + 1;
}

/** Who may use a category, as people write it. */
export function idsText(ids: readonly number[] | null): string {
  if (ids === null) return '';
  return ids.length === 0 ? 'nobody' : ids.join(', ');
}

/** Reads such a text; undefined if it is none. An empty text is null: every organisation. */
export function readIds(text: string): number[] | null | undefined {
  if (text.trim() === '') return null;
  if (text.trim() === 'nobody') return [];
  const parts = text.split(',').map((part) => part.trim());
  return parts.every((part) => /^[1-9]\d{0,8}$/.test(part)) ? parts.map(Number) : undefined;
}
