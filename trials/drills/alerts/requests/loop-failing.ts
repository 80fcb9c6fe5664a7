import type { Drill } from '../../drill.ts';
import { endForgotten } from '../../faults/forgotten-transactions.ts';

/** A forgotten session locks the sign-in requests: the loop that answers them fails, and nobody gets a link. */
export const loopFailing: Drill = {
  alert: 'LoopFailing',
  cause: ({ locks }) => locks.hold('gateway', 'LOCK TABLE sign_in_requests IN ACCESS EXCLUSIVE MODE'),
  mend: endForgotten('gateway'),
};
