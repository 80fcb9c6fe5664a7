/**
 * The windows of recent clients, in memory of fixed size that all threads of the process share. A client's window is changed under a
 * lock, so threads that count it at the same moment count one after the other.
 */
import { randomBytes } from 'node:crypto';
import { windowHasEnded } from '../domain/limits/fixed-window.ts';
import type { KnownCount } from '../domain/limits/known-count.ts';

/** What threads pass to each other: the memory of each limit by its name, and the secret of the hash. */
export type WindowsMemory = {
  readonly byLimit: Readonly<Record<string, SharedArrayBuffer>>;
  readonly secret: readonly [number, number];
};

export type ClientWindows = {
  /**
   * Replaces the client's window by what `next` makes of it, and returns that. `next` gets undefined if no window runs, and runs under
   * the lock: it computes and does nothing else.
   */
  readonly change: <N extends KnownCount | undefined>(
    client: string,
    nowMs: number,
    next: (known: KnownCount | undefined) => N,
  ) => N;
};

/** 262,144 clients in 6 MB, of which the system gives what is used. */
const bucketsByDefault = 4_096;
/**
 * A client's place is any slot of the bucket that its hash chooses. With this many slots, no bucket fills up by chance as long as the
 * whole has half of its clients. In a full one the window that ends first makes place: that client starts again, and nobody is refused
 * because of others.
 */
const slots = 64;

/** Of a bucket, in 32-bit words: a lock and a gap; then of each slot two halves of the hash, count, owed; and its end as a double. */
const first = 2;
const bucketWords = first + 6 * slots;
const bucketBytes = bucketWords * 4;

/** @param o.buckets a power of two */
export function createWindowsMemory(limits: readonly string[], o: { buckets?: number } = {}): WindowsMemory {
  const bytes = (o.buckets ?? bucketsByDefault) * bucketBytes;
  const random = randomBytes(8);
  return {
    byLimit: Object.fromEntries(limits.map((limit) => [limit, new SharedArrayBuffer(bytes)])),
    secret: [random.readInt32LE(0), random.readInt32LE(4)],
  };
}

export function windowsOf({ byLimit, secret }: WindowsMemory, limit: string): ClientWindows {
  const memory = byLimit[limit];
  if (memory === undefined) throw new Error(`the limit ${limit} has no memory`);
  const words = new Int32Array(memory);
  const ends = new Float64Array(memory);
  const lastBucket = memory.byteLength / bucketBytes - 1;
  const hashed = new Int32Array(2);

  /** The slot with this hash; else one that is free, or that is free next. */
  function slotOf(bucket: number, high: number, low: number, nowMs: number): number {
    const keys = bucket * bucketWords + first;
    for (let slot = 0; slot < slots; slot += 1)
      if (words[keys + slot] === high && words[keys + slots + slot] === low) return slot;
    const endsOf = endsAt(bucket);
    let soonest = 0;
    for (let slot = 0; slot < slots; slot += 1) {
      if ((ends[endsOf + slot] ?? 0) <= nowMs) return slot;
      if ((ends[endsOf + slot] ?? 0) < (ends[endsOf + soonest] ?? 0)) soonest = slot;
    }
    return soonest;
  }

  return {
    change: (client, nowMs, next) => {
      hash(client, secret, hashed);
      const high = hashed[0] ?? 0;
      const low = hashed[1] ?? 0;
      const bucket = low & lastBucket;
      const lock = bucket * bucketWords;
      take(words, lock);
      try {
        const slot = slotOf(bucket, high, low, nowMs);
        const place = lock + first + slot;
        const end = endsAt(bucket) + slot;
        const isOwn = words[place] === high && words[place + slots] === low;
        const stored = {
          count: words[place + 2 * slots] ?? 0,
          owed: words[place + 3 * slots] ?? 0,
          endsAtMs: ends[end] ?? 0,
        };
        const known = !isOwn || windowHasEnded(stored, nowMs) ? undefined : stored;
        const changed = next(known);
        if (changed !== undefined && changed !== known) {
          words[place] = high;
          words[place + slots] = low;
          words[place + 2 * slots] = changed.count;
          words[place + 3 * slots] = changed.owed;
          ends[end] = changed.endsAtMs;
        }
        return changed;
      } finally {
        Atomics.store(words, lock, 0);
      }
    },
  };
}

/** The index of a bucket's first end, in doubles. */
function endsAt(bucket: number): number {
  return (bucket * bucketWords + first + 4 * slots) / 2;
}

/** A lock is held for less than a microsecond, unless its thread is interrupted meanwhile. */
function take(words: Int32Array<SharedArrayBuffer>, lock: number): void {
  for (let tries = 1; Atomics.compareExchange(words, lock, 0, 1) !== 0; tries += 1)
    if (tries % 1_000 === 0) Atomics.wait(words, lock, 1, 1);
}

/**
 * HalfSipHash-2-4 of the text, two characters a word. Its 64 bits keep clients apart, and without the secret nobody finds two clients that
 * share a slot. Written out here because a hash of Node's makes several objects at each request.
 */
function hash(text: string, [key0, key1]: WindowsMemory['secret'], into: Int32Array): void {
  let v0 = key0;
  let v1 = key1 ^ 0xee;
  let v2 = 0x6c796765 ^ key0;
  let v3 = 0x74656462 ^ key1;
  const rounds = (times: number) => {
    for (let round = 0; round < times; round += 1) {
      v0 = (v0 + v1) | 0;
      v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
      v0 = (v0 << 16) | (v0 >>> 16);
      v2 = (v2 + v3) | 0;
      v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
      v0 = (v0 + v3) | 0;
      v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
      v2 = (v2 + v1) | 0;
      v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
      v2 = (v2 << 16) | (v2 >>> 16);
    }
  };
  // One word more than the text has holds its length.
  for (let at = 0; at <= text.length + 1; at += 2) {
    const isLast = at >= text.length;
    const word = isLast ? text.length : text.charCodeAt(at) | (text.charCodeAt(at + 1) << 16);
    v3 ^= word;
    rounds(2);
    v0 ^= word;
    if (isLast) break;
  }
  v2 ^= 0xee;
  rounds(4);
  into[0] = v1 ^ v3;
  v1 ^= 0xdd;
  rounds(4);
  into[1] = v1 ^ v3;
}
