/**
 * A checkout is one card payment, of an offer or a top-up, from its link to its end. Stripe's sessions live a day at most,
 * the link lives as long as what it is for waits, so a checkout has generations of sessions, one alive at a time.
 *
 *   opening -> open -> (last session expired) -> opening, one generation on
 *   opening, open -> closing -> closed, or back when Stripe's answer is not known
 *   closed for a deletion -> open, when the deletion is taken back
 *   anything -> paid; but who has closed a checkout keeps it closed, and a payment that still comes is given back
 */

export type CheckoutState = 'opening' | 'open' | 'closing' | 'closed' | 'paid';

/** The latest session: a new one is only asked for when it is certain that the last can no longer be paid. */
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
  /** When what is paid for ends, or waits no longer. */
  readonly expiryAt: Date;
  readonly paidAt: Date | null;
  /** The latest deletion of the offer that was heard of, 0 before any, and whether it was taken back. */
  readonly deletion: number;
  readonly takenBack: boolean;
};

const MINUTE_MS = 60_000;
/** Stripe takes 30 minutes to 24 hours from its own now: a minute and five are left for clocks and slow calls. */
const SHORTEST_SESSION_MS = 31 * MINUTE_MS;
const LONGEST_SESSION_MS = 24 * 60 * MINUTE_MS - 5 * MINUTE_MS;

