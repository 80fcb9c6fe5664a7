/** The session for its page, and its cookie. */
import { type SessionReply, signInCompletion } from '@offer-ads/contracts/portal/session-api';
import { requestFacts } from '@offer-ads/platform/http/request';
import { validInput } from '@offer-ads/platform/http/valid-input';
import type { SessionCookie } from '@offer-ads/platform/pages/session-cookie';
import type { Request, RequestHandler, Response } from 'express';
import { permissionsOf } from '../../domain/accounts/roles.ts';
import { endOf } from '../../domain/accounts/session.ts';
import type { Sessions } from '../../sign-in/sessions.ts';
import type { FoundSession } from '../../sign-in/sessions-store.ts';
import type { Completion } from '../../sign-in/sign-in.ts';
import { commitDeadline } from './portal-time.ts';

/** What a link from a mail is used for: `complete` makes the token of a session of it, or null, which is answered with `refusal`. */
export function completeWithLink(o: {
  sessions: Sessions;
  cookie: SessionCookie;
  complete: (completion: Completion) => Promise<string | null>;
  refusal: { readonly message: string };
}): RequestHandler {
  return async (req: Request, res: Response) => {
    const { token } = validInput(signInCompletion, req.body);
    const at = requestFacts(req).receivedAt;
    const opened = await o.complete({
      token,
      replacing: o.cookie.read(req),
      at,
      deadline: commitDeadline(req),
    });
    if (opened === null) res.status(401).json(o.refusal);
    else await replyWithSession(res, { ...o, token: opened, at });
  };
}

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
  const { id, name, tradingName, country, currency, approved, withdrawnAt, withdrawnBecause } = here;
  const withdrawal =
    approved || withdrawnAt === null || withdrawnBecause === null
      ? null
      : { at: withdrawnAt.toISOString(), reason: withdrawnBecause };
  return {
    person: { id: session.personId, email: session.email },
    organisation: { id, name, tradingName, country, currency, approved, withdrawal },
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
