/**
 * How often one may try to sign in: a token is not to be guessed. Counted for a name at an address, so that neither a colleague's
 * mistakes nor made-up names keep others out who come from the same address, as all do behind a proxy. A name that nobody has is
 * counted like any other, so that the answers do not tell who is staff.
 */

export type Attempts = {
  /** Whether another one may be made; counts it. */
  readonly admit: (who: Attempt, now: Date) => boolean;
  /** Who has got in has all attempts again. */
  readonly forget: (who: Attempt) => void;
};

/** `name` as it was sent, `from` the address of the peer. */
export type Attempt = { readonly name: string; readonly from: string };

const WINDOW_MS = 10 * 60_000;
/** Beside tokens of 32 characters or more, any small number will do. */
const MOST_ATTEMPTS = 10;
/** A few megabytes. Beyond it what was begun longest ago is forgotten: it takes a thousand requests to gain one attempt. */
const MOST_COUNTED = 10_000;

export function countAttempts(): Attempts {
  /** The oldest window first. */
  const windows = new Map<string, { readonly fromMs: number; made: number }>();
  const keyOf = ({ name, from }: Attempt) => JSON.stringify([name, from]);
  return {
    admit: (who, now) => {
      const nowMs = now.getTime();
      const key = keyOf(who);
      const known = windows.get(key);
      if (known !== undefined && nowMs - known.fromMs < WINDOW_MS) {
        known.made += 1;
        return known.made <= MOST_ATTEMPTS;
      }
      windows.delete(key);
      windows.set(key, { fromMs: nowMs, made: 1 });
      if (windows.size > MOST_COUNTED) windows.delete(windows.keys().next().value ?? key);
      return true;
    },
    forget: (who) => void windows.delete(keyOf(who)),
  };
}

export const retryAfterSeconds: number = WINDOW_MS / 1_000;
