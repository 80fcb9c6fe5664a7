-- What the gateway owns: who may call (organisations, people, keys), under which terms, and what was called.

CREATE TABLE organisations (
  id            integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name          text NOT NULL,
  trading_name  text NOT NULL,
  country       text NOT NULL CHECK (country ~ '^[A-Z]{2}$'),
  -- Chosen at registration and never changed (specification, price rule 8).
  currency      text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
  enabled       boolean NOT NULL DEFAULT true,
  -- Raised with every change of facts that others know; orders the events of the organisation.
  version       integer NOT NULL DEFAULT 1,
  registered_at timestamptz NOT NULL
);

CREATE TABLE people (
  id              integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  organisation_id integer NOT NULL REFERENCES organisations,
  email           text NOT NULL,
  role            text NOT NULL CHECK (role IN ('admin', 'developer', 'marketer')),
  enabled         boolean NOT NULL DEFAULT true,
  invited_at      timestamptz NOT NULL
);
CREATE UNIQUE INDEX people_email ON people (organisation_id, lower(email));

-- Most offers that may be neither deleted nor Ended (decision 17).
CREATE TABLE quotas (
  organisation_id  integer NOT NULL REFERENCES organisations,
  mode             text NOT NULL CHECK (mode IN ('TEST', 'LIVE')),
  per_person       integer NOT NULL CHECK (per_person >= 0),
  per_organisation integer NOT NULL CHECK (per_organisation >= 0),
  PRIMARY KEY (organisation_id, mode)
);

CREATE TABLE terms_versions (
  id           integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  version      text NOT NULL UNIQUE,
  published_at timestamptz NOT NULL
);

CREATE TABLE terms_acceptances (
  organisation_id  integer NOT NULL REFERENCES organisations,
  terms_version_id integer NOT NULL REFERENCES terms_versions,
  accepted_at      timestamptz NOT NULL,
  PRIMARY KEY (organisation_id, terms_version_id)
);

-- Nothing from which a key could be recovered (decision 24). Rows stay for ever: the call log refers to them.
CREATE TABLE api_keys (
  id              integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  organisation_id integer NOT NULL REFERENCES organisations,
  created_by      integer NOT NULL REFERENCES people,
  sha256          bytea NOT NULL UNIQUE CHECK (length(sha256) = 32),
  last_four       text NOT NULL CHECK (length(last_four) = 4),
  -- Null: an old key from before modes were recorded.
  mode            text CHECK (mode IN ('TEST', 'LIVE')),
  name            text NOT NULL,
  created_at      timestamptz NOT NULL,
  expires_at      timestamptz,
  disabled_at     timestamptz,
  last_used_at    timestamptz
);
CREATE INDEX api_keys_organisation ON api_keys (organisation_id);

-- Exactly the fields of the specification (Authentication, item 10): no body, no query string, no IP.
CREATE TABLE calls (
  -- Given by the process that answered, so that a batch that is written twice counts once.
  id          uuid PRIMARY KEY,
  key_id      integer NOT NULL REFERENCES api_keys,
  route       text NOT NULL,
  status      smallint NOT NULL,
  return_code text,
  duration_ms integer NOT NULL,
  called_at   timestamptz NOT NULL
);
CREATE INDEX calls_by_key ON calls (key_id, called_at DESC);
-- Rows arrive in the order of time, so that the 90 days of retention need next to no index.
CREATE INDEX calls_by_time ON calls USING brin (called_at);
