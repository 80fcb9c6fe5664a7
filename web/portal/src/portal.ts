/** What each page of a signed-in person has: the person, the mode, and the calls of the API. The first script uses it, so it needs no library. */
import type { Permission, SessionReply } from '@offer-ads/contracts/portal/session-api';
import { type SessionApi, sessionApi } from '../../ui/calls/session-api.ts';

export type Mode = 'test' | 'live';

/** The mode in the address of a page, if any. */
export function modeOf(path: string): Mode | null {
  const mode = path.split('/')[2];
  return mode === 'test' || mode === 'live' ? mode : null;
}

export type Portal = {
  readonly session: SessionReply;
  readonly mode: Mode;
  /** Paths are what follows `/portal/api`. */
  readonly api: SessionApi;
  readonly may: (permission: Permission) => boolean;
  /** Address of a page in this mode: `at('offers/7')`. */
  readonly at: (page: string) => string;
  /** The first part of the key of every query about the organisation in this mode. */
  readonly scope: readonly [organisationId: number, mode: Mode];
};

/** @param sessionChanged called when a reply says that the session ended, or that another one began */
export function portalOf(session: SessionReply, mode: Mode, sessionChanged: () => void): Portal {
  return {
    session,
    mode,
    api: sessionApi({ base: '/portal/api', csrfToken: session.csrfToken, sessionChanged }),
    may: (permission) => session.permissions.includes(permission),
    at: (page) => `/portal/${mode}${page === '' ? '' : `/${page}`}`,
    scope: [session.organisation.id, mode],
  };
}
