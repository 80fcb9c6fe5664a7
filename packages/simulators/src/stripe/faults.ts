/** Faults of a payment provider that tests set. */
import { z } from 'zod';

/**
 * `down`: 503 before the work. `error`: 500 from the work itself, which Stripe stores under the idempotency key and always repeats.
 * `declined`: 402. `busy`: 429 with `Retry-After`. `cut`: the work is done and then the connection breaks, `torn`: within the reply.
 * `slow`: the work is done and the reply is late.
 */
export const failures = ['down', 'error', 'declined', 'busy', 'cut', 'torn', 'slow'] as const;
export type Failure = (typeof failures)[number];

export const faults = z.strictObject({
  /** How many times each webhook is delivered. */
  duplicate: z.int().min(1).max(100).optional(),
  /** The delay before the first delivery of each webhook. */
  delayMs: z.int().min(0).max(600_000).optional(),
  /** Webhooks are given up at once, as after three days of retries. */
  lose: z.boolean().optional(),
  /** Webhooks arrive in another order than their events. */
  shuffle: z.boolean().optional(),
  /** `complete`: the payer has just paid, so the session completes instead. */
  failExpire: z.enum([...failures, 'complete']).optional(),
  /** `too_small`: refused as below the minimum of the currency. */
  failCreate: z.enum([...failures, 'too_small']).optional(),
  failRetrieve: z.enum(failures).optional(),
  /** For the list of events. */
  failList: z.enum(failures).optional(),
  /** For creating a tax rate. */
  failRate: z.enum(failures).optional(),
  /** How many calls fail before calls succeed again; by default all fail. */
  failTimes: z.int().min(1).max(1_000).optional(),
  /** For `busy`. */
  retryAfterSeconds: z.int().min(0).max(3_600).optional(),
  /** For `slow`. */
  slowMs: z.int().min(0).max(60_000).optional(),
});
export type Faults = z.infer<typeof faults>;

const settings = {
  create: 'failCreate',
  expire: 'failExpire',
  retrieve: 'failRetrieve',
  list: 'failList',
  rate: 'failRate',
} as const;

export type FaultyOperation = keyof typeof settings;

/** Counts the calls that fail, up to `failTimes` of the current faults. */
export function countingFailures(faults: () => Faults): (operation: FaultyOperation) => Failure | undefined {
  const met = new WeakMap<Faults, number>();
  return (operation) => {
    const current = faults();
    const wanted = current[settings[operation]];
    const failure = failures.find((known) => known === wanted);
    if (failure === undefined) return undefined;
    const before = met.get(current) ?? 0;
    met.set(current, before + 1);
    return before < (current.failTimes ?? Number.POSITIVE_INFINITY) ? failure : undefined;
  };
}