export function newCheckout(expiryAt: Date, now: Date): Checkout {
  return {
    state: 'opening',
    session: newSession(1, expiryAt, now),
    expiryAt,
    paidAt: null,
    deletion: 0,
    takenBack: false,
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

/** No longer than what is paid for, as far as Stripe's bounds allow; in whole seconds, as Stripe counts. */
export function sessionExpiry(expiryAt: Date, now: Date): Date {
  const livesMs = expiryAt.getTime() - now.getTime();
  const boundedMs = Math.min(Math.max(livesMs, SHORTEST_SESSION_MS), LONGEST_SESSION_MS);
  return new Date(Math.floor((now.getTime() + boundedMs) / 1_000) * 1_000);
}

/** Stripe's answer. Too late for a checkout that has moved on, but a closing one needs the id, to expire the session. */
export function opened(
  checkout: Checkout,
  answer: { readonly generation: number; readonly sessionId: string; readonly url: string | null },
): Checkout {
  const { session, state } = checkout;
  if (answer.generation !== session.generation || session.sessionId !== null) return checkout;
  const known = { ...session, sessionId: answer.sessionId, url: answer.url };
  return { ...checkout, session: known, state: state === 'opening' ? 'open' : state };
}

/** The session of this generation can certainly no longer be paid. */
export function sessionExpired(checkout: Checkout, generation: number): Checkout {
  const { session } = checkout;
  if (generation !== session.generation || session.expired) return checkout;
  return { ...checkout, session: { ...session, expired: true } };
}

/** One generation on; only from an expired session, so that two can never be paid. */
export function renewed(checkout: Checkout, now: Date): Checkout {
  const { state, session, expiryAt } = checkout;
  if ((state !== 'open' && state !== 'opening') || !session.expired) return checkout;
  return { ...checkout, state: 'opening', session: newSession(session.generation + 1, expiryAt, now) };
}

/** Closing that nothing takes back: the creation was never finished, the offer has ended or is gone. */
export const FOR_EVER = 2 ** 31 - 1;

/** Nothing, for a deletion that was taken back before its request arrived. */
export function closing(checkout: Checkout, deletion: number = FOR_EVER): Checkout {
  if (checkout.takenBack && deletion <= checkout.deletion) return checkout;
  const state = isOpen(checkout) ? 'closing' : checkout.state;
  if (state === checkout.state && deletion <= checkout.deletion) return checkout;
  return { ...checkout, state, deletion: Math.max(deletion, checkout.deletion), takenBack: false };
}

/** The deletion came to nothing: the page works again, unless it was paid or a later deletion closes it. */
export function takenBack(checkout: Checkout, deletion: number): Checkout {
  if (deletion < checkout.deletion || (checkout.takenBack && deletion === checkout.deletion)) return checkout;
  const { state, paidAt } = checkout;
  const isShut = state === 'closing' || (state === 'closed' && paidAt === null);
  return { ...checkout, state: isShut ? reopenedState(checkout) : state, deletion, takenBack: true };
}

/** Closing came to no certain end: the link works again, and closing may be asked for again (`E7`). */
export function reopened(checkout: Checkout): Checkout {
  return checkout.state === 'closing' ? { ...checkout, state: reopenedState(checkout) } : checkout;
}

function reopenedState({ session }: Checkout): CheckoutState {
  return session.sessionId === null ? 'opening' : 'open';
}

/** Once the last generation is certain to be over. A generation that began meanwhile prevents it, and so does a taking back. */
export function closed(checkout: Checkout): Checkout {
  const isShutting = isOpen(checkout) || checkout.state === 'closing';
  return isShutting && checkout.session.expired && !checkout.takenBack
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

/** What the payer who follows the link is to see (decision 12, stable payment link). */
export function payerMeets(checkout: Checkout, now: Date): PayerMeets {
  const { state, session } = checkout;
  if (checkout.paidAt !== null || state === 'paid') return { kind: 'paid' };
  // What ends unpaid has its checkout closed too: before its end only a deletion closes one.
  if (now >= checkout.expiryAt) return { kind: 'ended' };
  if (state === 'closed') return { kind: 'closed' };
  if (state === 'closing') return { kind: 'closing' };
  if (session.expired || now >= session.expiresAt) return { kind: 'no-session', why: 'expired' };
  return session.url === null
    ? { kind: 'no-session', why: 'opening' }
    : { kind: 'session', url: session.url };
}

/** Longer than any closing takes: who began one that old has died over it. */
const CLOSING_AT_MOST_MS = MINUTE_MS;

/** When the reconciliation is to look at a checkout that was changed now; null once nothing more is to be learned. */
export function nextLook({ state, session, paidAt }: Checkout, now: Date): Date | null {
  if (state === 'closing') return new Date(now.getTime() + CLOSING_AT_MOST_MS);
  return session.expired || paidAt !== null ? null : nextCheck(now, now, session.expiresAt);
}

/** How long a session stays unasked about at least and at most; its webhook normally comes within seconds. */
const FIRST_CHECK_MS = 5 * MINUTE_MS;
const LATEST_CHECK_MS = 60 * MINUTE_MS;

/**
 * When to ask Stripe about a session that has brought no webhook: after 5, 10, 20 minutes..., then hourly, and at its end. Of one
 * that is still undecided then, after 1, 2, 4 hours and so on.
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

/** Cards say yes or no at once, and banks that take days are not asked: after this a session that is complete pays nothing. */
const UNDECIDED_AT_MOST_MS = 10 * 24 * 60 * MINUTE_MS;

export function isUndecidedTooLong({ expiresAt }: Session, now: Date): boolean {
  return now.getTime() - expiresAt.getTime() > UNDECIDED_AT_MOST_MS;
}

/** More than clocks differ, and than a payment takes that began in the last second. */
const MISSING_FOR_LONG_MS = 10 * MINUTE_MS;

/**
 * Whether nobody can pay the session any more, by what Stripe says of it. One that Stripe does not know may lie in another account,
 * whose key we had before: there it can be paid until its own end, which Stripe keeps to.
 */
export function isOverAtStripe(
  { expiresAt }: Session,
  status: 'open' | 'complete' | 'expired' | 'missing',
  now: Date,
): boolean {
  if (status === 'missing') return now.getTime() - expiresAt.getTime() > MISSING_FOR_LONG_MS;
  return status === 'expired';
}

const FIRST_CLOSING_AGAIN_MS = MINUTE_MS;
const LATEST_CLOSING_AGAIN_MS = 60 * MINUTE_MS;

/** When to try once more to close a page whose time was over at `expiryAt`: after 1, 2, 4 minutes..., then hourly. */
export function nextClosing(now: Date, expiryAt: Date): Date {
  const ageMs = now.getTime() - expiryAt.getTime();
  const waitMs = Math.min(Math.max(ageMs, FIRST_CLOSING_AGAIN_MS), LATEST_CLOSING_AGAIN_MS);
  return new Date(now.getTime() + waitMs);
}
