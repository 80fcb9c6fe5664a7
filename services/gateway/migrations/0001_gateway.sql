-- What the gateway owns: who may call (organisations, people, keys), under which terms, how people sign up and sign in to the portal,
-- and the log of calls. Wherever a column names a person who acted, null means the platform team.

---- Organisations and people ----

CREATE TABLE organisations (
  id            integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name          text NOT NULL,
  trading_name  text NOT NULL,
  country       text NOT NULL CHECK (country ~ '^[A-Z]{2}$'),
  -- Chosen at registration and never changed (specification, price rule 8).
  currency      text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
  enabled       boolean NOT NULL DEFAULT true,
  -- Raised with every change of facts that other services know; orders the events of the organisation.
  version       integer NOT NULL DEFAULT 1,
  registered_at timestamptz NOT NULL,
  -- Null: waiting for approval. Until then the organisation has no LIVE mode and works with made-up members only: a stranger who
  -- registered an hour ago must learn nothing about real members.
  approved_at   timestamptz,
  -- A name of the platform team, as the admin call gave it, or how the organisation came to be approved by itself.
  approved_by   text,
  -- What its invoices show beside name and country: an empty address means that none was given.
  billing_address text[] NOT NULL DEFAULT '{}',
  vat_number    text,
  purchase_order text,
  -- The time zone of days in the portal, by its name in the IANA database. Null: none was chosen, and UTC is used.
  time_zone      text,
  CHECK ((approved_at IS NULL) = (approved_by IS NULL))
);
-- What staff look for among many: those that wait for approval, disabled ones, and parts of names. A database's owner may create the
-- extension.
CREATE INDEX organisations_waiting ON organisations (id) WHERE approved_at IS NULL;
CREATE INDEX organisations_disabled ON organisations (id) WHERE NOT enabled;
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE INDEX organisations_by_name ON organisations USING gin (lower(name) gin_trgm_ops, lower(trading_name) gin_trgm_ops);

CREATE TABLE people (
  id                integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  organisation_id   integer NOT NULL REFERENCES organisations,
  email             text NOT NULL,
  role              text NOT NULL CHECK (role IN ('admin', 'developer', 'marketer', 'finance', 'viewer')),
  enabled           boolean NOT NULL DEFAULT true,
  invited_at        timestamptz NOT NULL,
  -- Null: never yet. An address signs in to its most recent membership.
  last_signed_in_at timestamptz,
  -- Since then the row has a made-up address and only says that a person did what refers to it (decision 256, erasure of a person).
  erased_at         timestamptz CHECK (erased_at IS NULL OR NOT enabled)
);
CREATE UNIQUE INDEX people_email ON people (organisation_id, lower(email));
-- One address may belong to people of several organisations: signing in and switching look them up by it.
CREATE INDEX people_by_email ON people (lower(email));
CREATE INDEX people_by_part_of_email ON people USING gin (lower(email) gin_trgm_ops);

-- Every invitation that was sent; their number in a day is bounded by counting them. Whoever has signed in
-- (people.last_signed_in_at) has accepted.
CREATE TABLE invitations (
  id        integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  person_id integer NOT NULL REFERENCES people,
  sent_by   integer REFERENCES people,
  sent_at   timestamptz NOT NULL
);
CREATE INDEX invitations_person ON invitations (person_id, sent_at);

-- The most offers that may be neither deleted nor Ended (decision 17, quota of offers).
CREATE TABLE quotas (
  organisation_id  integer NOT NULL REFERENCES organisations,
  mode             text NOT NULL CHECK (mode IN ('TEST', 'LIVE')),
  per_person       integer NOT NULL CHECK (per_person >= 0),
  per_organisation integer NOT NULL CHECK (per_organisation >= 0),
  PRIMARY KEY (organisation_id, mode)
);

-- What each person of a role may order in a UTC day and a calendar month; null: any amount. A role without a row has no limit.
CREATE TABLE spending_limits (
  organisation_id integer NOT NULL REFERENCES organisations,
  role            text NOT NULL CHECK (role IN ('admin', 'marketer')),
  per_day_minor   bigint CHECK (per_day_minor >= 0),
  per_month_minor bigint CHECK (per_month_minor >= 0),
  PRIMARY KEY (organisation_id, role)
);

