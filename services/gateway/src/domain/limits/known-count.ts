/**
 * What a replica knows of a count that the replicas share: enough to refuse without asking, to go on when the store is
 * away, and to bring what was counted meanwhile when it is back.
 */
import { countIn, isOver, type Limit, type Window } from './fixed-window.ts';

/** `owed`: requests counted here that the shared count does not hold. */
export type KnownCount = Window & { readonly owed: number };

/**
 * The window when its client is over the limit whatever the store would say: counts only rise until a window ends. Not
 * while something is owed, so that the other replicas learn of it.
 */
export function surelyOver(known: KnownCount | undefined, limit: Limit, nowMs: number): Window | undefined {
  if (isOver(known, nowMs) || known.owed > 0 || known.count < limit.requests) return undefined;
  return { count: known.count + 1, endsAtMs: known.endsAtMs };
}

/**
 * What to ask the store to add for one more request. A count that is owed brings the end of its window along, or whoever
 * was counted here would be held to it for longer than a window.
 */
export function toAdd(
  known: KnownCount | undefined,
  limit: Limit,
  nowMs: number,
): { readonly requests: number; readonly windowSeconds: number } {
  if (isOver(known, nowMs) || known.owed === 0) return { requests: 1, windowSeconds: limit.windowSeconds };
  return { requests: 1 + known.owed, windowSeconds: Math.ceil((known.endsAtMs - nowMs) / 1_000) };
}

export function withoutDebt(known: KnownCount | undefined): KnownCount | undefined {
  return known === undefined || known.owed === 0 ? known : { ...known, owed: 0 };
}

/** Answers may overtake each other; of those about one window the highest count is the latest. */
export function learn(known: KnownCount | undefined, told: Window, nowMs: number): KnownCount {
  if (isOver(known, nowMs)) return { ...told, owed: 0 };
  return known.count >= told.count ? known : { ...told, owed: known.owed };
}

/** One more request, counted here. `owes` is 0 when the store may hold it already: it was asked, or there is none. */
export function countHere(
  known: KnownCount | undefined,
  limit: Limit,
  o: { nowMs: number; owes: 0 | 1 },
): KnownCount {
  const owed = isOver(known, o.nowMs) ? 0 : known.owed;
  const { count, endsAtMs } = countIn(known, limit, o.nowMs);
  return { count, endsAtMs, owed: owed + o.owes };
}
