import { setTimeout as pause } from 'node:timers/promises';
import { type Drill, elsewhere } from '../../drill.ts';
import { stopAndContinue } from '../../faults/stop-and-continue.ts';

const CALLERS = 40;

/** The gateway is stopped for 3.5 seconds out of four, as on a machine without free processor time. */
export const requestsSlow: Drill = {
  alert: 'RequestsSlow',
  cause: async (system) => {
    for (let caller = 0; caller < CALLERS; caller += 1) system.repeat(20, () => system.call('/categories'));
    await pause(2_000);
    stopAndContinue(system, 'gateway', { stoppedMs: 3_500, runningMs: 500 });
  },
  mend: [elsewhere('the processes have a processor again', ({ stopRepeating }) => stopRepeating())],
};
