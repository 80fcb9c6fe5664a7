/** The session for its page, and its cookie. */
import type { SessionReply } from '@offer-ads/contracts/portal/session-api';
import type { SessionCookie } from '@offer-ads/platform/pages/session-cookie';
import type { Response } from 'express';
import { permissionsOf } from '../../domain/accounts/roles.ts';
import { endOf } from '../../domain/accounts/session.ts';
import type { Sessions } from '../../sign-in/sessions.ts';
import type { FoundSession } from '../../sign-in/sessions-store.ts';

/** After a new token was made: the current session, and the cookie. */
export async function replyWithSession(
  res: Response,
  o: { sessions: Sessions; cookie: SessionCookie; token: string; at: Date },
): Promise<void> {
  const session = await o.sessions.look(o.token);
  const reply = session === null ? null : await describeSession(o.sessions, session, o.at);
  // The session ended in this moment.
  if (session === null || reply === null) return void res.status(401).json({ message: 'Sign in first' });
  o.cookie.set(res, o.token, session.expiresAt.getTime() - o.at.getTime());
  res.json(reply);
}

export async function describeSession(
  sessions: Sessions,
  session: FoundSession,
  at: Date,
): Promise<SessionReply | null> {
  const open = await sessions.organisationsOf(session.address);
  const here = open.find(({ personId }) => personId === session.personId);
  if (here === undefined) return null;
  const { id, name, tradingName, country, currency, approved } = here;
  return {
    person: { id: session.personId, email: session.email },
    organisation: { id, name, tradingName, country, currency, approved },
    role: session.role,
    permissions: [...permissionsOf(session.role)],
    otherOrganisations: open
      .filter((other) => other !== here)
      .map(({ id, name, tradingName, role }) => ({ id, name, tradingName, role })),
    csrfToken: session.csrfToken,
    // This request counts as a use, even if it was not stored.
    expiresAt: endOf({ lastUsedAt: at, expiresAt: session.expiresAt }).toISOString(),
  };
}
