/**
 * Commits that stand still half-way: sent by a service, not yet decided. Whoever is killed then never learns whether the
 * commit was made, and the test decides it.
 *
 * A creation is known by its Idempotency-Key, a deletion by the title of its offer: `commit.<point>.…` is held at that point.
 */
import { expect } from '@jest/globals';
import type { Postgres } from '@offer-ads/platform/postgres/postgres';
import { eventually } from '@offer-ads/testing/waiting/eventually';

const LOCK = 4711;

/** Deferred triggers run inside the commit, so that waiting in one of them is waiting in the middle of a commit. */
export async function installCrashPoints(postgres: Postgres): Promise<void> {
  const statements = [
    `CREATE FUNCTION hold_commit(point text, who text) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
       IF starts_with(who, 'commit.' || point || '.') THEN
         PERFORM set_config('application_name', who, true);
         PERFORM pg_advisory_xact_lock_shared(${LOCK});
       END IF;
     END $$`,
    `CREATE FUNCTION hold_creation() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       CASE TG_OP
         WHEN 'INSERT' THEN PERFORM hold_commit('received', NEW.idempotency_key);
         WHEN 'DELETE' THEN PERFORM hold_commit('freed', OLD.idempotency_key);
         ELSE IF NEW.recovery_point <> OLD.recovery_point THEN
           PERFORM hold_commit(NEW.recovery_point, NEW.idempotency_key);
         END IF;
       END CASE;
       RETURN NULL;
     END $$`,
    `CREATE FUNCTION hold_deletion() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       IF NEW.deleting_since IS NOT NULL AND OLD.deleting_since IS NULL THEN PERFORM hold_commit('deleting', NEW.title); END IF;
       IF NEW.deleted_at IS NOT NULL AND OLD.deleted_at IS NULL THEN PERFORM hold_commit('deleted', NEW.title); END IF;
       RETURN NULL;
     END $$`,
    `CREATE CONSTRAINT TRIGGER hold_creation AFTER INSERT OR UPDATE OR DELETE ON idempotency_keys
       DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION hold_creation()`,
    `CREATE CONSTRAINT TRIGGER hold_deletion AFTER UPDATE ON offers
       DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION hold_deletion()`,
  ];
  for (const statement of statements) await postgres.query(statement);
}

export type HeldCommits = {
  /** Waits until exactly these commits stand still. */
  readonly reached: (names: readonly string[]) => Promise<void>;
  /** Undoes the named ones and makes the others. */
  readonly decide: (lost: readonly string[]) => Promise<void>;
};

/** From now on commits of crash points stand still, until they are decided. */
export async function holdCommits(postgres: Postgres): Promise<HeldCommits> {
  const keeper = await postgres.pool.connect();
  await keeper.query('SELECT pg_advisory_lock($1)', [LOCK]);

  const standingStill = async () => {
    const rows = await postgres.query<{ application_name: string }>(
      `SELECT application_name FROM pg_stat_activity
       WHERE datname = current_database() AND starts_with(application_name, 'commit.') ORDER BY 1`,
    );
    return rows.map((row) => row.application_name);
  };
  return {
    reached: (names) => eventually(async () => expect(await standingStill()).toEqual(names.toSorted())),
    decide: async (lost) => {
      try {
        await postgres.query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
           WHERE datname = current_database() AND application_name = ANY ($1)`,
          [lost],
        );
        await eventually(async () => {
          for (const name of await standingStill()) expect(lost).not.toContain(name);
        });
      } finally {
        await keeper.query('SELECT pg_advisory_unlock($1)', [LOCK]);
        keeper.release();
      }
      await eventually(async () => expect(await standingStill()).toEqual([]));
    },
  };
}
