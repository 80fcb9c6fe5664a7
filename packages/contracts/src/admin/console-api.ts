/** What the staff's console answers to its own pages; all else it passes on as the services' admin routes say it. */
import type { ServiceName } from '../values/primitives.ts';

/** GET /api/session, and the reply to POST /api/sign-in {name, token} */
export type ConsoleSessionReply = {
  readonly name: string;
  /** For `X-CSRF-Token` on every change. */
  readonly csrfToken: string;
};

/** How it stands with one service, as it tells it itself; null: it does not tell, or does not answer. */
export type ServiceHealth = {
  readonly name: ServiceName;
  readonly ready: boolean;
  /** Why it is not, in its own words, or that it does not answer. */
  readonly problems: readonly string[];
  readonly brokerConnected: boolean | null;
  readonly queued: number | null;
  readonly retrying: number | null;
  readonly parked: number | null;
  readonly outbox: number | null;
  readonly outboxOldestSeconds: number | null;
};

/** GET /api/health */
export type ConsoleHealth = {
  readonly checkedAt: string;
  /** As the gateway's /status says it; null: it does not answer. */
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
  /** Of the last check, which billing makes every night; `checkedAt` null: there was none yet. */
  readonly ledger: { readonly problems: number; readonly checkedAt: string | null } | null;
  /** Fixings that should exist by now; out of date from 2 on. */
  readonly ratesMissing: number | null;
  /** Organisations that wait for approval, as of a minute ago at most. */
  readonly waitingForApproval: number | null;
  readonly mails: {
    readonly pending: number;
    readonly waiting: number;
    readonly oldestSeconds: number;
    readonly serverAway: boolean;
  } | null;
};
