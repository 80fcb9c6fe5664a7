/** Counts a client's requests in fixed windows: the arithmetic of all rate limits (specification, Limits). */

/** The limit for one client. `name` is shown to callers and separates the counts of different limits. */
export type Limit = { readonly name: string; readonly requests: number; readonly windowSeconds: number };

/** The state of a client's limit after a request. `resetSeconds` is the time until a new window begins, rounded up. */
export type LimitState = {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  readonly resetSeconds: number;
};

/** The number of requests since the window's first one, including refused ones, and when the window ends. */
export type Window = { readonly count: number; readonly endsAtMs: number };

/**
 * A window begins with the client's first request and not at a full minute, so clients cannot use two windows' requests around a known
 * time.
 */
export function countIn(window: Window | undefined, limit: Limit, nowMs: number): Window {
  return windowHasEnded(window, nowMs)
    ? { count: 1, endsAtMs: nowMs + limit.windowSeconds * 1_000 }
    : { count: window.count + 1, endsAtMs: window.endsAtMs };
}

export function windowHasEnded(window: Window | undefined, nowMs: number): window is undefined {
  return window === undefined || window.endsAtMs <= nowMs;
}

export function limitState(window: Window, limit: Limit, nowMs: number): LimitState {
  return {
    allowed: window.count <= limit.requests,
    limit: limit.requests,
    remaining: Math.max(0, limit.requests - window.count),
    resetSeconds: Math.max(1, Math.ceil((window.endsAtMs - nowMs) / 1_000)),
  };
}
