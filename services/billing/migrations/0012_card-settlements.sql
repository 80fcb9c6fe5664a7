-- Who bears what the card provider took back: a person's decision, one for each refund or dispute, made once and kept with its
-- reason. Should the provider return the money after all, whoever bore it gets it back.
CREATE TABLE card_settlements (
  card_settlement_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  reversal_id        text NOT NULL UNIQUE REFERENCES card_reversals,
  borne_by           text NOT NULL CHECK (borne_by IN ('platform', 'balance')),
  amount_minor       bigint NOT NULL CHECK (amount_minor > 0),
  reason             text NOT NULL CHECK (reason <> ''),
  -- As the admin tool names them.
  decided_by         text NOT NULL,
  settled_at         timestamptz NOT NULL,
  -- What was booked. Deferred, so that it makes no difference which of the two is written first.
  cause              text NOT NULL UNIQUE REFERENCES transactions (cause) DEFERRABLE INITIALLY DEFERRED,
  -- Null unless the money came back.
  returned_cause     text UNIQUE REFERENCES transactions (cause) DEFERRABLE INITIALLY DEFERRED
);

CREATE TRIGGER append_only BEFORE DELETE OR TRUNCATE ON card_settlements
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_is_append_only();

-- That the money came back may be noted, once. Nothing else ever changes.
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

-- What the platform bears.
ALTER TABLE accounts
  DROP CONSTRAINT accounts_kind_check,
  ADD CONSTRAINT accounts_kind_check CHECK (kind IN (
    'prepaid-balance', 'sales', 'vat-payable', 'card-clearing', 'unused-time-credits', 'top-up-source', 'card-reversals',
    'card-losses'
  ));
