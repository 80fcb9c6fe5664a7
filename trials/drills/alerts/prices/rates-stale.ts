import { type Drill, elsewhere, run } from '../../drill.ts';
import { runLine } from '../../runbooks/runbook-line.ts';

/** The bank publishes the file of ten days ago, and an admin has accepted it. */
export const ratesStale: Drill = {
  alert: 'RatesStale',
  cause: async (system) => {
    await system.simulate('rates', { staleDays: 10 });
    await runLine(system, 'admin rates refresh');
  },
  mend: [
    elsewhere('the bank publishes again', ({ simulate }) => simulate('rates', {})),
    run('admin rates refresh'),
  ],
};
