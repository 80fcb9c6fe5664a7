/** Transactions that somebody began and forgot, with their locks. Our own transactions never wait that long. */
import type { Drill } from '../drill.ts';
import { run } from '../drill.ts';
import type { DatabaseName } from './open-locks.ts';

export function endForgotten(database: DatabaseName): Drill['mend'] {
  return [
    run(
      `sql ${database} -c "SELECT pid, application_name, usename, state, now() - xact_start AS since, left(query, 60) AS query FROM pg_stat_activity WHERE datname = current_database() AND xact_start < now() - interval '10 seconds' ORDER BY xact_start"`,
    ),
    run(
      `sql ${database} -c "SELECT pid, pg_terminate_backend(pid) AS ended FROM pg_stat_activity WHERE datname = current_database() AND state = 'idle in transaction' AND state_change < now() - interval '10 seconds'"`,
    ),
  ];
}
