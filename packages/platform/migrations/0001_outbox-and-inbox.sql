-- The platform's tables, in the database of every service that stores in Postgres. They come before the service's own tables.
-- A service writes its events in the transaction of the change that they tell, and records each handled event in the transaction
-- of its effect (architecture, rule 3).

-- Events that the broker has not confirmed yet, in the order in which they are to be published.
CREATE TABLE outbox (
  position   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- json keeps the text as it was written; jsonb would refuse strings that JSON allows.
  event      json NOT NULL,
  written_at timestamptz NOT NULL DEFAULT now()
);
-- Rows live for milliseconds: vacuum must follow the deletes, not the size of the table.
ALTER TABLE outbox SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

-- Events that the broker has confirmed, kept for two weeks. After a restore they are published again under the same ids, for consumers
-- that were restored to an earlier moment and for a broker that has lost them. Two weeks are less than the 30 days for which an inbox
-- remembers, so no event takes effect twice.
CREATE TABLE sent_events (
  -- As in the outbox.
  position    bigint PRIMARY KEY,
  event       json NOT NULL,
  -- When the event happened. Its age counts from here, however often it is published.
  happened_at timestamptz NOT NULL
);
-- A B-tree, because old rows are removed in small steps that must find them at once. A BRIN index would read the whole table each hour,
-- once newer rows have taken the places of removed ones.
CREATE INDEX sent_events_happened_at ON sent_events (happened_at);

-- Events that were handled, written in the same transaction as their effect.
CREATE TABLE inbox (
  event_id   uuid PRIMARY KEY,
  handled_at timestamptz NOT NULL DEFAULT now()
);
-- A B-tree for the same reason.
CREATE INDEX inbox_by_time ON inbox (handled_at);

-- The audit log of the service's admin routes (ADR 42): one row for each changing call, written before the call is carried out.
CREATE TABLE audit_entries (
  id              uuid PRIMARY KEY,
  -- In milliseconds, as in cursors.
  at              timestamptz(3) NOT NULL,
  actor           text NOT NULL,
  subject         text,
  roles           text[] NOT NULL,
  via             text NOT NULL CHECK (via IN ('token', 'console', 'emergency', 'portal')),
  action          text NOT NULL,
  targets         text[] NOT NULL,
  organisation_id bigint,
  reason          text,
  details         jsonb NOT NULL,
  request_id      text NOT NULL,
  trace_id        text,
  -- The HTTP status of the reply. Null until then; it stays null if the process ends before the reply.
  status          smallint
);
CREATE INDEX audit_entries_by_time ON audit_entries (at, id);

-- An entry may be completed once, and removed after 90 days or more (AUDIT_RETENTION_DAYS). Every other change is refused.
CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  outcome CONSTANT text[] := '{status,targets,organisation_id}';
BEGIN
  IF TG_OP = 'UPDATE' THEN
    IF OLD.status IS NULL AND NEW.status IS NOT NULL AND NEW.targets @> OLD.targets
       AND NEW.organisation_id IS NOT DISTINCT FROM coalesce(OLD.organisation_id, NEW.organisation_id)
       AND to_jsonb(NEW) - outcome = to_jsonb(OLD) - outcome THEN
      RETURN NEW;
    END IF;
  ELSIF TG_OP = 'DELETE' THEN
    IF OLD.at < now() - interval '90 days' THEN
      RETURN OLD;
    END IF;
  END IF;
  RAISE EXCEPTION 'entries of the audit log may not be changed or removed';
END
$$;
CREATE TRIGGER audit_entries_stay BEFORE UPDATE OR DELETE ON audit_entries
  FOR EACH ROW EXECUTE FUNCTION refuse_audit_change();
CREATE TRIGGER audit_entries_stay_together BEFORE TRUNCATE ON audit_entries
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();
