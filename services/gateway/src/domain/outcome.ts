/** The result of a use case: done, or refused for an expected reason. */
export type Refused<R extends string> = { readonly ok: false; readonly reason: R };
export type Outcome<T, R extends string> = { readonly ok: true; readonly value: T } | Refused<R>;

export function done<T>(value: T): { readonly ok: true; readonly value: T } {
  return { ok: true, value };
}

export function refused<R extends string>(reason: R): Refused<R> {
  return { ok: false, reason };
}
