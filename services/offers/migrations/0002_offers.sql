-- Facts only: what an offer is like and what happened to it. Its status is never stored, it follows from these facts
-- and the clock (decision 1), so no sweeper can be late with it.
CREATE TABLE offers (
  -- Four bytes give two thousand million offers and stay a plain number in JSON. A dropped creation leaves a gap on
  -- purpose: its id is never used again.
  offer_id             integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  organisation_id      integer NOT NULL,
  mode                 text NOT NULL CHECK (mode IN ('TEST', 'LIVE')),
  created_by           integer,
  -- The organisation's when the offer was created: what members see when no name is advertised.
  trading_name         text NOT NULL,
  country              text NOT NULL,
  currency             text NOT NULL,

  category_id          integer NOT NULL REFERENCES categories,
  title                text NOT NULL,
  description          text NOT NULL,
  terms_and_conditions text NOT NULL,
  advertised_name      text,
  url                  text NOT NULL,
  image                text NOT NULL,
  latitude             double precision NOT NULL,
  longitude            double precision NOT NULL,
  radius_miles         integer NOT NULL,
  gender               text[] NOT NULL,
  interests            integer[] NOT NULL,

  created_at           timestamptz(3) NOT NULL,
  start_at             timestamptz(3) NOT NULL,
  expiry_at            timestamptz(3) NOT NULL CHECK (expiry_at > start_at),

  payment_method       text NOT NULL CHECK (payment_method IN ('E', 'B')),
  net_minor            bigint NOT NULL CHECK (net_minor >= 0),
  vat_minor            bigint NOT NULL DEFAULT 0 CHECK (vat_minor >= 0),
  payment_url          text,
  -- When billing took the money, and when the offer learnt of it: it runs from the second on.
  paid_at              timestamptz(3),
  payment_applied_at   timestamptz(3) CHECK (payment_applied_at IS NULL OR paid_at IS NOT NULL),

  -- NULL: a reservation, seen by nobody, until the creation is finished.
  shown_at             timestamptz(3),
  paused_since         timestamptz(3),
  disabled_since       timestamptz(3),
  -- Past pauses and disablings as [{"from": instant, "to": instant}], disjoint and in order.
  stops                jsonb NOT NULL DEFAULT '[]',
  -- Recovery point of a deletion that is closing the payment page.
  deleting_since       timestamptz(3),
  deleted_at           timestamptz(3),

  activated_told_at    timestamptz(3),
  ended_told_at        timestamptz(3),
  -- Version of the last event about this offer.
  version              integer NOT NULL DEFAULT 0
);

-- The listing's order, newest first (decision 22).
CREATE INDEX offers_listed ON offers (organisation_id, mode, created_at DESC, offer_id DESC)
  WHERE deleted_at IS NULL AND shown_at IS NOT NULL;
-- The quota counts what is neither deleted nor Ended, reservations included (decision 17).
CREATE INDEX offers_counted ON offers (organisation_id, mode, expiry_at) WHERE deleted_at IS NULL;
-- What the sweeper has still to tell or to settle: each index empties as the work is done.
CREATE INDEX offers_to_activate ON offers (start_at)
  WHERE activated_told_at IS NULL AND ended_told_at IS NULL AND payment_applied_at IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX offers_to_end ON offers (expiry_at) WHERE ended_told_at IS NULL AND shown_at IS NOT NULL;
CREATE INDEX offers_deleting ON offers (deleting_since) WHERE deleting_since IS NOT NULL;
