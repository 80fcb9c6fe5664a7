-- What billing owns: the ledger, the payments of offers and top-ups with their checkouts at Stripe, what Stripe tells and takes back, and
-- invoices with their credit notes.

---- Organisations ----

-- Facts from the gateway's events: documents carry the names, and a top-up by card needs the country. Requests bring these facts in the
-- caller context and do not wait for this table.
CREATE TABLE organisations (
  organisation_id bigint PRIMARY KEY,
  name            text NOT NULL,
  country         text NOT NULL,
  currency        text NOT NULL,
  -- Address, VAT number and purchase order, as the event has them. Null: no event with them has come.
  billing_details jsonb,
  -- Of the last event applied; an older one that arrives late changes nothing.
  version         bigint NOT NULL
);

---- The ledger ----
-- Double entry. The database itself holds the rules (architecture, rule 5), so that no code can break them: every transaction sums to zero
-- within one book, nothing is ever changed or removed, a cause is booked once, a balance is never overdrawn.

-- One account of each kind per book, which is an organisation, a mode and a currency. Made on first use.
CREATE TABLE accounts (
  account_id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  organisation_id bigint NOT NULL,
  mode            text NOT NULL CHECK (mode IN ('TEST', 'LIVE')),
  currency        text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
  kind            text NOT NULL CHECK (kind IN (
    'prepaid-balance', 'sales', 'vat-payable', 'card-clearing', 'unused-time-credits', 'top-up-source',
    -- Money that the card provider took back, until a person has decided who bears it; and what the platform bears.
    'card-reversals', 'card-losses',
    -- Where the play money comes from that an organisation gives itself to try the service. No payment is booked there.
    'play-money'
  )),
  UNIQUE (organisation_id, mode, currency, kind),
  -- Without an account there is no entry.
  CONSTRAINT play_money_is_for_tests CHECK (kind <> 'play-money' OR mode = 'TEST')
);

-- What an organisation may spend: the sum of its prepaid account's entries, updated in the transaction that books them.
CREATE TABLE balances (
  account_id          bigint PRIMARY KEY REFERENCES accounts,
  balance_minor       bigint NOT NULL DEFAULT 0 CONSTRAINT no_overdraft CHECK (balance_minor >= 0),
  -- Set by the organisation: falling below it is told once (BalanceLow). Null: it is not told.
  low_threshold_minor bigint CHECK (low_threshold_minor > 0),
  -- Of the book's last transaction: the next one stands no earlier, whatever the clocks of replicas say.
  last_booked_at      timestamptz NOT NULL DEFAULT '-infinity'
);
-- The busiest rows of the service: room on the page keeps their updates off the index.
ALTER TABLE balances SET (fillfactor = 50);

-- Time and balance are written while the book's balance row is locked, so they are right in whatever order transactions commit, and a
-- page of the statement costs the same at the beginning and at the end of a million lines.
CREATE TABLE transactions (
  transaction_id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  cause               text NOT NULL UNIQUE,
  kind                text NOT NULL,
  organisation_id     bigint NOT NULL,
  mode                text NOT NULL,
  currency            text NOT NULL,
  offer_id            bigint,
  booked_at           timestamptz NOT NULL,
  -- The prepaid balance of its book after it, also where it does not change that.
  balance_after_minor bigint NOT NULL
);
-- A statement, newest first, any period of it, and some kinds alone.
CREATE INDEX transactions_of_book ON transactions (organisation_id, mode, currency, booked_at, transaction_id, kind);
-- What all organisations booked in a period. Rows are added in the order of time, so ranges of pages are enough.
CREATE INDEX transactions_by_time ON transactions USING brin (booked_at) WITH (autosummarize = on);
-- Everything that was booked for an offer, which the ledger check compares with the offer's record.
CREATE INDEX transactions_of_offer ON transactions (offer_id) WHERE offer_id IS NOT NULL;

-- Credit-positive: what adds to a balance, to sales or to VAT owed is above zero, what the card provider owes is below.
CREATE TABLE entries (
  transaction_id bigint NOT NULL REFERENCES transactions,
  account_id     bigint NOT NULL REFERENCES accounts,
  amount_minor   bigint NOT NULL CHECK (amount_minor <> 0),
  PRIMARY KEY (transaction_id, account_id)
);

