-- The double-entry ledger. The database itself holds the rules of the house (architecture, rule 5), so that no code,
-- present or later, can break them: every transaction sums to zero within one book, nothing is ever changed or
-- removed, a cause is booked once, a balance is never overdrawn.

-- One account of each kind per book, which is an organisation, a mode and a currency. Made on first use.
CREATE TABLE accounts (
  account_id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  organisation_id bigint NOT NULL,
  mode            text NOT NULL CHECK (mode IN ('TEST', 'LIVE')),
  currency        text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
  kind            text NOT NULL CHECK (kind IN (
    'prepaid-balance', 'sales', 'vat-payable', 'card-clearing', 'unused-time-credits', 'top-up-source'
  )),
  UNIQUE (organisation_id, mode, currency, kind)
);

-- What an organisation may spend: the sum of its prepaid account's entries, kept in the transaction that books them.
CREATE TABLE balances (
  account_id          bigint PRIMARY KEY REFERENCES accounts,
  balance_minor       bigint NOT NULL DEFAULT 0 CONSTRAINT no_overdraft CHECK (balance_minor >= 0),
  -- Set by the organisation: going below it is told once (BalanceLow). Null: nobody wants to know.
  low_threshold_minor bigint CHECK (low_threshold_minor > 0)
);
-- The busiest rows of the service: room on the page keeps their updates off the index.
ALTER TABLE balances SET (fillfactor = 50);

CREATE TABLE transactions (
  transaction_id  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  cause           text NOT NULL UNIQUE,
  organisation_id bigint NOT NULL,
  mode            text NOT NULL,
  currency        text NOT NULL,
  offer_id        bigint,
  booked_at       timestamptz NOT NULL
);

-- Credit-positive: what adds to a balance, to sales or to VAT owed is above zero, what the card provider owes below.
CREATE TABLE entries (
  transaction_id bigint NOT NULL REFERENCES transactions,
  account_id     bigint NOT NULL REFERENCES accounts,
  amount_minor   bigint NOT NULL CHECK (amount_minor <> 0),
  PRIMARY KEY (transaction_id, account_id)
);
CREATE INDEX entries_of_account ON entries (account_id, transaction_id);

CREATE FUNCTION transaction_must_balance() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  whole record;
BEGIN
  SELECT count(e.account_id) AS entries,
         coalesce(sum(e.amount_minor), 0) AS total,
         bool_and((a.organisation_id, a.mode, a.currency) = (t.organisation_id, t.mode, t.currency)) AS one_book
    INTO whole
    FROM transactions t
    LEFT JOIN entries e USING (transaction_id)
    LEFT JOIN accounts a USING (account_id)
   WHERE t.transaction_id = NEW.transaction_id;
  IF whole.entries < 2 OR whole.total <> 0 OR NOT whole.one_book THEN
    RAISE EXCEPTION 'transaction % does not balance: % entries, sum %, one book: %',
      NEW.transaction_id, whole.entries, whole.total, whole.one_book
      USING ERRCODE = 'check_violation', CONSTRAINT = 'transaction_must_balance';
  END IF;
  RETURN NULL;
END $$;

-- At commit, when all entries are there.
CREATE CONSTRAINT TRIGGER transaction_must_balance AFTER INSERT ON transactions
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION transaction_must_balance();
CREATE CONSTRAINT TRIGGER transaction_must_balance AFTER INSERT ON entries
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION transaction_must_balance();

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
