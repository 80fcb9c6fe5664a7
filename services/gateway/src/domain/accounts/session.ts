/** How long a portal session lives, and what a token that is shown means. */

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

export const sessionLifetimes = {
  /** A working day: who comes back the next morning asks for a new link. */
  idleMs: 12 * hourMs,
  absoluteMs: 7 * 24 * hourMs,
  rotateEveryMs: 15 * minuteMs,
  /** Requests that were under way when the token changed still carry the old one. */
  graceMs: 30_000,
  /** Uses within a minute are written down once. */
  noteUseEveryMs: minuteMs,
} as const;

/** Sessions of one address; a new one ends the one that was used longest ago. */
export const mostSessions = 20;

export type SessionState = {
  readonly rotatedAt: Date;
  /** When the present token was first shown; null while the browser may not have received it. */
  readonly confirmedAt: Date | null;
  readonly lastUsedAt: Date;
  readonly expiresAt: Date;
  /** Whether person and organisation are enabled and the person still has the address that was proven. */
  readonly memberInForce: boolean;
};

/** Which of a session's two tokens was shown. */
export type ShownToken = 'present' | 'previous';

/** What a use of a session asks for. */
export type Upkeep = 'nothing' | 'note-use' | 'confirm' | 'rotate' | 'send-again';

export type SessionVerdict =
  | { readonly live: true; readonly todo: Upkeep }
  | { readonly live: false; readonly reason: 'expired' | 'member-disabled' | 'token-stolen' };

/**
 * A token that was replaced is good for a moment more, counted from when the new one was first shown. Shown later, two
 * hold the session, one of them wrongly: it ends. As long as nobody has shown the new one, the reply that carried it
 * may be lost (a page reloaded, a train in a tunnel), and the old one is given the same new one again.
 */
export function judgeSession(session: SessionState, shown: ShownToken, at: Date): SessionVerdict {
  if (!session.memberInForce) return { live: false, reason: 'member-disabled' };
  if (at >= endOf(session)) return { live: false, reason: 'expired' };
  return shown === 'present' ? judgePresent(session, at) : judgePrevious(session, at);
}

/** When the session ends unless it is used again. */
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
