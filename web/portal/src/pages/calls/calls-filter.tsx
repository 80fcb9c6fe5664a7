/** The fields of the filter. Each change takes effect at once and changes the address. */
import type { ApiKey } from '@offer-ads/contracts/portal/organisation-api';
import { InputField, Options, SelectField } from '../../../../ui/field.tsx';
import { localText } from '../../../../ui/time-text.ts';
import { FoldedFilters } from '../../folded-filters.tsx';
import { maskOf } from '../keys/listed-keys.ts';
import { type CallFilter, isFiltered, routes, statusClasses, statuses } from './call-filter.ts';

type CallsFilterProps = {
  readonly filter: CallFilter;
  readonly keys: readonly ApiKey[];
  readonly show: (filter: CallFilter) => void;
};

export function CallsFilter({ filter, keys, show }: CallsFilterProps) {
  const set = (name: keyof CallFilter, value: string) => show({ ...filter, [name]: value });
  const chosen = (name: 'key' | 'route' | 'status') => ({
    value: filter[name],
    onChange: (event: { readonly currentTarget: HTMLSelectElement }) => set(name, event.currentTarget.value),
  });
  const moment = (name: 'from' | 'to') => ({
    type: 'datetime-local',
    value: filter[name] === '' ? '' : localText(new Date(filter[name])),
    onChange: (event: { readonly currentTarget: HTMLInputElement }) => {
      const at = new Date(event.currentTarget.value);
      set(name, Number.isNaN(at.getTime()) ? '' : at.toISOString());
    },
  });
  return (
    <search class="card filters" aria-label="Filter the calls">
      <FoldedFilters areSet={isFiltered(filter)}>
        <SelectField label="Key" {...chosen('key')}>
          <option value="">All keys</option>
          {filter.key !== '' && keys.every(({ id }) => String(id) !== filter.key) && (
            <option value={filter.key}>Number {filter.key}</option>
          )}
          <Options of={keys.map((key) => [key.id, `${key.name} ${maskOf(key)}`])} />
        </SelectField>
        <SelectField label="Route" {...chosen('route')}>
          <option value="">All routes</option>
          <Other value={filter.route} among={routes} />
          <Options of={routes.map((route) => [route, route])} />
        </SelectField>
        <SelectField label="Status" {...chosen('status')}>
          <option value="">All statuses</option>
          <Other value={filter.status} among={[...statuses, ...Object.keys(statusClasses)]} />
          <optgroup label="Classes">
            <Options
              of={Object.entries(statusClasses).map(([status, meaning]) => [status, `${status} ${meaning}`])}
            />
          </optgroup>
          <optgroup label="Exactly">
            <Options of={statuses.map((status) => [status, status])} />
          </optgroup>
        </SelectField>
        <InputField
          label="Request id"
          hint="X-Request-Id of a reply"
          class="code"
          maxLength={64}
          autocomplete="off"
          spellcheck={false}
          defaultValue={filter.request}
          key={filter.request}
          onChange={(event) => set('request', event.currentTarget.value)}
        />
        <InputField label="From" {...moment('from')} />
        <InputField label="Before" {...moment('to')} />
        <div class="row">
          <button
            type="button"
            class="quiet"
            disabled={!isFiltered(filter)}
            onClick={() => show({ key: '', route: '', status: '', request: '', from: '', to: '' })}
          >
            Clear
          </button>
        </div>
      </FoldedFilters>
    </search>
  );
}

/** An option for a value of the address that is not in the list. */
function Other({ value, among }: { readonly value: string; readonly among: readonly string[] }) {
  return value === '' || among.includes(value) ? null : <option value={value}>{value}</option>;
}