-- Entries are checked by the statement that writes them, all of them at once: what one statement adds to a transaction sums to zero, so the
-- transaction does too. The scalar subquery is a look-up by primary keys, whatever the statistics of the tables say: as a join, on tables
-- that were not analysed yet, it read all accounts for each booking.
CREATE FUNCTION entries_must_balance() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  wrong record;
BEGIN
  SELECT * INTO wrong
    FROM (
      SELECT transaction_id, sum(amount_minor) AS total,
             bool_and((SELECT (a.organisation_id, a.mode, a.currency) = (t.organisation_id, t.mode, t.currency)
                         FROM accounts a, transactions t
                        WHERE a.account_id = e.account_id AND t.transaction_id = e.transaction_id)) AS one_book
        FROM added e GROUP BY transaction_id
    ) AS whole
   WHERE total <> 0 OR NOT one_book
   LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'transaction % does not balance: sum %, one book: %', wrong.transaction_id, wrong.total, wrong.one_book
      USING ERRCODE = 'check_violation', CONSTRAINT = 'transaction_must_balance';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER entries_must_balance AFTER INSERT ON entries
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION entries_must_balance();

CREATE FUNCTION transaction_has_entries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM entries WHERE transaction_id = NEW.transaction_id) THEN
    RAISE EXCEPTION 'transaction % has no entries', NEW.transaction_id
      USING ERRCODE = 'check_violation', CONSTRAINT = 'transaction_must_balance';
  END IF;
  RETURN NULL;
END $$;
-- At commit, because its entries may be written by a later statement.
CREATE CONSTRAINT TRIGGER transaction_has_entries AFTER INSERT ON transactions
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION transaction_has_entries();

CREATE FUNCTION ledger_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the ledger is append-only: % on % refused', TG_OP, TG_TABLE_NAME
    USING ERRCODE = 'restrict_violation', CONSTRAINT = 'ledger_is_append_only';
END $$;

CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON accounts
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_is_append_only();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON transactions
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_is_append_only();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON entries
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_is_append_only();

-- The last check of the ledger that was completed. Every replica reports it, after a restart too, and the next check is due by it.
CREATE TABLE ledger_checks (
  only_row     boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  checked_at   timestamptz NOT NULL,
  transactions bigint NOT NULL,
  -- As many as it counted before it stopped; a check that a person starts says which ones.
  problems     integer NOT NULL
);

---- Payments ----

