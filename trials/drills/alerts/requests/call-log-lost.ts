import { query } from '../../../harness/sql.ts';
import { type Drill, run } from '../../drill.ts';

/** Somebody changed the table by hand, so that it refuses the gateway's rows. */
export const callLogLost: Drill = {
  alert: 'CallLogLost',
  cause: async ({ stores, repeat, call }) => {
    await query(
      stores.databases.gateway,
      'ALTER TABLE calls ADD CONSTRAINT by_hand CHECK (duration_ms < 0) NOT VALID',
    );
    repeat(200, () => call('/categories'));
  },
  mend: [
    run(
      `sql gateway -c "SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 'calls'::regclass AND contype = 'c'"`,
    ),
    run('sql gateway -c "ALTER TABLE calls DROP CONSTRAINT IF EXISTS by_hand"'),
  ],
};
