/** Goes on at once with a value that is known, and later with one that is waited for: a promise for each step of a request costs time. */
export function whenKnown<T, R>(value: T | Promise<T>, proceed: (value: T) => R): R | Promise<Awaited<R>> {
  return value instanceof Promise ? (value.then(proceed) as Promise<Awaited<R>>) : proceed(value);
}
