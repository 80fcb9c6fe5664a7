/** The lifetime of a console session. */
const minuteMs = 60_000;

export const consoleLifetimes = {
  /** A screen that is left unattended signs out after half an hour. */
  idleMs: 30 * minuteMs,
  /** A working day. */
  absoluteMs: 8 * 60 * minuteMs,
} as const;

export type SessionTimes = { readonly openedAtMs: number; readonly lastUsedAtMs: number };

/** The end of the session if it is not used again. */
export function endOf({ openedAtMs, lastUsedAtMs }: SessionTimes): number {
  return Math.min(openedAtMs + consoleLifetimes.absoluteMs, lastUsedAtMs + consoleLifetimes.idleMs);
}
