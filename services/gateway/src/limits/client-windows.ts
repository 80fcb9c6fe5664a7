/** The windows of the clients seen lately, in bounded memory and without a timer per client. */
import type { Window } from '../domain/limits/fixed-window.ts';

export type ClientWindows<W extends Window = Window> = {
  readonly get: (client: string) => W | undefined;
  readonly set: (client: string, window: W, nowMs: number) => void;
};

/**
 * About 40 MB when full, which takes as many addresses within two windows. Beyond it the half that was set longest ago
 * is forgotten: its clients begin anew, nobody is refused for what others do, and memory stays where it is.
 */
const mostClientsByDefault = 200_000;

/**
 * Two generations: `older` is dropped whole when `newer` has lasted one window, or is full. A window that still runs
 * was set in one of the two, and comes into `newer` again with its client's next request.
 */
export function rememberWindows<W extends Window = Window>(o: {
  /** The longest that a window lasts. */
  windowMs: number;
  mostClients?: number | undefined;
}): ClientWindows<W> {
  const mostInGeneration = (o.mostClients ?? mostClientsByDefault) / 2;
  let newer = new Map<string, W>();
  let older = new Map<string, W>();
  let newerSinceMs = Number.NEGATIVE_INFINITY;

  return {
    get: (client) => newer.get(client) ?? older.get(client),
    set: (client, window, nowMs) => {
      if (nowMs - newerSinceMs >= o.windowMs || newer.size >= mostInGeneration) {
        older = newer;
        newer = new Map();
        newerSinceMs = nowMs;
      }
      newer.set(client, window);
    },
  };
}
