-- Invoices of card payments and card top-ups. Numbers are sequential per mode, without a gap, which the database itself
-- promises: an invoice refers to the one before it, belongs to a booking of the ledger, and is never changed or removed.
-- What it shows was written down when it was issued; names and rates that change later change no document.
CREATE TABLE invoices (
  mode              text NOT NULL CHECK (mode IN ('TEST', 'LIVE')),
  sequence          bigint NOT NULL CHECK (sequence > 0),
  -- Null for the first one only.
  predecessor       bigint GENERATED ALWAYS AS (nullif(sequence - 1, 0)) STORED,
  -- What was booked. Deferred, so that it makes no difference which of the two is written first.
  cause             text NOT NULL UNIQUE REFERENCES transactions (cause) DEFERRABLE INITIALLY DEFERRED,
  organisation_id   bigint NOT NULL,
  currency          text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
  kind              text NOT NULL CHECK (kind IN ('offer', 'top-up')),
  offer_id          bigint,
  title             text,
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
  PRIMARY KEY (mode, sequence),
  FOREIGN KEY (mode, predecessor) REFERENCES invoices (mode, sequence),
  CONSTRAINT vat_has_a_rate CHECK ((vat_minor > 0) = (vat_percent > 0)),
  CONSTRAINT offers_have_an_id CHECK ((kind = 'offer') = (offer_id IS NOT NULL)),
  CONSTRAINT buyer_is_whole CHECK ((buyer_name IS NULL) = (buyer_country IS NULL))
);
-- An organisation's list, newest first.
CREATE INDEX invoices_of_organisation ON invoices (organisation_id, mode, sequence);
CREATE INDEX invoices_without_buyer ON invoices (organisation_id) WHERE buyer_name IS NULL;

CREATE TRIGGER append_only BEFORE DELETE OR TRUNCATE ON invoices
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_is_append_only();

-- The buyer's name may be filled in where there is none. Nothing else ever changes.
CREATE FUNCTION invoice_is_final() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.buyer_name IS NOT NULL
     OR to_jsonb(NEW) - '{buyer_name,buyer_country}'::text[] <> to_jsonb(OLD) - '{buyer_name,buyer_country}'::text[] THEN
    RAISE EXCEPTION 'an invoice is final: UPDATE of % % refused', OLD.mode, OLD.sequence
      USING ERRCODE = 'restrict_violation', CONSTRAINT = 'invoice_is_final';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER invoice_is_final AFTER UPDATE ON invoices FOR EACH ROW EXECUTE FUNCTION invoice_is_final();

-- Payments from before there were invoices, and those that an older replica books during an upgrade, are invoiced afterwards.
ALTER TABLE offer_payments ADD COLUMN invoiced boolean NOT NULL DEFAULT false;
CREATE INDEX offer_payments_not_invoiced ON offer_payments (paid_at, offer_id)
  WHERE payment_method = 'E' AND paid_at IS NOT NULL AND NOT invoiced;
