/** Reads the parts of a form: each reading gives a value or a list of faults that name the field. */

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
