/** Replies of the staff console's own routes. All its other routes pass on replies of the services' admin routes. */
import type { ServiceName } from '../values/primitives.ts';
import type { StaffRole } from './staff-calls.ts';

/** GET /api/sign-in: the ways to sign in. With an emergency token: POST /api/sign-in {name, token}, answered by 204. */
export type SignInWaysReply = { readonly service: boolean; readonly emergencyToken: boolean };

/** POST /api/sign-in/begin {returnTo, asAnother}: where the browser goes. */
export type BeginSignInReply = { readonly address: string };

/** POST /api/sign-out: where the session at the sign-in service ends; null: nowhere else. */
export type SignOutReply = { readonly address: string | null };

/** GET /api/session */
export type ConsoleSessionReply = {
  readonly name: string;
  readonly roles: readonly StaffRole[];
  /** Signed in with an emergency token, which the console shows on every page. */
  readonly isEmergency: boolean;
  /** Send it as `X-CSRF-Token` with every change. */
  readonly csrfToken: string;
};

/** The health of one service, as it reports it; null: it does not report this, or does not answer. */
export type ServiceHealth = {
  readonly name: ServiceName;
  readonly ready: boolean;
  /** Why it is not ready: its own words, or that it does not answer. */
  readonly problems: readonly string[];
  readonly brokerConnected: boolean | null;
  readonly queued: number | null;
  readonly retrying: number | null;
  readonly parked: number | null;
  readonly outbox: number | null;
  readonly outboxOldestSeconds: number | null;
  /** Whether it answers with its figures. If not, every figure of it is unknown. */
  readonly reports: boolean;
};

/** Something that a person must look at. */
export type Attention = {
  /** `problem`: callers, money or mails are affected. `warning`: it can wait for hours. `task`: daily work. */
  readonly severity: 'problem' | 'warning' | 'task';
  readonly words: string;
  /** Where the person continues: a page of the console, or `#ID` on the overview. */
  readonly link: string;
};

/** GET /api/health */
export type ConsoleHealth = {
  readonly checkedAt: string;
  /** The gateway's /status; null: it does not answer. */
  readonly status: {
    readonly overall: 'operational' | 'degraded' | 'down';
    readonly dependencies: readonly {
      readonly name: string;
      readonly state: 'up' | 'down';
      readonly since: string;
      readonly responseMs: number;
    }[];
  } | null;
  readonly services: readonly ServiceHealth[];
  /** The result of the last nightly check; `checkedAt` null: there was none yet. */
  readonly ledger: { readonly problems: number; readonly checkedAt: string | null } | null;
  /** How many rate fixings are overdue. From 2 on the rates are out of date. */
  readonly ratesMissing: number | null;
  /** Organisations that wait for approval; at most a minute old. */
  readonly waitingForApproval: number | null;
  readonly mails: {
    readonly pending: number;
    readonly waiting: number;
    readonly oldestSeconds: number;
    /** For how long the oldest mail that could be sent has been held by no process. */
    readonly overdueSeconds: number;
    readonly serverAway: boolean;
  } | null;
  /** Refunds and disputes without a decision, in both modes; null: unknown, here and below. */
  readonly cardReversalsWaiting: number | null;
  /** How many books (a mode and a currency) have credits for payments that the card provider took back. */
  readonly booksWithCreditsOwed: number | null;
  /** LIVE offers whose texts or picture staff have not looked at since they were written; at most a minute old. */
  readonly reviewsWaiting: number | null;
  /** What needs a person, the worst first. Empty: everything works. */
  readonly attention: readonly Attention[];
};
