/** Portal sessions: opened by a sign-in, checked and renewed by requests, ended. */
import type { Deadline } from '@offer-ads/platform/calls/deadline';
import type { Postgres, Transaction } from '@offer-ads/platform/postgres/postgres';
import { removeOlder } from '@offer-ads/platform/postgres/removing';
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import { beginJoining } from '../accounts/change-organisation.ts';
import { judgeSession, sessionLifetimes, type Upkeep } from '../domain/accounts/session.ts';
import { subjectSemaphore } from '../subject-semaphore.ts';
import * as store from './sessions-store.ts';
import { findPersonAt, lockMemberships, noteSignIn } from './sign-in-store.ts';
import { followingToken, newSalt, newToken, sha256OfToken } from './sign-in-tokens.ts';

/** A session during one request. */
export type SignedIn = {
  readonly session: store.FoundSession;
  /** The token that the browser sent. */
  readonly token: string;
  /** The token for a new cookie; null if the browser keeps the one it has. */
  readonly nextToken: string | null;
};

export type Sessions = ReturnType<typeof manageSessions>;

export function manageSessions(o: { postgres: Postgres; logger: Logger }) {
  const { postgres, logger } = o;
  const ofOneAddress = subjectSemaphore('sessions of an address');
  const inTransaction = <T>(
    address: string,
    deadline: Deadline,
    work: (tx: Transaction) => Promise<T>,
  ): Promise<T> => ofOneAddress(address, () => postgres.transaction(work, deadline));
  return {
    find: async (token: string, at: Date): Promise<SignedIn | null> => {
      const session = await store.findSession(postgres, sha256OfToken(token));
      if (session === null) return null;
      const verdict = judgeSession(session, session.shown, at);
      if (verdict.live)
        return { session, token, nextToken: await keep(postgres, session, { ...verdict, token, at }) };
      // Deleted, so that it does not work again when the person is enabled again.
      await store.deleteSession(postgres, session.id);
      const level = verdict.reason === 'token-stolen' ? 'warn' : 'info';
      logger[level](
        { sessionId: session.id, personId: session.personId, reason: verdict.reason },
        'portal session ended',
      );
      return null;
    },

    /** Does not count as a use: the browser does not have the token yet. */
    look: (token: string) => store.findSession(postgres, sha256OfToken(token)),

    /** Null if the address does not belong to that organisation. */
    switchTo: (
      signedIn: SignedIn,
      organisationId: number,
      at: Date,
      deadline: Deadline,
    ): Promise<string | null> =>
      inTransaction(signedIn.session.address, deadline, async (tx) => {
        const { session, token } = signedIn;
        const there = await findPersonAt(tx, { email: session.address, organisationId });
        const announceJoining = there === null ? null : await beginJoining(tx, there);
        // Locks people before sessions, as ending sessions does, so that the two cannot deadlock.
        const memberships = await lockMemberships(tx, session.address);
        const target = memberships.find((membership) => membership.organisationId === organisationId);
        if (target === undefined) return null;
        const salt = newSalt();
        const nextToken = followingToken(token, salt);
        const changed = await store.changePerson(tx, {
          id: session.id,
          shownSha256: sha256OfToken(token),
          nextSha256: sha256OfToken(nextToken),
          salt,
          at,
          personId: target.personId,
          // A page that still shows the other organisation must not change this one.
          csrfToken: newToken(),
        });
        if (!changed) return null;
        await noteSignIn(tx, { personId: target.personId, at });
        await announceJoining?.(at);
        return nextToken;
      }),

    organisationsOf: (address: string) => store.listOrganisationsOf(postgres, address),

    list: (address: string, at: Date) =>
      store.listSessions(postgres, { address, at, usedAfter: before(at, sessionLifetimes.idleMs) }),

    end: (o: { id: string; address: string }) => store.deleteSessionOf(postgres, o),

    /** Under the lock of sign-ins, so that no running sign-in is missed. */
    endAll: (address: string, deadline: Deadline): Promise<void> =>
      inTransaction(address, deadline, async (tx) => {
        await lockMemberships(tx, address);
        await store.deleteSessionsOf(tx, address);
      }),
  };
}

/** Called in the transaction of a sign-in, under the lock of the address's memberships. Returns the token. */
export async function openSession(
  tx: Transaction,
  o: { personId: number; address: string; at: Date },
): Promise<string> {
  const token = newToken();
  await store.insertSession(tx, {
    personId: o.personId,
    address: o.address,
    sha256: sha256OfToken(token),
    csrfToken: newToken(),
    at: o.at,
    expiresAt: new Date(o.at.getTime() + sessionLifetimes.absoluteMs),
  });
  await store.endSessionsBeyondMost(tx, o.address);
  return token;
}

/** Removes expired sessions; look-ups already refuse them before. */
export async function removeExpired(postgres: Postgres, at: Date, signal: AbortSignal): Promise<void> {
  const sessions = { table: 'portal_sessions', key: 'id' };
  await removeOlder(postgres, { ...sessions, time: 'expires_at', before: at }, signal);
  const unusedSince = before(at, sessionLifetimes.idleMs);
  await removeOlder(postgres, { ...sessions, time: 'last_used_at', before: unusedSince }, signal);
}

/** Does what the verdict says; returns the browser's new token, if any. */
async function keep(
  postgres: Postgres,
  session: store.FoundSession,
  o: { todo: Upkeep; token: string; at: Date },
): Promise<string | null> {
  const { id } = session;
  const { at, token } = o;
  switch (o.todo) {
    case 'nothing':
      return null;
    case 'note-use':
      await store.noteUse(postgres, { id, at });
      return null;
    case 'confirm':
      await store.confirmToken(postgres, { id, sha256: sha256OfToken(token), at });
      return null;
    case 'send-again':
      await store.noteUse(postgres, { id, at });
      return session.rotationSalt === null ? null : followingToken(token, session.rotationSalt);
    case 'rotate': {
      const salt = newSalt();
      const nextToken = followingToken(token, salt);
      const rotated = await store.rotateToken(postgres, {
        id,
        shownSha256: sha256OfToken(token),
        nextSha256: sha256OfToken(nextToken),
        salt,
        at,
      });
      return rotated ? nextToken : null;
    }
  }
}

function before(at: Date, durationMs: number): Date {
  return new Date(at.getTime() - durationMs);
}
