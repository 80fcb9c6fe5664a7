/** Console sessions in memory: only one console runs, and a restart signs everybody out. */
import { createHash, randomBytes } from 'node:crypto';
import type { Person } from './sign-in/person.ts';
import type { Staff } from './staff.ts';

const minuteMs = 60_000;
/** A screen that is left unattended signs out after half an hour. */
const idleMs = 30 * minuteMs;
/** A working day. The cookie lives as long in the browser. A person who was removed at the sign-in service is out after this time at the latest. */
export const longestMs: number = 8 * 60 * minuteMs;

export type ConsoleSession = {
  readonly openedAtMs: number;
  readonly lastUsedAtMs: number;
  readonly csrfToken: string;
} & Opened;

type Opened = {
  readonly person: Person;
  /** For the sign-out at the sign-in service. */
  readonly idToken: string | null;
  /** Of an emergency token: the session ends when the token is no longer in the setting. */
  readonly proof: Buffer | null;
};

export type Sessions = {
  /** Returns the token for the cookie. */
  readonly open: (opened: Opened, now: Date) => string;
  /** Null when the session does not exist, has ended, or its emergency token is no longer accepted. Extends the session. */
  readonly find: (token: string, now: Date) => ConsoleSession | null;
  readonly end: (token: string) => void;
};

/** Sessions per person; a further one ends the least recently used one. */
const maxOfOne = 5;

/** @param staff who may use an emergency token at this moment */
export function keepSessions(staff: () => Staff): Sessions {
  const sessions = new Map<string, ConsoleSession & { lastUsedAtMs: number }>();
  const forgetOver = (nowMs: number) => {
    for (const [key, session] of sessions) if (nowMs >= endOf(session)) sessions.delete(key);
  };
  return {
    open: (opened, now) => {
      const nowMs = now.getTime();
      forgetOver(nowMs);
      const own = [...sessions].filter(([, { person }]) => isSame(person, opened.person));
      const oldest = own.toSorted(([, a], [, b]) => a.lastUsedAtMs - b.lastUsedAtMs)[0];
      if (own.length >= maxOfOne && oldest !== undefined) sessions.delete(oldest[0]);
      const token = randomText();
      sessions.set(keyOf(token), {
        ...opened,
        csrfToken: randomText(),
        openedAtMs: nowMs,
        lastUsedAtMs: nowMs,
      });
      return token;
    },
    find: (token, now) => {
      const session = sessions.get(keyOf(token));
      if (session === undefined) return null;
      const { person, proof } = session;
      const isStaff = proof === null || staff().has(person.name, proof);
      if (now.getTime() >= endOf(session) || !isStaff) {
        sessions.delete(keyOf(token));
        return null;
      }
      session.lastUsedAtMs = now.getTime();
      return session;
    },
    end: (token) => void sessions.delete(keyOf(token)),
  };
}

/** The end of the session if it is not used again. */
function endOf({ openedAtMs, lastUsedAtMs }: ConsoleSession): number {
  return Math.min(openedAtMs + longestMs, lastUsedAtMs + idleMs);
}

function isSame(one: Person, other: Person): boolean {
  return one.subject === other.subject && one.name === other.name;
}

function randomText(): string {
  return randomBytes(32).toString('base64url');
}

/** A hash: stored keys are useless to a thief, and the time of a look-up reveals nothing about the token. */
function keyOf(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}
