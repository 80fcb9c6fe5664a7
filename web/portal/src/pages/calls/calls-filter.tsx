/** The fields of the filter. Each change takes effect at once and changes the address. */
import type { ApiKey } from '@offer-ads/contracts/portal/organisation-api';
import { Field } from '../../../../ui/field.tsx';
import { localText } from '../../../../ui/time-text.ts';
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
      <Field label="Key">
        {(described) => (
          <select {...described} {...chosen('key')}>
            <option value="">All keys</option>
            {filter.key !== '' && keys.every(({ id }) => String(id) !== filter.key) && (
              <option value={filter.key}>Number {filter.key}</option>
            )}
            {keys.map((key) => (
              <option key={key.id} value={String(key.id)}>
                {key.name} {maskOf(key)}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label="Route">
        {(described) => (
          <select {...described} {...chosen('route')}>
            <option value="">All routes</option>
            <Other value={filter.route} among={routes} />
            {routes.map((route) => (
              <option key={route} value={route}>
                {route}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label="Status">
        {(described) => (
          <select {...described} {...chosen('status')}>
            <option value="">All statuses</option>
            <Other value={filter.status} among={[...statuses, ...Object.keys(statusClasses)]} />
            <optgroup label="Classes">
              {Object.entries(statusClasses).map(([status, meaning]) => (
                <option key={status} value={status}>
                  {status} {meaning}
                </option>
              ))}
            </optgroup>
            <optgroup label="Exactly">
              {statuses.map((status) => (
                <option key={status} value={status}>
                  {status}
                </option>
              ))}
            </optgroup>
          </select>
        )}
      </Field>
      <Field label="Request id" hint="X-Request-Id of a reply">
        {(described) => (
          <input
            {...described}
            class="code"
            maxLength={64}
            autocomplete="off"
            spellcheck={false}
            defaultValue={filter.request}
            key={filter.request}
            onChange={(event) => set('request', event.currentTarget.value)}
          />
        )}
      </Field>
      <Field label="From">{(described) => <input {...described} {...moment('from')} />}</Field>
      <Field label="Before">{(described) => <input {...described} {...moment('to')} />}</Field>
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
    </search>
  );
}

/** An option for a value of the address that is not in the list. */
function Other({ value, among }: { readonly value: string; readonly among: readonly string[] }) {
  return value === '' || among.includes(value) ? null : <option value={value}>{value}</option>;
}
