-- One row per Idempotency-Key of POST /offers, with the recovery point of the creation that it names (architecture,
-- "Creating an offer"). A refusal deletes the row and so frees the key; a finished row stays for ever (decision 10).
CREATE TABLE idempotency_keys (
  organisation_id integer NOT NULL,
  mode            text NOT NULL CHECK (mode IN ('TEST', 'LIVE')),
  idempotency_key text NOT NULL,
  -- SHA-256 over every field and the bytes of the image.
  fingerprint     bytea NOT NULL,
  recovery_point  text NOT NULL CHECK (recovery_point IN ('received', 'checked', 'charging', 'finished')),
  -- Whoever holds the lease works on the creation. Each new holder raises the fence; a write with an old one is void.
  lease_until     timestamptz(3) NOT NULL,
  fence           integer NOT NULL,
  -- From checked on: the price and the cleaned picture.
  checks          jsonb,
  -- From charging on: the reservation.
  offer_id        integer REFERENCES offers,
  -- Once finished: the reply that every replay gives again. json, because it must come back as it was written.
  reply           json,
  PRIMARY KEY (organisation_id, mode, idempotency_key),
  CHECK ((recovery_point IN ('charging', 'finished')) = (offer_id IS NOT NULL)),
  CHECK ((recovery_point = 'finished') = (reply IS NOT NULL))
);

-- What the sweep looks through: creations that somebody is at, or has left.
CREATE INDEX idempotency_keys_unfinished ON idempotency_keys (lease_until) WHERE recovery_point <> 'finished';
CREATE INDEX idempotency_keys_offer ON idempotency_keys (offer_id);
