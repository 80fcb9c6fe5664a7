/** Stripe, once per mode: TEST and LIVE have keys and webhook secrets of their own and never meet. */
import type { Mode } from '@offer-ads/contracts/primitives';
import { createDeadline, type Deadline } from '@offer-ads/platform/deadline';
import { serviceUnavailable } from '@offer-ads/platform/faults';
import { Stripe } from 'stripe';

export type StripeAccount = { readonly client: Stripe; readonly webhookSecret: string };
export type StripeAccounts = Readonly<Record<Mode, StripeAccount>>;
export type StripeKeys = { readonly secretKey: string; readonly webhookSecret: string };

/** Decision 23: Stripe has 8 seconds in all, repeats included. */
const STRIPE_BUDGET_MS = 8_000;
/** One repeat after a lost connection or a 5xx; safe, because every call that changes something has an idempotency key. */
const RETRIES = 1;
/** The SDK's pause before its repeat, which the budget has to pay too. */
const PAUSE_BEFORE_RETRY_MS = 500;
const SHORTEST_TIMEOUT_MS = 100;

/** `apiUrl` replaces Stripe's own address, for a simulator. */
export function openStripe(keys: Readonly<Record<Mode, StripeKeys>>, apiUrl?: string): StripeAccounts {
  return { TEST: openAccount(keys.TEST, apiUrl), LIVE: openAccount(keys.LIVE, apiUrl) };
}

function openAccount({ secretKey, webhookSecret }: StripeKeys, apiUrl?: string): StripeAccount {
  const client = new Stripe(secretKey, { ...hostOf(apiUrl), maxNetworkRetries: RETRIES, telemetry: false });
  return { client, webhookSecret };
}

function hostOf(apiUrl: string | undefined) {
  if (apiUrl === undefined) return {};
  const { protocol, hostname, port } = new URL(apiUrl);
  const isPlain = protocol === 'http:';
  return {
    protocol: isPlain ? ('http' as const) : ('https' as const),
    host: hostname,
    port: port || (isPlain ? 80 : 443),
  };
}

/** What remains of the caller's patience, and never more than Stripe's own budget. */
export function stripeDeadline(caller?: Deadline): Deadline {
  return createDeadline(Math.min(caller?.remainingMs() ?? STRIPE_BUDGET_MS, STRIPE_BUDGET_MS));
}

/** Time-out of one attempt, such that a repeat still fits into the deadline. */
export function withinDeadline(deadline: Deadline): { timeout: number } {
  const perAttemptMs = Math.floor((deadline.remainingMs() - PAUSE_BEFORE_RETRY_MS) / (RETRIES + 1));
  if (perAttemptMs < SHORTEST_TIMEOUT_MS) throw serviceUnavailable('stripe: no time left for a call');
  return { timeout: perAttemptMs };
}

/** Stripe's refusal of what was asked: it did nothing. Anything else means that the outcome is not known. */
export type StripeRefusal = InstanceType<typeof Stripe.errors.StripeInvalidRequestError>;

export function isRefusal(error: unknown): error is StripeRefusal {
  return error instanceof Stripe.errors.StripeInvalidRequestError && error.statusCode === 400;
}

/** 503 for whatever Stripe did not answer with a plain refusal: it may or may not have done the work. */
export function stripeUnavailable(error: unknown): unknown {
  if (!(error instanceof Stripe.errors.StripeError)) return error;
  return serviceUnavailable(`stripe: ${error.type} ${error.code ?? ''} ${error.requestId ?? ''}`, error);
}
