-- The last check of the ledger that came to its end, whoever asked for it: so that every replica tells of it, after a restart too, and
-- so that one of them knows when the next is due.
CREATE TABLE ledger_checks (
  only_row     boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  checked_at   timestamptz NOT NULL,
  transactions bigint NOT NULL,
  -- As many as it counted before it stopped; which ones, a check tells a person.
  problems     integer NOT NULL
);
