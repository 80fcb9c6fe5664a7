/** Reading the parts of a form: every reading gives a value or the faults that name its field. */

/** Text parts by name, in the order in which they came. */
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

/** All values, or every fault of all. */
export function allOf<T extends object>(readings: { readonly [K in keyof T]: Reading<T[K]> }): Reading<T> {
  const entries = Object.entries<Reading<unknown>>(readings);
  const faults = entries.flatMap(([, reading]) => (reading.ok ? [] : reading.faults));
  if (faults.length > 0) return fault(...faults);
  return valid(
    Object.fromEntries(entries.map(([name, reading]) => [name, reading.ok && reading.value])) as T,
  );
}

/** Empty when it was left out, which means the same. */
export function single(fields: FormFields, name: string): string {
  return fields.get(name)?.[0] ?? '';
}