-- How each offer is paid, by either method, each offer group, and each top-up of a prepaid balance by card: one row for each purchase.
-- Charge, checkout, payment and credits of one purchase all lock this row, so that they happen one after the other. A group has a row of its
-- own, by which it is paid, and one for each of its offers, which is charged from the balance in the transaction that books that payment.
CREATE SEQUENCE top_up_ids;
CREATE TABLE payments (
  offer_id            bigint UNIQUE,
  top_up_id           bigint UNIQUE,
  group_id            bigint UNIQUE,
  -- Of an offer: the group with which it is paid.
  of_group            bigint REFERENCES payments (group_id) ON DELETE CASCADE,
  organisation_id     bigint NOT NULL,
  mode                text NOT NULL CHECK (mode IN ('TEST', 'LIVE')),
  currency            text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
  -- Null: the id was closed before anything was asked of billing, and can never be charged.
  payment_method      text CHECK (payment_method IN ('B', 'E')),
  state               text NOT NULL CHECK (state IN ('charged', 'opening', 'open', 'closing', 'closed', 'paid', 'unpaid')),
  title               text NOT NULL,
  net_minor           bigint NOT NULL CHECK (net_minor >= 0),
  vat_minor           bigint NOT NULL CHECK (vat_minor >= 0),
  -- What the Unused Time of the offer is worth so far, and what was credited of it. Less is credited while the card provider has taken
  -- the payment back; the rest is credited when the money has come back. Together, credits never exceed the price (decision 6).
  earned_minor        bigint NOT NULL DEFAULT 0,
  credited_minor      bigint NOT NULL DEFAULT 0,
  paid_at             timestamptz CHECK (paid_at IS NOT NULL OR state <> 'paid'),

  -- Of an offer without a group, or a group: the key or person who ordered it, and on which day (UTC). Their spending limits count what is
  -- not closed for ever.
  spender             text,
  ordered_on          date,

  -- Of a top-up: asked for once under each key of an organisation and mode.
  idempotency_key     text,

  -- The rest belongs to card payments. The secret of the payment link, when the offer ends or the top-up waits no longer, and which session
  -- was paid.
  pay_token           text,
  expiry_at           timestamptz,
  paid_session_id     text,
  -- By which Stripe's refunds and disputes name the payment.
  payment_intent_id   text,
  -- When to try again to close a page that could not be closed, so that it keeps no other from being closed. Null: when it expires.
  close_at            timestamptz,
  -- Deletions of the offer are numbered, because a late request of one that is over must change nothing. When the caller of a deletion was
  -- told that nothing was deleted (E7), because billing's answer was lost, the deletion is taken back: the page works again.
  -- The latest deletion that was heard of, by its request to close the page or by being taken back.
  deletion            integer NOT NULL DEFAULT 0,
  deletion_taken_back boolean NOT NULL DEFAULT false,

  -- The latest session at Stripe; sessions are numbered by generation. They are written before Stripe is asked, because a repeat under the
  -- same idempotency key must ask for the same.
  generation          integer CHECK (generation > 0),
  session_id          text,
  session_url         text,
  session_begun_at    timestamptz,
  session_expires_at  timestamptz,
  -- Certain: Stripe said so, or never made the session.
  session_expired     boolean NOT NULL DEFAULT false,
  -- When to ask Stripe, should no webhook have come. Null once nothing more is to be learned.
  next_check_at       timestamptz,

  CONSTRAINT ordered_by CHECK (num_nonnulls(spender, ordered_on) = CASE
    WHEN payment_method IS NULL OR top_up_id IS NOT NULL OR of_group IS NOT NULL THEN 0 ELSE 2 END),
  CONSTRAINT of_one_purchase CHECK (num_nonnulls(offer_id, top_up_id, group_id) = 1),
  CONSTRAINT groups_are_of_offers CHECK (of_group IS NULL OR (offer_id IS NOT NULL AND payment_method IS NOT DISTINCT FROM 'B')),
  CONSTRAINT offers_earn CHECK (offer_id IS NOT NULL OR earned_minor = 0),
  CONSTRAINT earned_within_price CHECK (earned_minor BETWEEN 0 AND net_minor),
  CONSTRAINT credits_within_price CHECK (credited_minor BETWEEN 0 AND net_minor),
  CONSTRAINT credits_need_payment CHECK (credited_minor = 0 OR paid_at IS NOT NULL),
  CONSTRAINT states_of_method CHECK (CASE payment_method
    WHEN 'B' THEN (state = 'charged' AND paid_at IS NOT NULL) OR (state = 'unpaid' AND paid_at IS NULL AND of_group IS NOT NULL)
    WHEN 'E' THEN state NOT IN ('charged', 'unpaid') AND num_nulls(pay_token, expiry_at, generation, session_begun_at, session_expires_at) = 0
    ELSE state = 'closed' AND paid_at IS NULL
  END),
  CONSTRAINT top_ups_by_card CHECK (CASE WHEN top_up_id IS NULL THEN idempotency_key IS NULL
    ELSE idempotency_key IS NOT NULL AND payment_method IS NOT DISTINCT FROM 'E' AND net_minor > 0 END)
);
CREATE INDEX payments_of_group ON payments (of_group) WHERE of_group IS NOT NULL;
CREATE UNIQUE INDEX payments_of_key ON payments (organisation_id, mode, idempotency_key) WHERE idempotency_key IS NOT NULL;
CREATE UNIQUE INDEX payments_of_link ON payments (pay_token) WHERE pay_token IS NOT NULL;
CREATE UNIQUE INDEX payments_of_session ON payments (session_id) WHERE session_id IS NOT NULL;
CREATE UNIQUE INDEX payments_of_paid_session ON payments (paid_session_id) WHERE paid_session_id IS NOT NULL;
CREATE INDEX payments_of_spender ON payments (spender, ordered_on) WHERE spender IS NOT NULL;
CREATE INDEX payments_by_intent ON payments (payment_intent_id) WHERE payment_intent_id IS NOT NULL;
-- Checkouts that end with their offer or top-up, and sessions to ask about.
CREATE INDEX payments_waiting ON payments (coalesce(close_at, expiry_at)) WHERE state IN ('opening', 'open', 'closing');
CREATE INDEX payments_to_check ON payments (next_check_at) WHERE next_check_at IS NOT NULL;
-- Each new top-up asks how many of the organisation wait for their payment.
CREATE INDEX payments_open_top_ups ON payments (organisation_id, mode, expiry_at)
  WHERE top_up_id IS NOT NULL AND state IN ('opening', 'open', 'closing');

