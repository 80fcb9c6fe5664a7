-- What billing keeps of organisations, from the gateway's events: documents carry their names, and a top-up by card needs the
-- country. Requests bring these facts in the caller context and do not wait for this table.
CREATE TABLE organisations (
  organisation_id bigint PRIMARY KEY,
  name            text NOT NULL,
  country         text NOT NULL,
  currency        text NOT NULL,
  -- Of the last event applied; an older one that arrives late changes nothing.
  version         bigint NOT NULL
);
