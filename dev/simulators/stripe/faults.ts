/** Faults that tests switch on: what a payment provider does on its bad days. */
import { z } from 'zod';

export const faults = z.strictObject({
  /** How many times each webhook is delivered in all. */
  duplicate: z.int().min(1).max(100).optional(),
  /** How long the first delivery of each webhook waits. */
  delayMs: z.int().min(0).max(600_000).optional(),
  /** Webhooks arrive in another order than they happened. */
  shuffle: z.boolean().optional(),
  /** `down`: expiring answers 503. `complete`: the payer has just paid, so the session completes instead. */
  failExpire: z.enum(['down', 'complete']).optional(),
  /** `down`: creating answers 503. `too_small`: refused as below the minimum of the currency. */
  failCreate: z.enum(['down', 'too_small']).optional(),
});
export type Faults = z.infer<typeof faults>;
