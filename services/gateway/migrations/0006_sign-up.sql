-- Somebody who registers an organisation by themselves. Nothing of it exists before the address is proved by the link in a mail; until then,
-- and for no longer than the link could be used, a row here holds what was asked for. Of the link only the SHA-256 is kept.
CREATE TABLE sign_ups (
  id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- As it was written, for the person's record; found and counted in lower case.
  email           text NOT NULL,
  name            text NOT NULL,
  trading_name    text NOT NULL,
  country         text NOT NULL,
  currency        text NOT NULL,
  requested_at    timestamptz NOT NULL,
  -- Null: nobody has looked yet whether the address has a place.
  answered_at     timestamptz,
  -- Null: it has one, or may have no link.
  token_sha256    bytea UNIQUE CHECK (length(token_sha256) = 32),
  expires_at      timestamptz,
  completed_at    timestamptz,
  person_id       integer REFERENCES people,
  CHECK ((token_sha256 IS NULL) = (expires_at IS NULL)),
  CHECK ((completed_at IS NULL) = (person_id IS NULL)),
  CHECK (completed_at IS NULL OR token_sha256 IS NOT NULL)
);
CREATE INDEX sign_ups_to_answer ON sign_ups (id) WHERE answered_at IS NULL;
CREATE INDEX sign_ups_email ON sign_ups (lower(email), requested_at);
CREATE INDEX sign_ups_requested_at ON sign_ups (requested_at);
CREATE INDEX sign_ups_person ON sign_ups (person_id) WHERE person_id IS NOT NULL;
ALTER TABLE sign_ups SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
