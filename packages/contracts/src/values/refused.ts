/** Expected refusals are values, never errors. */
export type Refused<R> = { readonly ok: false; readonly refusal: R };

export function refused<const R>(refusal: R): Refused<R> {
  return { ok: false, refusal };
}
