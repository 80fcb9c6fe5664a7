/**
 * Limits sign-in attempts, so that tokens cannot be guessed. Attempts are counted per name and address. Behind a proxy all people have the
 * same address, so one person's mistakes or made-up names must not lock out the others. Unknown names are counted like known ones, so
 * that the answers do not show who is staff.
 */

export type Attempts = {
  /** Counts an attempt. Returns whether it is allowed. */
  readonly admit: (who: Attempt, now: Date) => boolean;
  /** Call it after a successful sign-in: resets the count. */
  readonly forget: (who: Attempt) => void;
};

/** `name`: as sent; `from`: the IP address of the peer. */
export type Attempt = { readonly name: string; readonly from: string };

const WINDOW_MS = 10 * 60_000;
/** Any small number is safe, because tokens have at least 32 characters. */
const MAX_ATTEMPTS = 10;
/** A few megabytes. Beyond it the oldest counts are deleted: an attacker needs a thousand requests to gain one attempt. */
const MAX_COUNTED = 10_000;

export function countAttempts(): Attempts {
  /** Oldest window first. */
  const windows = new Map<string, { readonly fromMs: number; made: number }>();
  const keyOf = ({ name, from }: Attempt) => JSON.stringify([name, from]);
  return {
    admit: (who, now) => {
      const nowMs = now.getTime();
      const key = keyOf(who);
      const known = windows.get(key);
      if (known !== undefined && nowMs - known.fromMs < WINDOW_MS) {
        known.made += 1;
        return known.made <= MAX_ATTEMPTS;
      }
      windows.delete(key);
      windows.set(key, { fromMs: nowMs, made: 1 });
      if (windows.size > MAX_COUNTED) windows.delete(windows.keys().next().value ?? key);
      return true;
    },
    forget: (who) => void windows.delete(keyOf(who)),
  };
}

export const retryAfterSeconds: number = WINDOW_MS / 1_000;
