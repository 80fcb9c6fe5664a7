/** The windows of recent clients, in limited memory and without a timer per client. */
import type { Window } from '../domain/limits/fixed-window.ts';

export type ClientWindows<W extends Window = Window> = {
  readonly get: (client: string) => W | undefined;
  readonly set: (client: string, window: W, nowMs: number) => void;
};

/**
 * About 40 MB when full, which needs that many addresses within two windows. Above it, the older half is dropped: those clients
 * start again, nobody is refused because of others, and memory does not grow.
 */
const maxClientsByDefault = 200_000;

/**
 * Two generations: `older` is dropped when `newer` has lasted one window or is full. A running window is in one of the two, and moves to
 * `newer` with its client's next request.
 */
export function rememberWindows<W extends Window = Window>(o: {
  /** The longest duration of a window. */
  windowMs: number;
  maxClients?: number | undefined;
}): ClientWindows<W> {
  const maxInGeneration = (o.maxClients ?? maxClientsByDefault) / 2;
  let newer = new Map<string, W>();
  let older = new Map<string, W>();
  let newerSinceMs = Number.NEGATIVE_INFINITY;

  return {
    get: (client) => newer.get(client) ?? older.get(client),
    set: (client, window, nowMs) => {
      if (nowMs - newerSinceMs >= o.windowMs || newer.size >= maxInGeneration) {
        older = newer;
        newer = new Map();
        newerSinceMs = nowMs;
      }
      newer.set(client, window);
    },
  };
}
