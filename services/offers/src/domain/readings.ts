/** Reads the parts of a form: each reading gives a value or a list of faults that name the field. */

import { meantName } from '@offer-ads/contracts/values/misspelt-name';

/** Text parts by name, in the order of arrival. */
export type FormFields = ReadonlyMap<string, readonly string[]>;

export type Reading<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly faults: readonly string[] };

export function valid<T>(value: T): Reading<T> {
  return { ok: true, value };
}

export function fault(...faults: string[]): Reading<never> {
  return { ok: false, faults };
}

/** All values, or the faults of all fields together. */
export function allOf<T extends object>(readings: { readonly [K in keyof T]: Reading<T[K]> }): Reading<T> {
  const entries = Object.entries<Reading<unknown>>(readings);
  const faults = entries.flatMap(([, reading]) => (reading.ok ? [] : reading.faults));
  if (faults.length > 0) return fault(...faults);
  return valid(
    Object.fromEntries(entries.map(([name, reading]) => [name, reading.ok && reading.value])) as T,
  );
}

/** Empty if the field was omitted; an omitted and an empty field mean the same. */
export function single(fields: FormFields, name: string): string {
  return fields.get(name)?.[0] ?? '';
}

/** Other unknown parts are ignored (decision 49, misspelt names). */
export function checkNames(fields: FormFields, known: readonly string[]): Reading<null> {
  const faults = [...fields.keys()].flatMap((name) => {
    const meant = meantName(name, known);
    return meant === undefined || meant === name ? [] : [`${shownName(name)} must be sent as ${meant}`];
  });
  return faults.length === 0 ? valid(null) : fault(...new Set(faults));
}

/** Enough of a part's name to recognise it, so that a reply is never larger than the form. */
export function shownName(name: string): string {
  return name.slice(0, 40);
}
