import { type Drill, elsewhere } from '../../drill.ts';
import { killWorkers } from '../../faults/kill-worker.ts';

/** The threads of the model are ended from outside, as when their memory runs out. */
export const modelWorkerDying: Drill = {
  alert: 'ModelWorkerDying',
  cause: async ({ keepDoing, inspectorPort }) => keepDoing(2_000, () => killWorkers(inspectorPort)),
  mend: [elsewhere('nothing ends the threads any more', ({ stopDoing }) => stopDoing())],
};