-- At the end of each transaction: a group is the sum of its offers, in its own book, and either all of them are charged or none. Paid by
-- card after it was closed, it is money for the balance, and none is.
CREATE FUNCTION group_is_whole() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  the_group bigint := coalesce(NEW.group_id, NEW.of_group);
BEGIN
  IF NOT (
    SELECT CASE WHEN g.payment_method IS NULL THEN offers = 0
                ELSE offers BETWEEN 1 AND 20 AND net_of_offers = g.net_minor AND one_book AND is_one_state END
      FROM payments g CROSS JOIN LATERAL (
        SELECT count(*) AS offers, sum(o.net_minor) AS net_of_offers,
               bool_and((o.organisation_id, o.mode, o.currency) = (g.organisation_id, g.mode, g.currency)) AS one_book,
               bool_and((o.state = 'charged') = (g.state IN ('charged', 'paid'))) AS is_one_state
          FROM payments o WHERE o.of_group = g.group_id
      ) of_group
     WHERE g.group_id = the_group
  ) THEN
    RAISE EXCEPTION 'group % and its offers differ', the_group USING ERRCODE = 'check_violation', CONSTRAINT = 'group_is_whole';
  END IF;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER group_is_whole AFTER INSERT OR UPDATE OF state ON payments DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (NEW.group_id IS NOT NULL OR NEW.of_group IS NOT NULL) EXECUTE FUNCTION group_is_whole();

-- Sessions before the latest one. None of them can be paid any more, but Stripe may report late that one was.
CREATE TABLE earlier_sessions (
  session_id text PRIMARY KEY,
  offer_id   bigint REFERENCES payments (offer_id) ON DELETE CASCADE,
  top_up_id  bigint REFERENCES payments (top_up_id) ON DELETE CASCADE,
  group_id   bigint REFERENCES payments (group_id) ON DELETE CASCADE,
  generation integer NOT NULL,
  CONSTRAINT sessions_of_offer UNIQUE (offer_id, generation),
  CONSTRAINT sessions_of_top_up UNIQUE (top_up_id, generation),
  CONSTRAINT sessions_of_group UNIQUE (group_id, generation),
  CONSTRAINT session_of_one CHECK (num_nonnulls(offer_id, top_up_id, group_id) = 1)
);

---- What Stripe tells ----

-- The inbox of Stripe: an event takes effect once, in the transaction that records its id. An event that could not be applied stays
-- here with its problem, for a person to look at.
CREATE TABLE provider_events (
  event_id     text PRIMARY KEY,
  mode         text NOT NULL CHECK (mode IN ('TEST', 'LIVE')),
  type         text NOT NULL,
  received_at  timestamptz NOT NULL,
  offer_id     bigint,
  top_up_id    bigint,
  group_id     bigint,
  session_id   text,
  amount_minor bigint,
  currency     text,
  outcome      text NOT NULL
);
-- The few that need a person, among the many that do not.
CREATE INDEX provider_events_problems ON provider_events (received_at)
  WHERE outcome IN ('unknown-purchase', 'not-by-card', 'other-organisation', 'unknown-session', 'wrong-amount', 'paid-twice');

