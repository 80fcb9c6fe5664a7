-- How each offer is paid, one row per offer id: charge, checkout, settling and credits of one offer all lock this row,
-- so that they happen one after the other.
CREATE TABLE offer_payments (
  offer_id        bigint PRIMARY KEY,
  organisation_id bigint NOT NULL,
  mode            text NOT NULL CHECK (mode IN ('TEST', 'LIVE')),
  currency        text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
  -- Null: the id was closed before anything was asked of billing, and can never be charged.
  payment_method  text CHECK (payment_method IN ('B', 'E')),
  state           text NOT NULL CHECK (state IN ('charged', 'opening', 'open', 'closing', 'closed', 'paid')),
  title           text NOT NULL,
  net_minor       bigint NOT NULL CHECK (net_minor >= 0),
  vat_minor       bigint NOT NULL CHECK (vat_minor >= 0),
  -- Credits of Unused Time so far; together they never exceed the price (decision 6).
  credited_minor  bigint NOT NULL DEFAULT 0,
  paid_at         timestamptz,
  -- Of card payments: the secret of the payment link, and which session was paid.
  pay_token       text UNIQUE,
  offer_expiry_at timestamptz,
  paid_session_id text UNIQUE,
  CONSTRAINT credits_within_price CHECK (credited_minor BETWEEN 0 AND net_minor),
  CONSTRAINT credits_need_payment CHECK (credited_minor = 0 OR paid_at IS NOT NULL),
  CONSTRAINT states_of_method CHECK (CASE payment_method
    WHEN 'B' THEN state = 'charged' AND paid_at IS NOT NULL
    WHEN 'E' THEN state <> 'charged' AND pay_token IS NOT NULL AND offer_expiry_at IS NOT NULL
    ELSE state = 'closed' AND paid_at IS NULL
  END)
);
-- Checkouts that end with their offer.
CREATE INDEX offer_payments_waiting ON offer_payments (offer_expiry_at) WHERE state IN ('opening', 'open', 'closing');

-- The generations of a checkout. A row is there before Stripe is asked, and keeps what it was asked, because a repeat
-- under the same idempotency key must ask for the same.
CREATE TABLE checkout_sessions (
  offer_id      bigint NOT NULL REFERENCES offer_payments ON DELETE CASCADE,
  generation    integer NOT NULL CHECK (generation > 0),
  session_id    text UNIQUE,
  url           text,
  begun_at      timestamptz NOT NULL,
  expires_at    timestamptz NOT NULL,
  -- Certain: Stripe said so, or never made the session.
  expired       boolean NOT NULL DEFAULT false,
  -- When to ask Stripe, should no webhook have come. Null once nothing more is to be learned.
  next_check_at timestamptz,
  PRIMARY KEY (offer_id, generation)
);
CREATE INDEX checkout_sessions_due ON checkout_sessions (next_check_at) WHERE next_check_at IS NOT NULL;

-- The inbox of Stripe: an event has its effect once, in the transaction that records its id. What could not be applied
-- stays here with its problem, for a person to look at.
CREATE TABLE provider_events (
  event_id     text PRIMARY KEY,
  mode         text NOT NULL CHECK (mode IN ('TEST', 'LIVE')),
  type         text NOT NULL,
  received_at  timestamptz NOT NULL,
  offer_id     bigint,
  session_id   text,
  amount_minor bigint,
  currency     text,
  outcome      text NOT NULL
);
