/** Search, filters and order of the list. */

import { offerTexts } from '@offer-ads/contracts/values/offer-texts';
import { offerSorts } from '@offer-ads/contracts/values/offers-list';
import { useEffect, useState } from 'preact/hooks';
import { Options } from '../../../../../ui/field.tsx';
import { FoldedFilters } from '../../../folded-filters.tsx';
import { type Filters, sortLabels, statusFilters } from './filters.ts';

type FilterBarProps = { readonly filters: Filters; readonly show: (filters: Filters) => void };

/** Between two keys most people take less. */
const PAUSE_MS = 300;

export function FilterBar({ filters, show }: FilterBarProps) {
  const [text, setText] = useState(filters.search);
  // The address may change otherwise: by Back, or by "Show all offers".
  useEffect(
    () => setText((typed) => (typed.trim() === filters.search ? typed : filters.search)),
    [filters.search],
  );
  useEffect(() => {
    if (text.trim() === filters.search) return undefined;
    const timer = setTimeout(() => show({ ...filters, search: text.trim() }), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const isNarrowed = filters.from !== '' || filters.to !== '' || filters.disabled;
  return (
    <form class="list-filters" role="search" aria-label="Offers" onSubmit={(event) => event.preventDefault()}>
      <label class="search-field">
        <span>Search</span>
        <input
          type="search"
          placeholder="Title or number"
          maxLength={offerTexts.title.atMost}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      <FoldedFilters areSet={filters.status !== '' || isNarrowed}>
        <label>
          <span>State</span>
          <select
            value={filters.status}
            onChange={(event) => show({ ...filters, status: event.currentTarget.value })}
          >
            <option value="">All states</option>
            <Options of={statusFilters} />
          </select>
        </label>
        <label>
          <span>Order</span>
          <select
            value={filters.sort}
            onChange={(event) =>
              show({
                ...filters,
                sort: offerSorts.find((sort) => sort === event.currentTarget.value) ?? 'newest',
              })
            }
          >
            <Options of={offerSorts.map((sort) => [sort, sortLabels[sort]])} />
          </select>
        </label>
        <details class="more-filters" open={isNarrowed}>
          <summary>More filters</summary>
          <div>
            <label>
              <span>Created from</span>
              <input
                type="date"
                value={filters.from}
                onChange={(event) => show({ ...filters, from: event.currentTarget.value })}
              />
            </label>
            <label>
              <span>Created to</span>
              <input
                type="date"
                value={filters.to}
                onChange={(event) => show({ ...filters, to: event.currentTarget.value })}
              />
            </label>
            <label class="choice">
              <input
                type="checkbox"
                checked={filters.disabled}
                onChange={(event) => show({ ...filters, disabled: event.currentTarget.checked })}
              />
              Only disabled ones
            </label>
          </div>
        </details>
      </FoldedFilters>
    </form>
  );
}
