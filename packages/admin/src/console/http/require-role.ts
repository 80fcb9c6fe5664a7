/** Refuses a call for which the person has no role. */
import { isAllowed, refusalOf, type StaffCall } from '@offer-ads/contracts/admin/staff-calls';
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import type { RequestHandler } from 'express';
import { sessionOf } from './require-session.ts';

export function requireRole(call: StaffCall, logger: Logger): RequestHandler {
  return (req, res, next) => {
    const { person } = sessionOf(req);
    if (isAllowed(person.roles, call)) return next();
    logger.warn(
      { audit: true, actor: person.name, roles: person.roles, call },
      'a call without the role for it',
    );
    res.status(403).json({ message: refusalOf(person.roles, call) });
  };
}
