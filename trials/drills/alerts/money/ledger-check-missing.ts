import { query } from '../../../harness/sql.ts';
import { type Drill, run } from '../../drill.ts';

/** The record of the last check is made three hours older, which counts as four days with accelerated rules. */
export const ledgerCheckMissing: Drill = {
  alert: 'LedgerCheckMissing',
  cause: async ({ stores }) => {
    await query(
      stores.databases.billing,
      "UPDATE ledger_checks SET checked_at = checked_at - interval '3 hours'",
    );
  },
  mend: [run('admin ledger check')],
};
