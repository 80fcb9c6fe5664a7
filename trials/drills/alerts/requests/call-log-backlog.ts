import type { Drill } from '../../drill.ts';
import { endForgotten } from '../../faults/forgotten-transactions.ts';

/** A forgotten session locks the call log: calls are answered, and logged later. */
export const callLogBacklog: Drill = {
  alert: 'CallLogBacklog',
  cause: async ({ locks, repeat, call }) => {
    await locks.hold('gateway', 'LOCK TABLE calls IN ACCESS EXCLUSIVE MODE');
    repeat(200, () => call('/categories'));
  },
  mend: endForgotten('gateway'),
};
