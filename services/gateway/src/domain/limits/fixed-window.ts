/** Counting a client's requests in windows of a fixed length: the arithmetic of every rate limit (specification, Limits). */

/** What one client may do; `name` is told to callers and keeps the counts of two limits apart. */
export type Limit = { readonly name: string; readonly requests: number; readonly windowSeconds: number };

/** Where a client stands after a request. `resetSeconds`, rounded up, until a new window begins. */
export type Standing = {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  readonly resetSeconds: number;
};

/** The requests of one client, refused ones too, since the first of them, and when that is forgotten. */
export type Window = { readonly count: number; readonly endsAtMs: number };

/** A window begins with a client's first request, not with the minute of a clock: nobody knows when to come twice. */
export function countIn(window: Window | undefined, limit: Limit, nowMs: number): Window {
  return isOver(window, nowMs)
    ? { count: 1, endsAtMs: nowMs + limit.windowSeconds * 1_000 }
    : { count: window.count + 1, endsAtMs: window.endsAtMs };
}

export function isOver(window: Window | undefined, nowMs: number): window is undefined {
  return window === undefined || window.endsAtMs <= nowMs;
}

export function standingIn(window: Window, limit: Limit, nowMs: number): Standing {
  return {
    allowed: window.count <= limit.requests,
    limit: limit.requests,
    remaining: Math.max(0, limit.requests - window.count),
    resetSeconds: Math.max(1, Math.ceil((window.endsAtMs - nowMs) / 1_000)),
  };
}
