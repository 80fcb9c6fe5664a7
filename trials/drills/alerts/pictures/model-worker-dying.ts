import { type Drill, elsewhere } from '../../drill.ts';
import { killWorkers } from '../../faults/kill-worker.ts';

/** The threads of the model are ended from outside, as when their memory runs out. */
export const modelWorkerDying: Drill = {
  alert: 'ModelWorkerDying',
  cause: async ({ repeat, inspectorPortOf }) =>
    repeat(2_000, () => killWorkers(inspectorPortOf('moderation'))),
  mend: [elsewhere('nothing ends the threads any more', ({ stopRepeating }) => stopRepeating())],
};
