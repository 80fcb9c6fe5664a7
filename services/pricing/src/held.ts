/**
 * A copy in memory of something small that lies in MongoDB. Every replica holds its own, so that estimates need no round trip
 * and go on while MongoDB is away.
 */
import type { Logger } from '@offer-ads/platform/telemetry/logging';

export type Held<T> = {
  readonly current: () => T;
  /** Reads it anew; when that fails, what is held stays. */
  readonly refresh: () => Promise<void>;
};

/** Reads it for the first time: who starts without MongoDB has nothing to go on with, and fails. */
export async function hold<T>(read: () => Promise<T>): Promise<Held<T>> {
  let current = await read();
  let begun = 0;
  let shown = 0;
  return {
    current: () => current,
    refresh: async () => {
      begun += 1;
      const turn = begun;
      const value = await read();
      // Of two reads at once the one that began later knows more, whichever ends first.
      if (turn < shown) return;
      shown = turn;
      current = value;
    },
  };
}

/** Work of a loop, by which every replica sees what others changed; it says once that it cannot, and once that it can again. */
export function keepFresh(
  held: readonly Pick<Held<unknown>, 'refresh'>[],
  logger: Logger,
): () => Promise<void> {
  let failing = false;
  return async () => {
    try {
      await Promise.all(held.map((each) => each.refresh()));
      if (failing) logger.info('rates and interests are followed again');
      failing = false;
    } catch (error) {
      if (!failing)
        logger.warn({ error }, 'rates and interests stay as they are held: MongoDB cannot be read');
      failing = true;
    }
  };
}
