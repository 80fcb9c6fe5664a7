/** A few hundred bytes each, and as many clients within a while; beyond it all is forgotten at once and learnt anew. */
const mostRemembered = 50_000;
/** No address is longer, with its zone and port; longer texts are not kept, or they could be made to fill memory. */
const longestRemembered = 64;

/** What is known of an address, for functions of it that take microseconds: clients and proxies come again and again. */
export function memo<T>(of: (text: string) => T): (text: string) => T {
  const remembered = new Map<string, T>();
  return (text) => {
    const known = remembered.get(text);
    if (known !== undefined) return known;
    if (text.length > longestRemembered) return of(text);
    // A copy: what is cut out of a header holds on to the whole header, which may be sixteen thousand characters long.
    const own = Buffer.from(text, 'latin1').toString('latin1');
    const value = of(own);
    if (remembered.size >= mostRemembered) remembered.clear();
    remembered.set(own, value);
    return value;
  };
}
