/**
 * A checkout is one card payment of an offer or a top-up, from the creation of its link to its end. A Stripe session lives at most one day, but the
 * link works as long as the offer or top-up waits for payment. A checkout therefore has generations of sessions, with one open session at a time.
 *
 *   opening -> open -> (last session expired) -> opening, one generation on
 *   opening, open -> closing -> closed, or back when Stripe's answer is not known
 *   closed for a deletion -> open, when the deletion is revoked
 *   anything -> paid; but a closed checkout stays closed, and a payment that still arrives is credited to the balance
 */

export type CheckoutState = 'opening' | 'open' | 'closing' | 'closed' | 'paid';

/** The latest session. A new one is requested only when it is certain that the previous one can no longer be paid. */
export type Session = {
  readonly generation: number;
  readonly expiresAt: Date;
  /** Null until Stripe's answer has been stored. */
  readonly sessionId: string | null;
  readonly url: string | null;
  readonly expired: boolean;
};

export type Checkout = {
  readonly state: CheckoutState;
  readonly session: Session;
  /** When the offer ends, or when the top-up no longer waits for payment. */
  readonly expiryAt: Date;
  readonly paidAt: Date | null;
  /** The number of the latest known deletion of the offer (0 for none), and whether that deletion was revoked. */
  readonly deletion: number;
  readonly revoked: boolean;
};

const MINUTE_MS = 60_000;
/** Stripe accepts 30 minutes to 24 hours, measured by its own clock. One and five minutes are left for clock differences and slow calls. */
const SHORTEST_SESSION_MS = 31 * MINUTE_MS;
const LONGEST_SESSION_MS = 24 * 60 * MINUTE_MS - 5 * MINUTE_MS;

export function newCheckout(expiryAt: Date, now: Date): Checkout {
  return {
    state: 'opening',
    session: newSession(1, expiryAt, now),
    expiryAt,
    paidAt: null,
    deletion: 0,
    revoked: false,
  };
}

function newSession(generation: number, expiryAt: Date, now: Date): Session {
  return {
    generation,
    expiresAt: sessionExpiry(expiryAt, now),
    sessionId: null,
    url: null,
    expired: false,
  };
}

/** At most until the offer or top-up ends, within Stripe's limits. In whole seconds, like Stripe's times. */
export function sessionExpiry(expiryAt: Date, now: Date): Date {
  const livesMs = expiryAt.getTime() - now.getTime();
  const boundedMs = Math.min(Math.max(livesMs, SHORTEST_SESSION_MS), LONGEST_SESSION_MS);
  return new Date(Math.floor((now.getTime() + boundedMs) / 1_000) * 1_000);
}

/** Stores Stripe's answer. An open checkout ignores an answer that comes too late; a closing one still needs the id to expire the session. */
export function opened(
  checkout: Checkout,
  answer: { readonly generation: number; readonly sessionId: string; readonly url: string | null },
): Checkout {
  const { session, state } = checkout;
  if (answer.generation !== session.generation || session.sessionId !== null) return checkout;
  const known = { ...session, sessionId: answer.sessionId, url: answer.url };
  return { ...checkout, session: known, state: state === 'opening' ? 'open' : state };
}

/** It is certain that the session of this generation can no longer be paid. */
export function sessionExpired(checkout: Checkout, generation: number): Checkout {
  const { session } = checkout;
  if (generation !== session.generation || session.expired) return checkout;
  return { ...checkout, session: { ...session, expired: true } };
}

/** Starts the next generation. Allowed only after the session has expired, so that two sessions can never be paid. */
export function renewed(checkout: Checkout, now: Date): Checkout {
  const { state, session, expiryAt } = checkout;
  if ((state !== 'open' && state !== 'opening') || !session.expired) return checkout;
  return { ...checkout, state: 'opening', session: newSession(session.generation + 1, expiryAt, now) };
}

/** The deletion number of a close that cannot be revoked: the creation never finished, or the offer has ended or was deleted. */
export const FOR_EVER = 2 ** 31 - 1;

/** Does nothing if this deletion was already revoked before the request to close arrived. */
export function closing(checkout: Checkout, deletion: number = FOR_EVER): Checkout {
  if (checkout.revoked && deletion <= checkout.deletion) return checkout;
  const state = isOpen(checkout) ? 'closing' : checkout.state;
  if (state === checkout.state && deletion <= checkout.deletion) return checkout;
  return { ...checkout, state, deletion: Math.max(deletion, checkout.deletion), revoked: false };
}

/** The deletion was revoked: the link works again, unless it was paid or a later deletion closes it. */
export function deletionRevoked(checkout: Checkout, deletion: number): Checkout {
  if (deletion < checkout.deletion || (checkout.revoked && deletion === checkout.deletion)) return checkout;
  const { state, paidAt } = checkout;
  const isShut = state === 'closing' || (state === 'closed' && paidAt === null);
  return { ...checkout, state: isShut ? reopenedState(checkout) : state, deletion, revoked: true };
}

/** The result of closing is not certain: the link works again, and closing can be requested again (`E7`). */
export function reopened(checkout: Checkout): Checkout {
  return checkout.state === 'closing' ? { ...checkout, state: reopenedState(checkout) } : checkout;
}

