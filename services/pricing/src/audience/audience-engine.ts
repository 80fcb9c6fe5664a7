/** The count behind every price. */
import type { MembersCheck } from '@offer-ads/contracts/admin/pricing-api';
import type { Deadline } from '@offer-ads/platform/calls/deadline';
import type { Target } from '../domain/target.ts';

export type AudienceEngine = {
  /**
   * How many active, not banned members a target reaches: exact (specification, "Price rules" 4).
   * @param deadline of an awaited one the count stops when the caller leaves
   */
  readonly count: (target: Target, deadline?: Deadline) => Promise<number>;
};

/** An engine with its life in the service, behind which nobody needs to know which one it is. */
export type Audience = AudienceEngine &
  AsyncDisposable & {
    /** What keeps it from counting everybody, for `/readyz`; empty: nothing. */
    readonly waitsFor: () => Promise<readonly string[]>;
    /** True once counts include everything that was written before the call; false when that takes too long. */
    readonly includesWritten: () => Promise<boolean>;
    /** Compares what it counts with what MongoDB holds; null where these are the same thing. */
    readonly check: ((o: { readonly repair: boolean }) => Promise<MembersCheck>) | null;
  };
