/** The Stripe clients, one per mode: TEST and LIVE have separate keys, webhook secrets and circuit breakers. */
import type { Mode } from '@offer-ads/contracts/values/primitives';
import { createBreaker } from '@offer-ads/platform/calls/breaker';
import { createDeadline, type Deadline } from '@offer-ads/platform/calls/deadline';
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import type { Metrics } from '@offer-ads/platform/telemetry/metrics';
import { Stripe } from 'stripe';
import { isHarmlessToBreaker, PAUSE_BEFORE_REPEAT_MS, type StripeAccount } from './calls.ts';

export type StripeAccounts = Readonly<Record<Mode, StripeAccount>>;
export type StripeKeys = { readonly secretKey: string; readonly webhookSecret: string };

/**
 * The version of Stripe's API in which billing speaks and reads answers. The webhook endpoints at Stripe must have the same one. The
 * SDK's types are of this version, so a release with another one does not compile.
 */
const API_VERSION = '2026-08-26.dahlia';

/** Decision 23, deadlines and outages: a call to Stripe has 8 seconds in all, retries included. */
const STRIPE_BUDGET_MS = 8_000;

/** Disposing stops the timers of the breakers. `apiUrl` replaces Stripe's address, for a simulator. */
export function openStripe(o: {
  keys: Readonly<Record<Mode, StripeKeys>>;
  apiUrl?: string | undefined;
  pauseBeforeRepeatMs?: number;
  logger: Logger;
  metrics: Metrics;
}): StripeAccounts & Disposable {
  const accounts = { TEST: openAccount('TEST', o), LIVE: openAccount('LIVE', o) };
  return {
    ...accounts,
    [Symbol.dispose]: () => {
      for (const { breaker } of Object.values(accounts)) breaker.shutdown();
    },
  };
}

function openAccount(mode: Mode, o: Parameters<typeof openStripe>[0]): StripeAccount {
  const { secretKey, webhookSecret } = o.keys[mode];
  // Retries are done here: the SDK's own have no deadline and wait for as long as `Retry-After` says.
  const client = new Stripe(secretKey, {
    ...hostOf(o.apiUrl),
    apiVersion: API_VERSION,
    maxNetworkRetries: 0,
    telemetry: false,
  });
  const breaker = createBreaker({
    target: `stripe-${mode.toLowerCase()}`,
    logger: o.logger,
    metrics: o.metrics,
    isHarmless: isHarmlessToBreaker,
  });
  const { pauseBeforeRepeatMs = PAUSE_BEFORE_REPEAT_MS } = o;
  return { client, webhookSecret, breaker, pauseBeforeRepeatMs };
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

/** The rest of the caller's deadline, and at most Stripe's own budget. */
export function stripeDeadline(caller?: Deadline): Deadline {
  return createDeadline(Math.min(caller?.remainingMs() ?? STRIPE_BUDGET_MS, STRIPE_BUDGET_MS));
}
