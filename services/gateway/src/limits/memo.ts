/** A few hundred bytes each, and that many clients within a while; when it is full, everything is dropped and computed again. */
const mostRemembered = 50_000;
/** No address is longer, with its zone and port. Longer texts are not stored, so that callers cannot fill the memory. */
const longestRemembered = 64;

/** Caches the result of a function of an address that takes microseconds: the same clients and proxies come again and again. */
export function memo<T>(compute: (text: string) => T): (text: string) => T {
  const remembered = new Map<string, T>();
  return (text) => {
    const known = remembered.get(text);
    if (known !== undefined) return known;
    if (text.length > longestRemembered) return compute(text);
    // A copy, because a part of a header keeps the whole header in memory, which may have sixteen thousand characters.
    const own = Buffer.from(text, 'latin1').toString('latin1');
    const value = compute(own);
    if (remembered.size >= mostRemembered) remembered.clear();
    remembered.set(own, value);
    return value;
  };
}
