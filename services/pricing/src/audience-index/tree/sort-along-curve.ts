/** Sorts many members along the curve. */

/** The upper bits of a key select a bucket; the rest fits into a double together with a member's position in 32 bits. */
const KEY_BITS = 38;
const BUCKET_BITS = 18;
const REST = 2 ** (KEY_BITS - BUCKET_BITS);

const { floor } = Math;

/**
 * @param keys the keys of all members
 * @param without positions that are left out
 * @param rest called often; if it returns a promise, that is awaited
 * @returns positions in `keys`
 */
export async function sortedAlongCurve(
  keys: Float64Array,
  without: ReadonlySet<number>,
  rest: () => Promise<void> | undefined,
): Promise<Float64Array> {
  const ends = new Uint32Array(2 ** BUCKET_BITS + 1);
  for (let at = 0; at < keys.length; at += 1) {
    if (without.has(at)) continue;
    const bucket = floor((keys[at] as number) / REST);
    ends[bucket] = (ends[bucket] as number) + 1;
  }
  await rest();
  let sum = 0;
  for (let bucket = 0; bucket < ends.length; bucket += 1) {
    const size = ends[bucket] as number;
    ends[bucket] = sum;
    sum += size;
  }
  const sorted = new Float64Array(sum);
  for (let at = 0; at < keys.length; at += 1) {
    if (without.has(at)) continue;
    const key = keys[at] as number;
    const bucket = floor(key / REST);
    const place = ends[bucket] as number;
    ends[bucket] = place + 1;
    sorted[place] = (key % REST) * 2 ** 32 + at;
    if (at % 65_536 === 0) await rest();
  }
  for (let bucket = 0, from = 0; bucket < ends.length; bucket += 1) {
    const to = ends[bucket] as number;
    if (to - from > 1) sorted.subarray(from, to).sort();
    from = to;
    if (bucket % 1024 === 0) await rest();
  }
  for (let place = 0; place < sorted.length; place += 1) {
    sorted[place] = (sorted[place] as number) % 2 ** 32;
  }
  return sorted;
}
