/** How long a portal session lives, and what a shown token means. */

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

export const sessionLifetimes = {
  /** A working day; the next morning, people ask for a new link. */
  idleMs: 12 * hourMs,
  absoluteMs: 7 * 24 * hourMs,
  rotateEveryMs: 15 * minuteMs,
  /** Requests that were running when the token changed still carry the old one. */
  graceMs: 30_000,
  /** Uses within a minute are stored once. */
  noteUseEveryMs: minuteMs,
} as const;

/** Sessions per address; a new one ends the least recently used one. */
export const maxSessions = 20;

export type SessionState = {
  readonly rotatedAt: Date;
  /** When the present token was first shown; null while the browser may not have received it. */
  readonly confirmedAt: Date | null;
  readonly lastUsedAt: Date;
  readonly expiresAt: Date;
  /** Whether person and organisation are enabled, and the person still has the proven address. */
  readonly memberInForce: boolean;
};

/** Which of the session's two tokens was shown. */
export type ShownToken = 'present' | 'previous';

/** What the store must do after this use of the session. */
export type Upkeep = 'nothing' | 'note-use' | 'confirm' | 'rotate' | 'send-again';

export type SessionVerdict =
  | { readonly live: true; readonly todo: Upkeep }
  | { readonly live: false; readonly reason: 'expired' | 'member-disabled' | 'token-stolen' };

/**
 * A replaced token stays valid for a short time after the new one is first shown. If it is shown later, two parties have the session, and
 * one of them has stolen it, so the session ends. As long as the new token was never shown, its reply may have been lost (a reloaded page,
 * a train in a tunnel), and the old token gets the same new one again.
 */
export function judgeSession(session: SessionState, shown: ShownToken, at: Date): SessionVerdict {
  if (!session.memberInForce) return { live: false, reason: 'member-disabled' };
  if (at >= endOf(session)) return { live: false, reason: 'expired' };
  return shown === 'present' ? judgePresent(session, at) : judgePrevious(session, at);
}

/** When the session ends if it is not used again. */
export function endOf(session: Pick<SessionState, 'lastUsedAt' | 'expiresAt'>): Date {
  return new Date(
    Math.min(session.lastUsedAt.getTime() + sessionLifetimes.idleMs, session.expiresAt.getTime()),
  );
}

function judgePresent(session: SessionState, at: Date): SessionVerdict {
  if (session.confirmedAt === null) return { live: true, todo: 'confirm' };
  if (hasPassed(session.rotatedAt, sessionLifetimes.rotateEveryMs, at)) return { live: true, todo: 'rotate' };
  if (hasPassed(session.lastUsedAt, sessionLifetimes.noteUseEveryMs, at)) {
    return { live: true, todo: 'note-use' };
  }
  return { live: true, todo: 'nothing' };
}

function judgePrevious(session: SessionState, at: Date): SessionVerdict {
  const { graceMs } = sessionLifetimes;
  if (!hasPassed(session.confirmedAt ?? session.rotatedAt, graceMs, at))
    return { live: true, todo: 'nothing' };
  return session.confirmedAt === null
    ? { live: true, todo: 'send-again' }
    : { live: false, reason: 'token-stolen' };
}

function hasPassed(since: Date, durationMs: number, at: Date): boolean {
  return at.getTime() - since.getTime() >= durationMs;
}