-- Places by a name, such as the branches of a chain, for new offers; the same in both modes.
CREATE TABLE saved_places (
  id              integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  organisation_id integer NOT NULL REFERENCES organisations ON DELETE CASCADE,
  name            text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 80),
  latitude        double precision NOT NULL CHECK (latitude BETWEEN -90 AND 90),
  longitude       double precision NOT NULL CHECK (longitude BETWEEN -180 AND 180),
  -- Null: that of the offer.
  radius_miles    smallint CHECK (radius_miles BETWEEN 5 AND 30)
);
CREATE UNIQUE INDEX saved_places_name ON saved_places (organisation_id, lower(name));

-- What staff note about an organisation for each other (decision 277, notes of staff).
CREATE TABLE organisation_notes (
  id              integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  organisation_id integer NOT NULL REFERENCES organisations ON DELETE CASCADE,
  text            text NOT NULL CHECK (char_length(text) BETWEEN 1 AND 2000),
  written_at      timestamptz NOT NULL,
  -- The name of a person of the platform team.
  written_by      text NOT NULL
);
CREATE INDEX organisation_notes_organisation ON organisation_notes (organisation_id, id);

CREATE TABLE terms_versions (
  id           integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  version      text NOT NULL UNIQUE,
  published_at timestamptz NOT NULL,
  -- Null: from its publication on.
  holds_from   timestamptz,
  text         text NOT NULL CHECK (char_length(text) BETWEEN 1 AND 100000)
);

CREATE TABLE terms_acceptances (
  organisation_id  integer NOT NULL REFERENCES organisations,
  terms_version_id integer NOT NULL REFERENCES terms_versions,
  accepted_at      timestamptz NOT NULL,
  accepted_by      integer REFERENCES people,
  PRIMARY KEY (organisation_id, terms_version_id)
);

---- API keys ----

-- Nothing from which a key could be recovered (decision 24, form of keys). Rows stay for ever: the call log refers
-- to them.
CREATE TABLE api_keys (
  id                  integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- Both null: a placement key. It belongs to the community platform (decision 203, placement keys).
  organisation_id     integer REFERENCES organisations,
  created_by          integer REFERENCES people,
  sha256              bytea NOT NULL UNIQUE CHECK (length(sha256) = 32),
  last_four           text NOT NULL CHECK (length(last_four) = 4),
  -- Null: a key with no recorded mode, which is refused (specification, Authentication item 7).
  mode                text CHECK (mode IN ('TEST', 'LIVE')),
  name                text NOT NULL,
  created_at          timestamptz NOT NULL,
  expires_at          timestamptz,
  disabled_at         timestamptz,
  -- Who disabled or rolled it.
  disabled_by         integer REFERENCES people,
  -- The key that this one replaced; a key is rolled once at most.
  rolled_from         integer UNIQUE REFERENCES api_keys,
  last_used_at        timestamptz,
  -- A limit of the key itself, for an integration that runs on many machines. Null: only the limit per client IP applies.
  requests_per_minute integer CHECK (requests_per_minute BETWEEN 1 AND 1000000),
  -- What the key may do, from where, and how much it may spend: `keyRights` in packages/contracts/src/values/key-rights.ts.
  rights              jsonb NOT NULL DEFAULT
    '{"access": "full", "addresses": [], "spendingPerDayMinor": null, "spendingPerMonthMinor": null}',
  -- The first of the keys that were rolled one into the next: what they spend is counted together. Null: this one.
  spends_as           integer REFERENCES api_keys,
  CHECK ((organisation_id IS NULL) = (created_by IS NULL)),
  CHECK (organisation_id IS NOT NULL OR (mode IS NOT NULL AND requests_per_minute IS NOT NULL))
-- Room in each page, so that noting a key's last use changes no index (HOT).
) WITH (fillfactor = 80);
CREATE INDEX api_keys_organisation ON api_keys (organisation_id);
CREATE INDEX api_keys_of_placements ON api_keys (id) WHERE organisation_id IS NULL;

---- Signing up ----

