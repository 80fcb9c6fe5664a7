/** Makes a value when it is used for the first time. For `Intl` formats: the first one of a page takes a slow phone a tenth of a second. */
export function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
