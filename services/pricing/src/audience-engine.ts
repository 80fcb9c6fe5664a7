/** The count behind every price. */
import type { Target } from './domain/target.ts';

export type AudienceEngine = {
  /** How many active, not banned members a target reaches: exact (specification, "Price rules" 4). */
  readonly count: (target: Target) => Promise<number>;
};