-- People who register an organisation by themselves. The organisation is made when the link in the mail proves the address; until then,
-- and only for as long as the link can be used, a row here holds what was asked for. Of the link only the SHA-256 is kept.
CREATE TABLE sign_ups (
  id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- As it was written, for the person's record; found and counted in lower case.
  email         text NOT NULL,
  name          text NOT NULL,
  trading_name  text NOT NULL,
  country       text NOT NULL,
  currency      text NOT NULL,
  requested_at  timestamptz NOT NULL,
  -- When many sign up, requests wait in a queue that is fair between networks, so that no network can fill it for all others.
  network       text,
  -- Null: it waits in the queue.
  answered_at   timestamptz,
  -- Null: the address has an account already, or may have no link.
  token_sha256  bytea UNIQUE CHECK (length(token_sha256) = 32),
  expires_at    timestamptz,
  completed_at  timestamptz,
  person_id     integer REFERENCES people,
  CHECK ((token_sha256 IS NULL) = (expires_at IS NULL)),
  CHECK ((completed_at IS NULL) = (person_id IS NULL)),
  CHECK (completed_at IS NULL OR token_sha256 IS NOT NULL)
);
CREATE INDEX sign_ups_to_answer ON sign_ups (id) WHERE answered_at IS NULL;
CREATE INDEX sign_ups_email ON sign_ups (lower(email), requested_at);
CREATE INDEX sign_ups_requested_at ON sign_ups (requested_at);
CREATE INDEX sign_ups_person ON sign_ups (person_id) WHERE person_id IS NOT NULL;
ALTER TABLE sign_ups SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

---- Signing in to the portal (decision 26, roles) ----
-- By a one-time link sent by email. No row holds anything with which somebody could sign in: of links and session tokens only the
-- SHA-256 is kept.

-- Requests for a link that are not answered yet. Known and unknown addresses alike, so that a request takes the same time for both;
-- a row lives for milliseconds.
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
  -- The token before the last rotation. Until the present token is confirmed, the salt beside it lets the owner of the previous token
  -- receive the present one once more.
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

---- The call log ----

-- Exactly the fields of the specification (Authentication, item 10): no body, no query string, no IP. One partition per UTC day: 90 days
-- are kept, and a day is dropped in milliseconds, where deleting its rows would take minutes and leave the space behind.
--
-- A row carries its organisation, although its key has it too: a page by organisation then walks along one index, newest day first,
-- and stops when the page is full. Otherwise every page would merge the walks of all keys that the organisation ever had. Measured with
-- 18 million calls in 98 days, half of them of one organisation with 40 keys, on two busy cores: a page of 100 takes 13 ms (nearly all
-- of it planning), the merge 50 to 70 ms and more with every key, a plain join over keys more than 2 s. It costs 92 bytes a call.
--
-- No foreign keys. A row is only made by a join with api_keys, whose rows stay for ever. The check would cost a look-up per call, and
-- attaching or dropping a day would lock api_keys against the look-ups of requests.
--
-- No default partition: with one, attaching a day locks and scans it, and pages lose their order by partition. The writer makes
-- a day that is missing (src/call-log/calls-partitions-store.ts).
CREATE TABLE calls (
  -- Given by the process that answered, so that a batch that is written twice counts once. The time of a call never changes, so the
  -- pair is as unique as the id.
  id              uuid NOT NULL,
  called_at       timestamptz NOT NULL,
  -- 0: the community platform, with a placement key.
  organisation_id integer NOT NULL,
  key_id          integer NOT NULL,
  duration_ms     integer NOT NULL,
  status          smallint NOT NULL,
  route           text NOT NULL,
  return_code     text,
  -- The X-Request-Id of the reply: of the caller, or made by the gateway.
  request_id      text NOT NULL,
  PRIMARY KEY (id, called_at)
) PARTITION BY RANGE (called_at);
CREATE INDEX calls_by_organisation ON calls (organisation_id, called_at, id);
CREATE INDEX calls_by_key ON calls (key_id, called_at, id);

---- The status page ----

-- When a part of the system did not answer, as the replicas have seen it. Two rows of one part never overlap.
CREATE TABLE outages (
  name     text NOT NULL,
  began_at timestamptz NOT NULL,
  ended_at timestamptz CHECK (ended_at >= began_at),
  PRIMARY KEY (name, began_at)
);
CREATE UNIQUE INDEX outages_open ON outages (name) WHERE ended_at IS NULL;
