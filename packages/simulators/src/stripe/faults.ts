/** Faults that tests switch on: what a payment provider does on its bad days. */
import { z } from 'zod';

/**
 * `down`: 503, as if the request had never been looked at. `error`: 500 from the work itself, which Stripe stores under the
 * idempotency key and repeats for ever. `declined`: 402. `busy`: 429 with `Retry-After`. `cut`: the work is done and then the
 * connection breaks. `slow`: the work is done and the answer comes late.
 */
export const troubles = ['down', 'error', 'declined', 'busy', 'cut', 'slow'] as const;
export type Trouble = (typeof troubles)[number];

export const faults = z.strictObject({
  /** How many times each webhook is delivered in all. */
  duplicate: z.int().min(1).max(100).optional(),
  /** How long the first delivery of each webhook waits. */
  delayMs: z.int().min(0).max(600_000).optional(),
  /** Webhooks are given up at once, as after three days of trying. */
  lose: z.boolean().optional(),
  /** Webhooks arrive in another order than they happened. */
  shuffle: z.boolean().optional(),
  /** `complete`: the payer has just paid, so the session completes instead. */
  failExpire: z.enum([...troubles, 'complete']).optional(),
  /** `too_small`: refused as below the minimum of the currency. */
  failCreate: z.enum([...troubles, 'too_small']).optional(),
  failRetrieve: z.enum(troubles).optional(),
  /** Of the list of events. */
  failList: z.enum(troubles).optional(),
  /** Of making a tax rate. */
  failRate: z.enum(troubles).optional(),
  /** How many calls meet the trouble before all is well; every one unless said. */
  failTimes: z.int().min(1).max(1_000).optional(),
  /** Of `busy`. */
  retryAfterSeconds: z.int().min(0).max(3_600).optional(),
  /** Of `slow`. */
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

export type TroubledOperation = keyof typeof settings;

/** Counts down `failTimes` of whatever faults are on at the time. */
export function takeTroubles(faults: () => Faults): (operation: TroubledOperation) => Trouble | undefined {
  const met = new WeakMap<Faults, number>();
  return (operation) => {
    const current = faults();
    const wanted = current[settings[operation]];
    const trouble = troubles.find((known) => known === wanted);
    if (trouble === undefined) return undefined;
    const before = met.get(current) ?? 0;
    met.set(current, before + 1);
    return before < (current.failTimes ?? Number.POSITIVE_INFINITY) ? trouble : undefined;
  };
}
