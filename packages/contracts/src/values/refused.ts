/** Expected refusals are values, never errors. */
export type Refused<R extends object> = { readonly ok: false } & R;

export function refused<const R extends object>(refusal: R): Refused<R> {
  return { ok: false, ...refusal };
}
