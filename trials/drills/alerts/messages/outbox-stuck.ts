import { type Drill, run } from '../../drill.ts';
import { topUp } from '../../faults/traffic.ts';

/** A session holds the lock by which the relay is elected. */
export const outboxStuck: Drill = {
  alert: 'OutboxStuck',
  cause: async (system) => {
    await system.locks.hold('billing', "SELECT pg_advisory_xact_lock(hashtextextended('outbox-relay', 0))");
    await topUp(system);
  },
  mend: [
    run(
      `sql billing -c "SELECT pid, application_name, usename, now() - xact_start AS since, pg_terminate_backend(pid) AS ended FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE locktype = 'advisory' AND ((classid::bigint << 32) | objid::bigint) = hashtextextended('outbox-relay', 0) AND now() - xact_start > interval '10 seconds'"`,
    ),
  ],
};
