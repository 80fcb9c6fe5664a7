/** The signed-in person, read for every request, so that disabling a person or organisation takes effect at once. */
import type { Role } from '@offer-ads/contracts/events/gateway';
import { requestFacts } from '@offer-ads/platform/http/request';
import { refuseForeignOrigins, requireCsrfToken } from '@offer-ads/platform/pages/csrf';
import type { SessionCookie } from '@offer-ads/platform/pages/session-cookie';
import type { Request, RequestHandler } from 'express';
import type { Change } from '../../accounts/change-organisation.ts';
import { may, type Permission } from '../../domain/accounts/roles.ts';
import type { ClientIp } from '../../public-api/client-ip.ts';
import { networkOf } from '../../public-api/client-ip.ts';
import type { RequestLimiter } from '../../public-api/request-limiter.ts';
import type { Sessions, SignedIn } from '../../sign-in/sessions.ts';
import { isToken } from '../../sign-in/sign-in-tokens.ts';
import { limitRequests, portalLimits } from './portal-limits.ts';
import { commitDeadline } from './portal-time.ts';

export type Member = {
  readonly sessionId: string;
  readonly personId: number;
  readonly email: string;
  readonly role: Role;
  readonly organisationId: number;
};

const known = new WeakMap<Request, SignedIn>();

/** Only after `requireSession`. */
export function memberOf(req: Request): Member {
  const { id, personId, email, role, organisationId } = signedInOf(req).session;
  return { sessionId: id, personId, email, role, organisationId };
}

/** A change by the member, of the member's organisation. */
export function changeBy(req: Request): Change {
  const { personId, organisationId } = memberOf(req);
  return { organisationId, by: { personId }, deadline: commitDeadline(req) };
}

/** The member as the audit log names them: without their address. */
export function auditActor(req: Request) {
  const { personId, role } = memberOf(req);
  return { actor: `people/${personId}`, subject: null, roles: [role], via: 'portal' } as const;
}

/** The same, with what only the session routes need. */
export function signedInOf(req: Request): SignedIn {
  const signedIn = known.get(req);
  if (signedIn === undefined) throw new Error('this route needs requireSession before it');
  return signedIn;
}

/** 403 when the member's role does not include the permission. */
export function allow(permission: Permission): RequestHandler {
  return (req, res, next) => {
    if (may(memberOf(req).role, permission)) next();
    else res.status(403).json({ message: 'Your role in the organisation does not allow this' });
  };
}

/** Sessions with their cookie, rate limits with what they count by, and the origin of our own pages. */
export type SessionsAndLimits = {
  readonly sessions: Sessions;
  readonly cookie: SessionCookie;
  readonly limiter: RequestLimiter;
  readonly clientIp: ClientIp;
  readonly publicUrl: string;
};

/** Mounted before all routes for signed-in people: session, its rate limit, CSRF. */
export function requireSession(o: SessionsAndLimits): RequestHandler[] {
  return [
    limitRequests(o.limiter, portalLimits.network, (req) => networkOf(o.clientIp(req))),
    findSession(o),
    limitRequests(o.limiter, portalLimits.session, (req) => memberOf(req).sessionId),
    refuseForeignOrigins(o.publicUrl),
    requireCsrfToken((req) => signedInOf(req).session.csrfToken),
  ];
}

function findSession(o: SessionsAndLimits): RequestHandler {
  return async (req, res, next) => {
    const token = o.cookie.read(req);
    const at = requestFacts(req).receivedAt;
    const signedIn = isToken(token) ? await o.sessions.find(token, at) : null;
    // The cookie is not cleared, because that could clear the newer cookie of a sign-in that has just happened.
    if (signedIn === null) return void res.status(401).json({ message: 'Sign in first' });
    // The time limit has already answered 503, so nothing more may be done.
    if (res.headersSent) return;
    known.set(req, signedIn);
    if (signedIn.nextToken !== null) {
      o.cookie.set(res, signedIn.nextToken, signedIn.session.expiresAt.getTime() - at.getTime());
    }
    next();
  };
}
