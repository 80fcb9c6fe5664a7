-- While a new version is rolled out, replicas of the one before statements still book. Their transactions get here what they do
-- not bring along, under the same lock as all others. Code of today brings it, and pays for one comparison.

CREATE FUNCTION complete_booking_of_before() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE balances b
     SET last_booked_at = greatest(b.last_booked_at, NEW.booked_at)
    FROM accounts a
   WHERE a.organisation_id = NEW.organisation_id AND a.mode = NEW.mode AND a.currency = NEW.currency
     AND a.kind = 'prepaid-balance' AND b.account_id = a.account_id
  RETURNING b.last_booked_at, b.balance_minor INTO NEW.booked_at, NEW.balance_after_minor;
  -- Anew, because the first one may have been taken before the wait for the lock.
  NEW.transaction_id := nextval(pg_get_serial_sequence('transactions', 'transaction_id'));
  NEW.kind := CASE WHEN NEW.cause LIKE 'offer % charged' THEN 'offer-charge'
                   WHEN NEW.cause LIKE 'offer % paid by card' THEN 'offer-card-payment'
                   WHEN NEW.cause LIKE 'offer % credited up to %' THEN 'unused-time-credit'
                   ELSE 'platform-top-up' END;
  RETURN NEW;
END $$;

CREATE TRIGGER complete_booking_of_before BEFORE INSERT ON transactions
  FOR EACH ROW WHEN (NEW.kind IS NULL AND NEW.balance_after_minor IS NULL)
  EXECUTE FUNCTION complete_booking_of_before();