-- How far billing has asked Stripe for events whose webhook may have been lost, per mode: each mode's key belongs to an account with a
-- list of its own.
CREATE TABLE event_readings (
  mode          text PRIMARY KEY CHECK (mode IN ('TEST', 'LIVE')),
  -- All that was created before it has been read.
  read_up_to    timestamptz NOT NULL,
  -- The replica that moves this on is the one that reads.
  next_read_at  timestamptz NOT NULL
);

---- Refunds and disputes ----

-- Money that Stripe takes back: refunds made there, and disputes. Their events come in any order; what they say together only grows. It is
-- booked as soon as the payment is known, also when that comes later.
CREATE TABLE card_reversals (
  reversal_id       text PRIMARY KEY,
  -- The ledger check walks reversals by this number, so that a step costs the same however many there are.
  card_reversal_id  bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
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
  -- Stripe has reported that a refund succeeded. It may fail all the same, later. Never true for a dispute.
  succeeded         boolean NOT NULL,
  -- Whether the ledger has it.
  taken_booked      boolean NOT NULL DEFAULT false,
  returned_booked   boolean NOT NULL DEFAULT false,
  CONSTRAINT returned_was_taken CHECK (taken OR NOT returned),
  CONSTRAINT refunds_succeed CHECK (kind = 'refund' OR NOT succeeded),
  CONSTRAINT booked_has_happened CHECK ((taken OR NOT taken_booked) AND (returned OR NOT returned_booked))
);
CREATE INDEX card_reversals_by_intent ON card_reversals (payment_intent_id);
CREATE INDEX card_reversals_latest ON card_reversals (first_heard_at, reversal_id);

-- Who bears what Stripe took back: a person's decision, one for each refund or dispute, made once and kept with its reason. If Stripe
-- returns the money after all, whoever bore it gets it back.
CREATE TABLE card_settlements (
  card_settlement_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  reversal_id        text NOT NULL UNIQUE REFERENCES card_reversals,
  borne_by           text NOT NULL CHECK (borne_by IN ('platform', 'balance')),
  amount_minor       bigint NOT NULL CHECK (amount_minor > 0),
  reason             text NOT NULL CHECK (reason <> ''),
  -- As the admin tool names them.
  decided_by         text NOT NULL,
  settled_at         timestamptz NOT NULL,
  -- What was booked. Deferred, so that the two may be written in either order.
  cause              text NOT NULL UNIQUE REFERENCES transactions (cause) DEFERRABLE INITIALLY DEFERRED,
  -- Null unless the money came back.
  returned_cause     text UNIQUE REFERENCES transactions (cause) DEFERRABLE INITIALLY DEFERRED
);

CREATE TRIGGER append_only BEFORE DELETE OR TRUNCATE ON card_settlements
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_is_append_only();

-- The return of the money may be noted, once. Nothing else ever changes.
CREATE FUNCTION settlement_is_final() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.returned_cause IS NOT NULL
     OR to_jsonb(NEW) - 'returned_cause' <> to_jsonb(OLD) - 'returned_cause' THEN
    RAISE EXCEPTION 'a settlement is final: UPDATE of that of % refused', OLD.reversal_id
      USING ERRCODE = 'restrict_violation', CONSTRAINT = 'settlement_is_final';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER settlement_is_final AFTER UPDATE ON card_settlements FOR EACH ROW EXECUTE FUNCTION settlement_is_final();

---- Invoices ----

