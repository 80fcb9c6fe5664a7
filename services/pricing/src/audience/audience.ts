/** Counts the members that a price depends on. */
import type { MembersCheck } from '@offer-ads/contracts/admin/pricing-api';
import type { Target } from '@offer-ads/contracts/audience/target';
import type { Deadline } from '@offer-ads/platform/calls/deadline';

export type AudienceEngine = {
  /**
   * How many active, not banned members a target reaches: exact (specification, "Price rules" 4).
   * @param deadline if it ends because the caller disconnects, the count stops
   */
  readonly count: (target: Target, deadline?: Deadline) => Promise<number>;
};

/** The audience engine chosen by configuration. */
export type Audience = AudienceEngine &
  AsyncDisposable & {
    /** What still prevents complete counts, for `/readyz`; empty if nothing does. */
    readonly waitsFor: () => Promise<readonly string[]>;
    /** True when counts include everything that was written before the call; false if that takes too long. */
    readonly includesWritten: () => Promise<boolean>;
    /** Compares what is counted with MongoDB; null if MongoDB itself counts. */
    readonly check: ((o: { readonly repair: boolean }) => Promise<MembersCheck>) | null;
  };
