import { type Drill, elsewhere, run } from '../../drill.ts';
import { runLine } from '../../runbooks/runbook-line.ts';

/** The bank's file breaks off in the middle. */
export const ratesRefused: Drill = {
  alert: 'RatesRefused',
  cause: async (system) => {
    await system.simulate('rates', { malformed: true });
    await runLine(system, 'admin rates refresh').catch(() => {});
  },
  mend: [
    elsewhere('the bank’s file is whole again', ({ simulate }) => simulate('rates', {})),
    run('admin rates refresh'),
  ],
};