-- Of card payments and card top-ups. Numbers are sequential per mode, without a gap, which the database itself guarantees: an invoice
-- refers to the one before it, belongs to a booking of the ledger, and is never changed or removed. What it shows was written
-- when it was issued; names and rates that change later change no document.
CREATE TABLE invoices (
  mode              text NOT NULL CHECK (mode IN ('TEST', 'LIVE')),
  sequence          bigint NOT NULL CHECK (sequence > 0),
  -- Null for the first one only.
  predecessor       bigint GENERATED ALWAYS AS (nullif(sequence - 1, 0)) STORED,
  -- What was booked. Deferred, so that the two may be written in either order.
  cause             text NOT NULL UNIQUE REFERENCES transactions (cause) DEFERRABLE INITIALLY DEFERRED,
  organisation_id   bigint NOT NULL,
  currency          text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
  kind              text NOT NULL CHECK (kind IN ('offer', 'group', 'top-up')),
  offer_id          bigint,
  title             text,
  -- Of a group: offerId, title and netMinor of each offer.
  lines             jsonb,
  net_minor         bigint NOT NULL CHECK (net_minor > 0),
  vat_minor         bigint NOT NULL CHECK (vat_minor >= 0),
  vat_percent       integer NOT NULL,
  paid_at           timestamptz NOT NULL,
  issued_at         timestamptz NOT NULL,
  seller_name       text NOT NULL,
  seller_address    text NOT NULL,
  seller_vat_number text NOT NULL,
  -- Null until the organisation is known: a payment does not wait for the event that tells of it.
  buyer_name        text,
  buyer_country     text,
  -- As organisations.billing_details was then.
  buyer_details     jsonb,
  PRIMARY KEY (mode, sequence),
  FOREIGN KEY (mode, predecessor) REFERENCES invoices (mode, sequence),
  CONSTRAINT vat_has_a_rate CHECK ((vat_minor > 0) = (vat_percent > 0)),
  CONSTRAINT offers_have_an_id CHECK ((kind = 'offer') = (offer_id IS NOT NULL)),
  CONSTRAINT groups_have_lines CHECK ((kind = 'group') = (lines IS NOT NULL)),
  CONSTRAINT buyer_is_whole CHECK ((buyer_name IS NULL) = (buyer_country IS NULL) AND (buyer_details IS NULL OR buyer_name IS NOT NULL))
);
-- An organisation's list, newest first, together with its credit notes.
CREATE INDEX invoices_of_organisation ON invoices (organisation_id, mode, issued_at, sequence);
CREATE INDEX invoices_of_offer ON invoices (offer_id) WHERE offer_id IS NOT NULL;
CREATE INDEX invoices_without_buyer ON invoices (organisation_id) WHERE buyer_name IS NULL;

CREATE TRIGGER append_only BEFORE DELETE OR TRUNCATE ON invoices
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_is_append_only();

-- The buyer may be filled in where there is none. Nothing else ever changes.
CREATE FUNCTION invoice_is_final() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.buyer_name IS NOT NULL
     OR to_jsonb(NEW) - '{buyer_name,buyer_country,buyer_details}'::text[]
        <> to_jsonb(OLD) - '{buyer_name,buyer_country,buyer_details}'::text[] THEN
    RAISE EXCEPTION 'an invoice is final: UPDATE of % % refused', OLD.mode, OLD.sequence
      USING ERRCODE = 'restrict_violation', CONSTRAINT = 'invoice_is_final';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER invoice_is_final AFTER UPDATE ON invoices FOR EACH ROW EXECUTE FUNCTION invoice_is_final();

-- Invoices of the running transaction, which get their number when it commits. Rows never outlive their transaction, so the table needs no
-- WAL and is empty after a crash.
CREATE UNLOGGED TABLE due_invoices (
  cause             text PRIMARY KEY,
  mode              text NOT NULL,
  organisation_id   bigint NOT NULL,
  currency          text NOT NULL,
  kind              text NOT NULL,
  offer_id          bigint,
  title             text,
  lines             jsonb,
  net_minor         bigint NOT NULL,
  vat_minor         bigint NOT NULL,
  vat_percent       integer NOT NULL,
  paid_at           timestamptz NOT NULL,
  issued_at         timestamptz NOT NULL,
  seller_name       text NOT NULL,
  seller_address    text NOT NULL,
  seller_vat_number text NOT NULL
);

