/** The count behind every price. */
import type { Deadline } from '@offer-ads/platform/deadline';
import type { Target } from './domain/target.ts';

export type AudienceEngine = {
  /**
   * How many active, not banned members a target reaches: exact (specification, "Price rules" 4).
   * @param deadline of an awaited one the count stops when the caller leaves
   */
  readonly count: (target: Target, deadline?: Deadline) => Promise<number>;
};
