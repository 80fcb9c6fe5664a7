/** How often one may try to sign in: a token cannot be guessed, and nobody is to fill the log with attempts. */

export type Attempts = {
  /** Whether another one may be made; counts it. */
  readonly admit: (from: string, now: Date) => boolean;
  /** Who has got in has all attempts again. */
  readonly forget: (from: string) => void;
};

const WINDOW_MS = 10 * 60_000;
const MOST_OF_ONE = 10;
/** Over all addresses: behind a proxy there is but one, and a network of many is one that attacks. */
const MOST_IN_ALL = 100;

/** @param from an address of the peer, of which as many are kept as attempts are admitted */
export function countAttempts(): Attempts {
  let windowFrom = -Infinity;
  let all = 0;
  let byAddress = new Map<string, number>();
  return {
    admit: (from, now) => {
      if (now.getTime() - windowFrom >= WINDOW_MS) {
        windowFrom = now.getTime();
        all = 0;
        byAddress = new Map();
      }
      const made = byAddress.get(from) ?? 0;
      if (made >= MOST_OF_ONE || all >= MOST_IN_ALL) return false;
      byAddress.set(from, made + 1);
      all += 1;
      return true;
    },
    forget: (from) => {
      all -= byAddress.get(from) ?? 0;
      byAddress.delete(from);
    },
  };
}

export const retryAfterSeconds: number = WINDOW_MS / 1_000;
