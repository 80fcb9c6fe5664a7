/** Where clicks lead. A small memory answers while the database is away, and for repeated clicks on one offer. */
import type { OffersContext } from '../context.ts';
import { findAddress } from '../offers-store.ts';

/** The url of the offer. Null: members may not be led there any more. */
export type ClickTargets = { readonly find: (offerId: number) => Promise<string | null> };

type Known = { readonly url: string | null; readonly readAtMs: number };

/** As soon as an offer is gone from placements, it is gone here. */
const FRESH_MS = 1_000;
/** While the database is away: longer than a failover, and not so long that an offer that was disabled meanwhile stays open. */
const KEPT_MS = 3_600_000;
/** Of 2,000 characters at most. The offer that was clicked least recently is forgotten. */
const MOST_KNOWN = 5_000;
/** A person waits for the answer, and what was known a moment ago is most likely right. */
const PATIENCE_MS = 500;

export function clickTargets({ postgres, clock }: Pick<OffersContext, 'postgres' | 'clock'>): ClickTargets {
  const known = new Map<number, Known>();
  /** Clicks on one offer at the same time read it once. */
  const reading = new Map<number, Promise<string | null>>();

  function note(offerId: number, found: Known): void {
    known.delete(offerId);
    known.set(offerId, found);
    for (const [oldest] of known) {
      if (known.size <= MOST_KNOWN) return;
      known.delete(oldest);
    }
  }

  async function read(offerId: number): Promise<string | null> {
    const readAtMs = clock.now().getTime();
    const url = await findAddress(postgres, offerId);
    note(offerId, { url, readAtMs });
    return url;
  }

  function readOnce(offerId: number): Promise<string | null> {
    const current = reading.get(offerId) ?? read(offerId).finally(() => reading.delete(offerId));
    reading.set(offerId, current);
    return current;
  }

  return {
    find: async (offerId) => {
      const before = known.get(offerId);
      const ageMs = before === undefined ? Infinity : clock.now().getTime() - before.readAtMs;
      if (before === undefined || ageMs > KEPT_MS) return readOnce(offerId);
      if (ageMs < FRESH_MS) return before.url;
      return within(PATIENCE_MS, readOnce(offerId), before.url);
    },
  };
}

/** The fallback when the answer does not come in time, or fails. */
async function within<T>(ms: number, answer: Promise<T>, fallback: T): Promise<T> {
  const { promise: late, resolve } = Promise.withResolvers<T>();
  const timer = setTimeout(() => resolve(fallback), ms);
  try {
    return await Promise.race([answer.catch(() => fallback), late]);
  } finally {
    clearTimeout(timer);
  }
}
