-- A checkout belongs to an offer or to a top-up. Their rows stay in tables of their own, because an offer's row is more than
-- a checkout (charges, credits, closed ids); what they share are the sessions and one view. Everything here is added: checkouts
-- that are open go on, and code from before works beside it.

-- A top-up of a prepaid balance by card, one row per idempotency key: the lock under which it is paid and closed.
CREATE TABLE top_ups (
  top_up_id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  organisation_id   bigint NOT NULL,
  mode              text NOT NULL CHECK (mode IN ('TEST', 'LIVE')),
  currency          text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
  idempotency_key   text NOT NULL,
  asked_at          timestamptz NOT NULL,
  net_minor         bigint NOT NULL CHECK (net_minor > 0),
  vat_minor         bigint NOT NULL CHECK (vat_minor >= 0),
  state             text NOT NULL CHECK (state IN ('opening', 'open', 'closing', 'closed', 'paid')),
  pay_token         text NOT NULL UNIQUE,
  expiry_at         timestamptz NOT NULL,
  paid_at           timestamptz CHECK (paid_at IS NOT NULL OR state <> 'paid'),
  paid_session_id   text UNIQUE,
  payment_intent_id text,
  -- When to try to close the page of one that was never paid; the end of its waiting unless that has failed.
  close_at          timestamptz,
  UNIQUE (organisation_id, mode, idempotency_key)
);
CREATE INDEX top_ups_waiting ON top_ups (coalesce(close_at, expiry_at)) WHERE state IN ('opening', 'open', 'closing');
CREATE INDEX top_ups_by_intent ON top_ups (payment_intent_id) WHERE payment_intent_id IS NOT NULL;

ALTER TABLE offer_payments
  -- By which Stripe's refunds and disputes name the payment.
  ADD COLUMN payment_intent_id text,
  -- A page that cannot be closed now is put off, so that it keeps no other from being closed.
  ADD COLUMN close_at timestamptz;
CREATE INDEX offer_payments_by_intent ON offer_payments (payment_intent_id) WHERE payment_intent_id IS NOT NULL;
DROP INDEX offer_payments_waiting;
CREATE INDEX offer_payments_waiting ON offer_payments (coalesce(close_at, offer_expiry_at))
  WHERE state IN ('opening', 'open', 'closing');

ALTER TABLE checkout_sessions
  DROP CONSTRAINT checkout_sessions_pkey,
  ADD COLUMN checkout_session_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  ALTER COLUMN offer_id DROP NOT NULL,
  ADD COLUMN top_up_id bigint REFERENCES top_ups ON DELETE CASCADE,
  ADD CONSTRAINT sessions_of_offer UNIQUE (offer_id, generation),
  ADD CONSTRAINT sessions_of_top_up UNIQUE (top_up_id, generation),
  ADD CONSTRAINT session_of_one CHECK (num_nonnulls(offer_id, top_up_id) = 1);

-- Card payments of both kinds with their latest session. Rows are locked in the tables behind it.
CREATE VIEW card_payments AS
  SELECT 'offer' AS purchase, p.offer_id, NULL::bigint AS top_up_id, p.organisation_id, p.mode, p.currency, p.title,
         p.net_minor, p.vat_minor, p.state, p.pay_token, p.offer_expiry_at AS expiry_at, p.paid_at, p.paid_session_id,
         p.payment_intent_id, p.deletion, p.deletion_taken_back,
         s.generation, s.session_id, s.url, s.expires_at, s.expired
    FROM offer_payments p
   CROSS JOIN LATERAL (
     SELECT * FROM checkout_sessions s WHERE s.offer_id = p.offer_id ORDER BY generation DESC LIMIT 1
   ) s
   WHERE p.payment_method = 'E'
  UNION ALL
  SELECT 'top-up', NULL, p.top_up_id, p.organisation_id, p.mode, p.currency, 'Prepaid balance',
         p.net_minor, p.vat_minor, p.state, p.pay_token, p.expiry_at, p.paid_at, p.paid_session_id,
         p.payment_intent_id, 0, false,
         s.generation, s.session_id, s.url, s.expires_at, s.expired
    FROM top_ups p
   CROSS JOIN LATERAL (
     SELECT * FROM checkout_sessions s WHERE s.top_up_id = p.top_up_id ORDER BY generation DESC LIMIT 1
   ) s;

ALTER TABLE provider_events ADD COLUMN top_up_id bigint;
-- The few that need a person, among the many that do not.
CREATE INDEX provider_events_problems ON provider_events (received_at)
  WHERE outcome IN ('unknown-purchase', 'not-by-card', 'other-organisation', 'unknown-session', 'wrong-amount', 'paid-twice');
UPDATE provider_events SET outcome = 'unknown-purchase' WHERE outcome = 'unknown-offer';

-- Money that the provider takes back: refunds made there, and disputes. News of one come in any order; what they say together
-- only grows. It is booked as soon as the payment that it is of is known, also when that comes later.
CREATE TABLE card_reversals (
  reversal_id       text PRIMARY KEY,
  kind              text NOT NULL CHECK (kind IN ('refund', 'dispute')),
  mode              text NOT NULL CHECK (mode IN ('TEST', 'LIVE')),
  payment_intent_id text,
  amount_minor      bigint NOT NULL CHECK (amount_minor >= 0),
  currency          text NOT NULL,
  status            text NOT NULL,
  reason            text,
  as_of             timestamptz NOT NULL,
  first_heard_at    timestamptz NOT NULL,
  taken             boolean NOT NULL,
  returned          boolean NOT NULL,
  -- Whether the ledger has it.
  taken_booked      boolean NOT NULL DEFAULT false,
  returned_booked   boolean NOT NULL DEFAULT false,
  CONSTRAINT returned_was_taken CHECK (taken OR NOT returned),
  CONSTRAINT booked_has_happened CHECK ((taken OR NOT taken_booked) AND (returned OR NOT returned_booked))
);
CREATE INDEX card_reversals_by_intent ON card_reversals (payment_intent_id);
CREATE INDEX card_reversals_latest ON card_reversals (first_heard_at, reversal_id);

-- Where such money stands until a person has decided who bears it.
ALTER TABLE accounts
  DROP CONSTRAINT accounts_kind_check,
  ADD CONSTRAINT accounts_kind_check CHECK (kind IN (
    'prepaid-balance', 'sales', 'vat-payable', 'card-clearing', 'unused-time-credits', 'top-up-source', 'card-reversals'
  ));
