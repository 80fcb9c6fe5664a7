/** How long a session of the console lives. */
const minuteMs = 60_000;

export const consoleLifetimes = {
  /** A screen that was left alone over lunch is nobody's any more. */
  idleMs: 30 * minuteMs,
  /** A working day. */
  absoluteMs: 8 * 60 * minuteMs,
} as const;

export type SessionTimes = { readonly openedAtMs: number; readonly lastUsedAtMs: number };

/** When it ends unless it is used again. */
export function endOf({ openedAtMs, lastUsedAtMs }: SessionTimes): number {
  return Math.min(openedAtMs + consoleLifetimes.absoluteMs, lastUsedAtMs + consoleLifetimes.idleMs);
}
