import { setTimeout as pause } from 'node:timers/promises';
import { type Drill, elsewhere } from '../../drill.ts';
import { stutter } from '../../faults/stutter.ts';

const CALLERS = 40;

/** The gateway stands still for three seconds out of four, as a process without a processor does. */
export const requestsSlow: Drill = {
  alert: 'RequestsSlow',
  cause: async (system) => {
    for (let caller = 0; caller < CALLERS; caller += 1)
      system.keepDoing(20, () => system.call('/categories'));
    await pause(2_000);
    stutter(system, 'gateway', { stillMs: 3_500, runMs: 500 });
  },
  mend: [elsewhere('the processes have a processor again', ({ stopDoing }) => stopDoing())],
};
