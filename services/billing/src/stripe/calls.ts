/**
 * Every call to Stripe: within the budget, repeated where that helps, behind a breaker. A repeat is always safe, because
 * what creates something has an idempotency key, and expiring a session twice is expiring it once.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { type Breaker, saysUnavailable } from '@offer-ads/platform/calls/breaker';
import type { Deadline } from '@offer-ads/platform/calls/deadline';
import { Fault, serviceUnavailable } from '@offer-ads/platform/process/faults';
import { Stripe } from 'stripe';

const ATTEMPTS = 2;
const PAUSE_BEFORE_REPEAT_MS = 500;
/** Stripe answers in half a second as a rule; with less than this left an attempt would only add to its load. */
const SHORTEST_ATTEMPT_MS = 100;
/** A client that is told to come back later than this would rather be told nothing. */
const LATEST_RETRY_AFTER_S = 60;

/** One per mode. */
export type StripeAccount = {
  readonly client: Stripe;
  /** While it is replaced, several of which each is accepted. */
  readonly webhookSecret: string;
  readonly breaker: Breaker<() => Promise<unknown>, unknown>;
};

export type CallOptions = { readonly timeout: number; readonly maxNetworkRetries: 0 };

/** @throws Stripe's own error when it has refused; the 503 fault when there was no answer, or none that says anything */
export async function callStripe<T>(
  account: StripeAccount,
  deadline: Deadline,
  call: (client: Stripe, options: CallOptions) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const timeout = timeoutOf(attempt, deadline);
    if (timeout < SHORTEST_ATTEMPT_MS) throw serviceUnavailable('stripe: no time left for a call');
    try {
      const work = () => within(deadline, timeout, call(account.client, { timeout, maxNetworkRetries: 0 }));
      return (await account.breaker.fire(work)) as T;
    } catch (error) {
      const waitMs = attempt < ATTEMPTS ? waitBeforeRepeat(error) : null;
      if (waitMs === null || waitMs + SHORTEST_ATTEMPT_MS > deadline.remainingMs()) throw fault(error);
      await pause(waitMs);
    }
  }
}

/** Such that the attempts after this one still fit in. */
function timeoutOf(attempt: number, deadline: Deadline): number {
  const later = ATTEMPTS - attempt;
  return Math.floor((deadline.remainingMs() - later * PAUSE_BEFORE_REPEAT_MS) / (later + 1));
}

/** The SDK's time-out is over silence only: an answer that trickles in would outlast it. */
async function within<T>(deadline: Deadline, timeoutMs: number, answer: Promise<T>): Promise<T> {
  const signal = deadline.signal(timeoutMs);
  const late = Promise.withResolvers<never>();
  const onAbort = () => late.reject(new Stripe.errors.StripeConnectionError({ message: 'answer too slow' }));
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([answer, late.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
    // Nobody waits for it any more.
    answer.catch(() => {});
  }
}

/** Null: a repeat would bring the same answer. */
function waitBeforeRepeat(error: unknown): number | null {
  if (!(error instanceof Stripe.errors.StripeError)) return null;
  const status = error.statusCode;
  if (status === undefined) return error instanceof Stripe.errors.StripeConnectionError ? jittered() : null;
  // Stripe knows best; it says so of answers that it has stored under the idempotency key.
  if (error.headers?.['stripe-should-retry'] === 'false') return null;
  if (status === 429) return Math.max(jittered(), (retryAfterSeconds(error) ?? 0) * 1_000);
  return status === 409 || status >= 500 ? jittered() : null;
}

/** Callers that failed together must not come back together. */
function jittered(): number {
  return PAUSE_BEFORE_REPEAT_MS * (0.5 + Math.random() / 2);
}

function retryAfterSeconds(error: InstanceType<typeof Stripe.errors.StripeError>): number | undefined {
  const seconds = Number(error.headers?.['retry-after']);
  return Number.isFinite(seconds) && seconds > 0
    ? Math.min(Math.ceil(seconds), LATEST_RETRY_AFTER_S)
    : undefined;
}

/**
 * What says that Stripe itself is in trouble: no answer, or one that says so (decision 133, what a breaker counts). A
 * 4xx is an answer, also 429: it is about one key or one object, is over in a moment and says itself when to come
 * back, so that it keeps nobody else out. So is a 500, which Stripe stores and repeats for one request.
 */
export function isHarmlessToBreaker(error: unknown): boolean {
  if (!(error instanceof Stripe.errors.StripeError)) return false;
  return error.statusCode !== undefined && !saysUnavailable(error.statusCode);
}

/** Stripe's refusal of what was asked: it did nothing. Anything else means that the outcome is not known. */
export type StripeRefusal = InstanceType<typeof Stripe.errors.StripeError>;

export function isRefusal(error: unknown): error is StripeRefusal {
  if (error instanceof Stripe.errors.StripeIdempotencyError) return false;
  return error instanceof Stripe.errors.StripeError && (error.statusCode === 400 || error.statusCode === 402);
}

/**
 * Nothing but this will come under the idempotency key from now on: Stripe stores whatever it answered first, failures too,
 * and refuses the key for a request that is not the very same.
 */
export function isSpentKey(error: unknown): boolean {
  if (error instanceof Stripe.errors.StripeIdempotencyError) return error.statusCode === 400;
  if (!(error instanceof Fault)) return false;
  const { cause } = error;
  return cause instanceof Stripe.errors.StripeError && cause.headers?.['idempotent-replayed'] === 'true';
}

/** Refusals stay what they are; whatever may or may not have done the work is the 503. */
function fault(error: unknown): unknown {
  if (error instanceof Error && 'code' in error && error.code === 'EOPENBREAKER')
    return serviceUnavailable('stripe: calls are held back, it did not answer before', error);
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