function reopenedState({ session }: Checkout): CheckoutState {
  return session.sessionId === null ? 'opening' : 'open';
}

/** Closes after the last generation is certainly over. Does nothing if a new generation began meanwhile, or if the deletion was revoked. */
export function closed(checkout: Checkout): Checkout {
  const isShutting = isOpen(checkout) || checkout.state === 'closing';
  return isShutting && checkout.session.expired && !checkout.revoked
    ? { ...checkout, state: 'closed' }
    : checkout;
}

export function paid(checkout: Checkout, at: Date): Checkout {
  if (checkout.paidAt !== null) return checkout;
  return { ...checkout, paidAt: at, state: checkout.state === 'closed' ? 'closed' : 'paid' };
}

function isOpen({ state }: Checkout): boolean {
  return state === 'opening' || state === 'open';
}

export type PayerMeets =
  | { readonly kind: 'paid' | 'closed' | 'ended' }
  | { readonly kind: 'closing' }
  | { readonly kind: 'session'; readonly url: string }
  /** `opening`: Stripe has not answered yet. `expired`: it may be time for the next generation. */
  | { readonly kind: 'no-session'; readonly why: 'opening' | 'expired' };

/** What a payer who follows the link gets (decision 12, stable payment link). */
export function payerMeets(checkout: Checkout, now: Date): PayerMeets {
  const { state, session } = checkout;
  if (checkout.paidAt !== null || state === 'paid') return { kind: 'paid' };
  // An unpaid offer's checkout is also closed at its end. Before the end, only a deletion closes it.
  if (now >= checkout.expiryAt) return { kind: 'ended' };
  if (state === 'closed') return { kind: 'closed' };
  if (state === 'closing') return { kind: 'closing' };
  if (session.expired || now >= session.expiresAt) return { kind: 'no-session', why: 'expired' };
  return session.url === null
    ? { kind: 'no-session', why: 'opening' }
    : { kind: 'session', url: session.url };
}

/** Longer than any close takes. The process of an older close has crashed. */
const CLOSING_AT_MOST_MS = MINUTE_MS;

/** When the reconciliation next looks at a checkout that changed now; null if nothing more can change. */
export function nextReconciliation({ state, session, paidAt }: Checkout, now: Date): Date | null {
  if (state === 'closing') return new Date(now.getTime() + CLOSING_AT_MOST_MS);
  return session.expired || paidAt !== null ? null : nextCheck(now, now, session.expiresAt);
}

/** Shortest and longest wait before Stripe is asked about a session. Its webhook normally comes within seconds. */
const FIRST_CHECK_MS = 5 * MINUTE_MS;
const LATEST_CHECK_MS = 60 * MINUTE_MS;

/**
 * When to ask Stripe about a session without a webhook: after 5, 10, 20 minutes..., then hourly, and when it ends. If it is still undecided at its
 * end: after 1, 2, 4 hours and so on.
 */
export function nextCheck(now: Date, openedAt: Date, expiresAt: Date): Date {
  const ageMs = now.getTime() - openedAt.getTime();
  const waitMs = Math.min(Math.max(ageMs, FIRST_CHECK_MS), LATEST_CHECK_MS);
  const atEndMs = expiresAt.getTime() + MINUTE_MS;
  const overdueMs = now.getTime() - atEndMs;
  return new Date(
    overdueMs < 0 ? Math.min(now.getTime() + waitMs, atEndMs) : now.getTime() + Math.max(waitMs, overdueMs),
  );
}

/**
 * Cards are accepted or declined at once, and slow payment methods (bank transfers) are not offered. After this time a completed but unpaid session
 * stays unpaid.
 */
const UNDECIDED_AT_MOST_MS = 10 * 24 * 60 * MINUTE_MS;

export function isUndecidedTooLong({ expiresAt }: Session, now: Date): boolean {
  return now.getTime() - expiresAt.getTime() > UNDECIDED_AT_MOST_MS;
}

/** More than clocks differ, and longer than a payment takes that began in the last second. */
const MISSING_FOR_LONG_MS = 10 * MINUTE_MS;

/**
 * Whether the session can no longer be paid, according to Stripe. A session that Stripe does not know may belong to an account whose key we used
 * earlier; there it can be paid until its own end.
 */
export function isUnpayable(
  { expiresAt }: Session,
  status: 'open' | 'complete' | 'expired' | 'missing',
  now: Date,
): boolean {
  if (status === 'missing') return now.getTime() - expiresAt.getTime() > MISSING_FOR_LONG_MS;
  return status === 'expired';
}

/** Longer than a close takes, so that no other replica begins the same one meanwhile. */
const FIRST_CLOSING_AGAIN_MS = 10_000;
const LATEST_CLOSING_AGAIN_MS = 60 * MINUTE_MS;

/** When to retry closing a checkout that ended at `expiryAt`: after 10, 20, 40 seconds..., then hourly. */
export function nextClosing(now: Date, expiryAt: Date): Date {
  const ageMs = now.getTime() - expiryAt.getTime();
  const waitMs = Math.min(Math.max(ageMs, FIRST_CLOSING_AGAIN_MS), LATEST_CLOSING_AGAIN_MS);
  return new Date(now.getTime() + waitMs);
}
