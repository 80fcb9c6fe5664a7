-- Every service with a Postgres store writes its events beside its state and remembers what it has handled
-- (architecture, rule 3), so these two tables come before any of the service's own.

-- Events that the broker has not confirmed yet, in the order in which they are to be published.
CREATE TABLE outbox (
  position   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- json keeps the text as it was written; jsonb would refuse strings that JSON allows.
  event      json NOT NULL,
  written_at timestamptz NOT NULL DEFAULT now()
);
-- Rows live for milliseconds: vacuum must follow the deletes, not the size of the table.
ALTER TABLE outbox SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

-- Events that were handled, written in the same transaction as their effect.
CREATE TABLE inbox (
  event_id   uuid PRIMARY KEY,
  handled_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX inbox_handled_at ON inbox USING brin (handled_at);
