/**
 * Kills a process of the service while requests stand still at crash points: in a call to another service, before anything was done for it
 * (`call.<name>.asked`) or before its answer leaves (`call.<name>.done`); or in a commit that the service has sent and nobody has decided
 * (`commit.<point>.lost` and `.made`). The process never learns what became of the commit; the test decides it.
 *
 * The names of requests begin with their crash points. A creation has its name as Idempotency-Key, a deletion as title of its offer, and both
 * as request id.
 */
import { expect } from '@jest/globals';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import type { OffersUnderTest } from '../offers-under-test.ts';
import type { Victim } from './victims.ts';

const LOCK = 4711;

/** Deferred triggers run inside the commit, so a trigger that waits holds up the commit. */
export async function installCrashPoints({ postgres }: OffersUnderTest): Promise<void> {
  await postgres.query(
    `CREATE FUNCTION hold_commit(point text, who text) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
       IF starts_with(who, 'commit.' || point || '.') THEN
         PERFORM set_config('application_name', who, true);
         PERFORM pg_advisory_xact_lock_shared(${LOCK});
       END IF;
     END $$;
     CREATE FUNCTION hold_creation() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       CASE TG_OP
         WHEN 'INSERT' THEN PERFORM hold_commit('received', NEW.idempotency_key);
         WHEN 'DELETE' THEN PERFORM hold_commit('freed', OLD.idempotency_key);
         ELSE IF NEW.recovery_point <> OLD.recovery_point THEN
           PERFORM hold_commit(NEW.recovery_point, NEW.idempotency_key);
         END IF;
       END CASE;
       RETURN NULL;
     END $$;
     CREATE FUNCTION hold_deletion() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       IF NEW.deleting_since IS NOT NULL AND OLD.deleting_since IS NULL THEN PERFORM hold_commit('deleting', NEW.title); END IF;
       IF NEW.deleted_at IS NOT NULL AND OLD.deleted_at IS NULL THEN PERFORM hold_commit('deleted', NEW.title); END IF;
       RETURN NULL;
     END $$;
     CREATE CONSTRAINT TRIGGER hold_creation AFTER INSERT OR UPDATE OR DELETE ON idempotency_keys
       DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION hold_creation();
     CREATE CONSTRAINT TRIGGER hold_deletion AFTER UPDATE ON offers
       DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION hold_deletion()`,
  );
}

/** Sends all requests, waits until each stands still at its crash point, and kills the process. */
export async function killDuring(
  under: OffersUnderTest,
  victim: Victim,
  names: readonly string[],
  send: (name: string) => Promise<void>,
): Promise<void> {
  const { postgres, otherServices } = under;
  const keeper = await postgres.pool.connect();
  await keeper.query('SELECT pg_advisory_lock($1)', [LOCK]);
  const heldCommits = async () => {
    const rows = await postgres.query<{ application_name: string }>(
      `SELECT application_name FROM pg_stat_activity
       WHERE datname = current_database() AND starts_with(application_name, 'commit.')`,
    );
    return rows.map((row) => row.application_name);
  };
  const heldCalls = new Set<string>();
  const given = Promise.withResolvers<never>();
  given.promise.catch(() => {});
  otherServices.onCall = async ({ name, when, requestId }) => {
    if (!requestId.startsWith(`call.${name}.${when}`)) return;
    heldCalls.add(requestId);
    await given.promise;
  };
  const sent = Promise.all(names.map(send));
  const reached = eventually(async () =>
    expect([...heldCalls, ...(await heldCommits())].toSorted()).toEqual(names.toSorted()),
  );
  try {
    // A request that is answered before the kill fails here.
    await Promise.race([reached, sent]);
  } finally {
    await victim.kill();
    otherServices.onCall = async () => {};
    const lost = names.filter((name) => name.includes('.lost'));
    try {
      await postgres.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND application_name = ANY ($1)`,
        [lost],
      );
      await eventually(async () => {
        for (const name of await heldCommits()) expect(lost).not.toContain(name);
      });
    } finally {
      await keeper.query('SELECT pg_advisory_unlock($1)', [LOCK]);
      keeper.release();
    }
    await eventually(async () => expect(await heldCommits()).toEqual([]));
    given.reject(new Error('the process that waits for this answer is dead'));
  }
  await sent;
}
