-- Signing in to the portal by a one-time link sent by email (decision 26), and the sessions that follow. No row holds
-- anything with which somebody could sign in: of links and session tokens only the SHA-256 is kept.

-- One address may belong to people of several organisations: signing in and switching look them up by it.
CREATE INDEX people_by_email ON people (lower(email));
-- Null: never yet. The most recent membership of an address is the one that it signs in to.
ALTER TABLE people ADD COLUMN last_signed_in_at timestamptz;

-- Who asked for a link and was not answered yet. Known and unknown addresses alike, so that asking takes the same work
-- for both; a row lives for milliseconds.
CREATE TABLE sign_in_requests (
  id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  email        text NOT NULL CHECK (email = lower(email)),
  requested_at timestamptz NOT NULL
);
ALTER TABLE sign_in_requests SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

CREATE TABLE sign_in_links (
  token_sha256 bytea PRIMARY KEY CHECK (length(token_sha256) = 32),
  person_id    integer NOT NULL REFERENCES people,
  -- Where the link was sent: it proves this address and no other, even if the person's is changed meanwhile.
  email        text NOT NULL CHECK (email = lower(email)),
  purpose      text NOT NULL CHECK (purpose IN ('sign-in', 'invitation')),
  issued_at    timestamptz NOT NULL,
  expires_at   timestamptz NOT NULL,
  used_at      timestamptz
);
CREATE INDEX sign_in_links_person ON sign_in_links (person_id);
CREATE INDEX sign_in_links_email ON sign_in_links (email, issued_at);
CREATE INDEX sign_in_links_expiry ON sign_in_links (expires_at);

CREATE TABLE portal_sessions (
  id              uuid PRIMARY KEY,
  person_id       integer NOT NULL REFERENCES people,
  -- The address that the link proved: the session reaches the memberships of this address and no others.
  email           text NOT NULL CHECK (email = lower(email)),
  token_sha256    bytea NOT NULL UNIQUE CHECK (length(token_sha256) = 32),
  -- The token before the last rotation and, until the present one is confirmed, the salt by which the owner of the
  -- previous one can be given the present one once more.
  previous_sha256 bytea UNIQUE CHECK (length(previous_sha256) = 32),
  rotation_salt   bytea CHECK (length(rotation_salt) = 32),
  rotated_at      timestamptz NOT NULL,
  -- When the present token was first shown; null while the browser may not have received it.
  confirmed_at    timestamptz,
  csrf_token      text NOT NULL,
  created_at      timestamptz NOT NULL,
  last_used_at    timestamptz NOT NULL,
  expires_at      timestamptz NOT NULL,
  CHECK (rotation_salt IS NULL OR (previous_sha256 IS NOT NULL AND confirmed_at IS NULL))
);
CREATE INDEX portal_sessions_email ON portal_sessions (email);
CREATE INDEX portal_sessions_person ON portal_sessions (person_id);
CREATE INDEX portal_sessions_expiry ON portal_sessions (expires_at);