-- The number is the last one plus one, under a lock of the mode that is held from here to the end of the commit, and by no statement of a
-- service. A rollback frees the number. Each statement of the function sees what was committed before it, so the second one sees
-- the invoice of the transaction for which the first one waited. The day is never before that invoice's day, even with clock
-- differences or waits. A cause that has its invoice gets no second one.
CREATE FUNCTION number_invoice() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('invoice numbers of ' || NEW.mode, 0));
  INSERT INTO invoices
    (mode, sequence, cause, organisation_id, currency, kind, offer_id, title, lines, net_minor, vat_minor, vat_percent,
     paid_at, issued_at, seller_name, seller_address, seller_vat_number, buyer_name, buyer_country, buyer_details)
  SELECT NEW.mode, coalesce(latest.sequence, 0) + 1, NEW.cause, NEW.organisation_id, NEW.currency, NEW.kind, NEW.offer_id, NEW.title, NEW.lines,
         NEW.net_minor, NEW.vat_minor, NEW.vat_percent, NEW.paid_at, greatest(NEW.issued_at, latest.issued_at),
         NEW.seller_name, NEW.seller_address, NEW.seller_vat_number, buyer.name, buyer.country, buyer.billing_details
    FROM (VALUES (1)) AS one
    LEFT JOIN (SELECT sequence, issued_at FROM invoices WHERE mode = NEW.mode ORDER BY sequence DESC LIMIT 1) latest ON true
    LEFT JOIN organisations buyer ON buyer.organisation_id = NEW.organisation_id
  ON CONFLICT (cause) DO NOTHING;
  DELETE FROM due_invoices WHERE cause = NEW.cause;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER number_invoice AFTER INSERT ON due_invoices
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION number_invoice();

---- Credit notes ----

-- One for each refund of an invoiced card payment that has succeeded, and one more for a refund that failed after that: it cancels the
-- first. Their numbers are a sequence of their own, with the rules of invoices. All else that they show is in the row of their invoice,
-- which is final.
CREATE TABLE credit_notes (
  mode            text NOT NULL CHECK (mode IN ('TEST', 'LIVE')),
  sequence        bigint NOT NULL CHECK (sequence > 0),
  predecessor     bigint GENERATED ALWAYS AS (nullif(sequence - 1, 0)) STORED,
  -- What was booked when Stripe took the amount of the refund, or returned it. Deferred, so that the two may be written in either order.
  cause           text NOT NULL UNIQUE REFERENCES transactions (cause) DEFERRABLE INITIALLY DEFERRED,
  -- The number of the invoice, and its organisation.
  invoice         bigint NOT NULL,
  organisation_id bigint NOT NULL,
  -- The number of the credit note that this one cancels, whose amounts it repeats.
  cancels         bigint,
  net_minor       bigint NOT NULL CHECK (net_minor >= 0),
  -- Of a refund of a few pence it may round to 0.
  vat_minor       bigint NOT NULL CHECK (vat_minor >= 0),
  issued_at       timestamptz NOT NULL,
  PRIMARY KEY (mode, sequence),
  FOREIGN KEY (mode, predecessor) REFERENCES credit_notes (mode, sequence),
  FOREIGN KEY (mode, invoice) REFERENCES invoices (mode, sequence),
  CONSTRAINT credits_something CHECK (net_minor + vat_minor > 0),
  CONSTRAINT cancelled_once UNIQUE (mode, cancels),
  CONSTRAINT amounts_of_note UNIQUE (mode, sequence, invoice, net_minor, vat_minor),
  CONSTRAINT cancels_whole_note FOREIGN KEY (mode, cancels, invoice, net_minor, vat_minor)
    REFERENCES credit_notes (mode, sequence, invoice, net_minor, vat_minor)
);
CREATE INDEX credit_notes_of_invoice ON credit_notes (mode, invoice);
CREATE INDEX credit_notes_of_organisation ON credit_notes (organisation_id, mode, issued_at, sequence);

CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON credit_notes
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_is_append_only();

