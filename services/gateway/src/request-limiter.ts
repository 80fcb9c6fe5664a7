/** Counts requests against limits: in memory for one replica. */
import { type ClientWindows, rememberWindows } from './client-windows.ts';
import type { Limit, Standing } from './domain/fixed-window.ts';
import { countIn, standingIn } from './domain/fixed-window.ts';

export type { Limit, Standing };

export type RequestLimiter = AsyncDisposable & {
  /**
   * Counts one request of `client`, whatever comes of it, and says whether it is within the limit. Two limits of one
   * name share their counts. Never throws. `client` is kept for the length of the window: hash what is secret.
   */
  readonly consume: (limit: Limit, client: string) => Promise<Standing>;
};

/** `elapsedMs`, in whole milliseconds, only ever rises, unlike the time of day, which may be set back. */
export function startRequestLimiter(o: { elapsedMs?: (() => number) | undefined } = {}): RequestLimiter {
  const elapsedMs = o.elapsedMs ?? (() => Math.floor(performance.now()));
  const byName = new Map<string, ClientWindows>();
  const windowsOf = ({ name, windowSeconds }: Limit): ClientWindows => {
    const known = byName.get(name);
    if (known !== undefined) return known;
    const windows = rememberWindows({ windowMs: windowSeconds * 1_000 });
    byName.set(name, windows);
    return windows;
  };
  return {
    consume: async (limit, client) => {
      const nowMs = elapsedMs();
      const windows = windowsOf(limit);
      const window = countIn(windows.get(client), limit, nowMs);
      windows.set(client, window, nowMs);
      return standingIn(window, limit, nowMs);
    },
    [Symbol.asyncDispose]: async () => {},
  };
}
