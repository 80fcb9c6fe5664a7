/**
 * Every call to Stripe: with a deadline, with retries where they help, behind a circuit breaker. A retry is always safe: requests that
 * create something have an idempotency key, and expiring a session twice has the same effect as once.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { type Breaker, saysUnavailable } from '@offer-ads/platform/calls/breaker';
import type { Deadline } from '@offer-ads/platform/calls/deadline';
import { Fault, serviceUnavailable } from '@offer-ads/platform/process/faults';
import { Stripe } from 'stripe';

const ATTEMPTS = 2;
export const PAUSE_BEFORE_REPEAT_MS = 500;
/** Stripe normally answers in half a second; an attempt with less time than this would only add to its load. */
const SHORTEST_ATTEMPT_MS = 100;
/** If Stripe asks for a longer wait than this, the client gets no `Retry-After`. */
const LATEST_RETRY_AFTER_S = 60;

/** One per mode. */
export type StripeAccount = {
  readonly client: Stripe;
  /** Several secrets while one is being replaced; each of them is accepted. */
  readonly webhookSecret: string;
  readonly breaker: Breaker;
  readonly pauseBeforeRepeatMs: number;
};

export type CallOptions = { readonly timeout: number; readonly maxNetworkRetries: 0 };

/** @throws Stripe's own error if it refused; the 503 fault if there was no answer or no clear answer */
export async function callStripe<T>(
  account: StripeAccount,
  deadline: Deadline,
  call: (client: Stripe, options: CallOptions) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const timeout = timeoutOf(account, attempt, deadline);
    if (timeout < SHORTEST_ATTEMPT_MS) throw serviceUnavailable('stripe: no time left for a call');
    try {
      const work = () => within(deadline, timeout, call(account.client, { timeout, maxNetworkRetries: 0 }));
      return await account.breaker.fire(work);
    } catch (error) {
      const waitMs = attempt < ATTEMPTS ? waitBeforeRepeat(account, error) : null;
      if (waitMs === null || waitMs + SHORTEST_ATTEMPT_MS > deadline.remainingMs()) throw fault(error);
      await pause(waitMs);
    }
  }
}

/** Leaves enough time for the attempts after this one. */
function timeoutOf(account: StripeAccount, attempt: number, deadline: Deadline): number {
  const later = ATTEMPTS - attempt;
  return Math.floor((deadline.remainingMs() - later * account.pauseBeforeRepeatMs) / (later + 1));
}

/** The SDK's timeout only measures silence: a response that arrives slowly would take longer than the deadline. */
async function within<T>(deadline: Deadline, timeoutMs: number, answer: Promise<T>): Promise<T> {
  const signal = deadline.signal(timeoutMs);
  const late = Promise.withResolvers<never>();
  const onAbort = () => late.reject(new Stripe.errors.StripeConnectionError({ message: 'answer too slow' }));
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([answer, late.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
    // No caller waits for this answer any more.
    answer.catch(() => {});
  }
}

/** Null if a retry would bring the same answer. */
function waitBeforeRepeat({ pauseBeforeRepeatMs }: StripeAccount, error: unknown): number | null {
  if (!(error instanceof Stripe.errors.StripeError)) return null;
  // Clients that failed at the same time must not retry at the same time.
  const jitteredMs = pauseBeforeRepeatMs * (0.5 + Math.random() / 2);
  const status = error.statusCode;
  if (status === undefined) return isNoAnswer(error) ? jitteredMs : null;
  // Stripe sends this header for answers that it has stored under the idempotency key.
  if (error.headers?.['stripe-should-retry'] === 'false') return null;
  if (status === 429) return Math.max(jitteredMs, (retryAfterSeconds(error) ?? 0) * 1_000);
  return status === 409 || status >= 500 ? jitteredMs : null;
}

/** The SDK says StripeAPIError of an answer that broke off within its body. */
function isNoAnswer(error: unknown): boolean {
  const { StripeConnectionError, StripeAPIError } = Stripe.errors;
  return error instanceof StripeConnectionError || error instanceof StripeAPIError;
}

function retryAfterSeconds(error: InstanceType<typeof Stripe.errors.StripeError>): number | undefined {
  const seconds = Number(error.headers?.['retry-after']);
  return Number.isFinite(seconds) && seconds > 0
    ? Math.min(Math.ceil(seconds), LATEST_RETRY_AFTER_S)
    : undefined;
}

/**
 * Only signs that Stripe itself has problems count: no answer, or an answer that says so (decision 133, what a breaker counts). A 4xx is an
 * answer. A 429 too: it concerns one key or one object, ends soon and says when to retry, so it must not stop other calls. A 500 is stored
 * by Stripe and repeated for that one request only.
 */
export function isHarmlessToBreaker(error: unknown): boolean {
  if (!(error instanceof Stripe.errors.StripeError)) return false;
  return error.statusCode !== undefined && !saysUnavailable(error.statusCode);
}

/** Stripe refused the request and did nothing. Every other error means that the outcome is unknown. */
export type StripeRefusal = InstanceType<typeof Stripe.errors.StripeError>;

export function isRefusal(error: unknown): error is StripeRefusal {
  if (error instanceof Stripe.errors.StripeIdempotencyError) return false;
  return error instanceof Stripe.errors.StripeError && (error.statusCode === 400 || error.statusCode === 402);
}

/**
 * Stripe stores its first answer under an idempotency key, even a failure, and refuses the key for a request that differs. This key will
 * therefore never give another answer.
 */
export function isSpentKey(error: unknown): boolean {
  if (error instanceof Stripe.errors.StripeIdempotencyError) return error.statusCode === 400;
  if (!(error instanceof Fault)) return false;
  const { cause } = error;
  return cause instanceof Stripe.errors.StripeError && cause.headers?.['idempotent-replayed'] === 'true';
}

/** Refusals stay as they are; an error with unknown outcome becomes the 503. */
function fault(error: unknown): unknown {
  if (error instanceof Error && 'code' in error && error.code === 'EOPENBREAKER')
    return serviceUnavailable('stripe: the circuit breaker is open', error);
  if (!(error instanceof Stripe.errors.StripeError)) return error;
  const { statusCode } = error;
  const isAnswer = statusCode === 400 || statusCode === 402 || statusCode === 404;
  if (isAnswer) return error;
  const message = `stripe: ${error.type} ${statusCode ?? ''} ${error.code ?? ''} ${error.requestId ?? ''}`;
  const seconds = retryAfterSeconds(error);
  if (seconds === undefined) return serviceUnavailable(message, error);
  return new Fault(message, {
    status: 503,
    publicMessage: 'Service unavailable',
    retryAfterSeconds: seconds,
    cause: error,
  });
}