-- What the credit notes of an invoice credit together, without those that are cancelled.
CREATE FUNCTION credited_of_invoice(of_mode text, of_invoice bigint, OUT net_minor bigint, OUT vat_minor bigint) LANGUAGE sql STABLE AS $$
  SELECT coalesce(sum(CASE WHEN n.cancels IS NULL THEN n.net_minor ELSE -n.net_minor END), 0)::bigint,
         coalesce(sum(CASE WHEN n.cancels IS NULL THEN n.vat_minor ELSE -n.vat_minor END), 0)::bigint
    FROM credit_notes n WHERE n.mode = of_mode AND n.invoice = of_invoice
$$;

CREATE FUNCTION credit_is_within_invoice() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (
    SELECT FROM invoices i, credited_of_invoice(NEW.mode, NEW.invoice) credited
     WHERE i.mode = NEW.mode AND i.sequence = NEW.invoice AND i.organisation_id = NEW.organisation_id
       AND credited.net_minor BETWEEN 0 AND i.net_minor AND credited.vat_minor BETWEEN 0 AND i.vat_minor
  ) THEN
    RAISE EXCEPTION 'credit note % % does not fit its invoice %', NEW.mode, NEW.sequence, NEW.invoice
      USING ERRCODE = 'check_violation', CONSTRAINT = 'credit_is_within_invoice';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER credit_is_within_invoice AFTER INSERT ON credit_notes
  FOR EACH ROW EXECUTE FUNCTION credit_is_within_invoice();

-- Credit notes of the running transaction, as `due_invoices` has its invoices. The invoice is named by its cause: when the refund was heard
-- of before its payment, both get their numbers in the same commit, first the invoice.
CREATE UNLOGGED TABLE due_credit_notes (
  cause         text PRIMARY KEY,
  mode          text NOT NULL,
  invoice_cause text NOT NULL,
  cancels       bigint,
  net_minor     bigint NOT NULL,
  vat_minor     bigint NOT NULL,
  issued_at     timestamptz NOT NULL
);

-- As `number_invoice` does it, and under the same lock, so that two transactions that number both never wait for each other.
CREATE FUNCTION number_credit_note() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('invoice numbers of ' || NEW.mode, 0));
  -- Without an invoice the NOT NULL of its number refuses the row.
  INSERT INTO credit_notes (mode, sequence, cause, invoice, organisation_id, cancels, net_minor, vat_minor, issued_at)
  SELECT NEW.mode, coalesce(latest.sequence, 0) + 1, NEW.cause, invoice.sequence, invoice.organisation_id, NEW.cancels,
         NEW.net_minor, NEW.vat_minor, greatest(NEW.issued_at, latest.issued_at, invoice.issued_at)
    FROM (VALUES (1)) AS one
    LEFT JOIN (SELECT sequence, issued_at FROM credit_notes WHERE mode = NEW.mode ORDER BY sequence DESC LIMIT 1) latest ON true
    LEFT JOIN invoices invoice ON invoice.cause = NEW.invoice_cause AND invoice.mode = NEW.mode
  ON CONFLICT (cause) DO NOTHING;
  DELETE FROM due_credit_notes WHERE cause = NEW.cause;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER number_credit_note AFTER INSERT ON due_credit_notes
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION number_credit_note();

-- What documents show: of a credit note its own amounts and days, and all else as its invoice has it.
CREATE VIEW invoice_documents AS
  SELECT 'invoice' AS document, mode, sequence, cause, organisation_id, currency, kind, offer_id, title, lines, net_minor, vat_minor,
         vat_percent, paid_at, issued_at, seller_name, seller_address, seller_vat_number, buyer_name, buyer_country, buyer_details,
         NULL::bigint AS invoice, NULL::timestamptz AS invoice_issued_at, NULL::bigint AS cancels
    FROM invoices
  UNION ALL
  SELECT 'credit-note', n.mode, n.sequence, n.cause, n.organisation_id, i.currency, i.kind, i.offer_id, i.title, i.lines, n.net_minor, n.vat_minor,
         i.vat_percent, i.paid_at, n.issued_at, i.seller_name, i.seller_address, i.seller_vat_number,
         i.buyer_name, i.buyer_country, i.buyer_details, n.invoice, i.issued_at, n.cancels
    FROM credit_notes n JOIN invoices i ON i.mode = n.mode AND i.sequence = n.invoice;
