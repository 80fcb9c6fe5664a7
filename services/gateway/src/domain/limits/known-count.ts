/**
 * A replica's copy of a shared count. With it, the replica can refuse without asking the store, continue while the store is unavailable,
 * and add the requests counted meanwhile when it is back.
 */
import { countIn, type Limit, type Window, windowHasEnded } from './fixed-window.ts';

/** `owed`: requests counted here that are missing in the shared count. */
export type KnownCount = Window & { readonly owed: number };

/**
 * The window if the client is certainly over its limit: counts only increase until a window ends. Undefined while requests are owed: they
 * must be sent to the store first, so that the other replicas learn of them.
 */
export function surelyOver(known: KnownCount | undefined, limit: Limit, nowMs: number): Window | undefined {
  if (windowHasEnded(known, nowMs) || known.owed > 0 || known.count < limit.requests) return undefined;
  return { count: known.count + 1, endsAtMs: known.endsAtMs };
}

/**
 * What the store must add for one more request. An owed count includes the end of its window; otherwise its client could be blocked for
 * longer than one window.
 */
export function toAdd(
  known: KnownCount | undefined,
  limit: Limit,
  nowMs: number,
): { readonly requests: number; readonly windowSeconds: number } {
  if (windowHasEnded(known, nowMs) || known.owed === 0)
    return { requests: 1, windowSeconds: limit.windowSeconds };
  return { requests: 1 + known.owed, windowSeconds: Math.ceil((known.endsAtMs - nowMs) / 1_000) };
}

export function withoutDebt(known: KnownCount | undefined): KnownCount | undefined {
  return known === undefined || known.owed === 0 ? known : { ...known, owed: 0 };
}

/** Answers can arrive out of order; for the same window, the highest count is the latest. */
export function withSharedCount(known: KnownCount | undefined, shared: Window, nowMs: number): KnownCount {
  if (windowHasEnded(known, nowMs)) return { ...shared, owed: 0 };
  return known.count >= shared.count ? known : { ...shared, owed: known.owed };
}

/** Counts one more request here. `owes`: how many the store misses with it; 0 if the store may already contain it, or if there is no store. */
export function countHere(
  known: KnownCount | undefined,
  limit: Limit,
  o: { nowMs: number; owes: number },
): KnownCount {
  const owed = windowHasEnded(known, o.nowMs) ? 0 : known.owed;
  const { count, endsAtMs } = countIn(known, limit, o.nowMs);
  return { count, endsAtMs, owed: owed + o.owes };
}
