-- The statement reads the transactions of a book one after the other, each with the balance that it left. Both are written
-- while the book's balance row is locked, so they are right in whatever order transactions commit, and a page of the
-- statement costs the same at the beginning and at the end of a million lines.

ALTER TABLE balances
  -- Of the book's last transaction: the next one stands no earlier, whatever the clocks of replicas say.
  ADD COLUMN last_booked_at timestamptz NOT NULL DEFAULT '-infinity';

ALTER TABLE transactions
  ADD COLUMN kind text,
  -- The prepaid balance of its book after it, also where it does not change that.
  ADD COLUMN balance_after_minor bigint;

-- Once, for what was booked before there were these columns. Of one balance the ids were always given under its lock, so
-- their order is the order of booking. No amount changes; a time does where two clocks had disagreed about that order.
ALTER TABLE transactions DISABLE TRIGGER append_only;
WITH placed AS (
  SELECT t.transaction_id,
         max(t.booked_at) OVER book AS booked_at,
         sum(coalesce(moved.amount_minor, 0)) OVER book AS balance_after
    FROM transactions t
    LEFT JOIN (
      SELECT e.transaction_id, e.amount_minor
        FROM entries e JOIN accounts a USING (account_id) WHERE a.kind = 'prepaid-balance'
    ) moved USING (transaction_id)
  WINDOW book AS (PARTITION BY t.organisation_id, t.mode, t.currency ORDER BY t.transaction_id)
)
UPDATE transactions t
   SET booked_at = placed.booked_at,
       balance_after_minor = placed.balance_after,
       kind = CASE WHEN cause LIKE 'offer % charged' THEN 'offer-charge'
                   WHEN cause LIKE 'offer % paid by card' THEN 'offer-card-payment'
                   WHEN cause LIKE 'offer % credited up to %' THEN 'unused-time-credit'
                   ELSE 'platform-top-up' END
  FROM placed
 WHERE placed.transaction_id = t.transaction_id;
ALTER TABLE transactions ENABLE TRIGGER append_only;
ALTER TABLE transactions
  ALTER COLUMN kind SET NOT NULL,
  ALTER COLUMN balance_after_minor SET NOT NULL;

UPDATE balances
   SET last_booked_at = latest.booked_at
  FROM accounts,
       (SELECT organisation_id, mode, currency, max(booked_at) AS booked_at
          FROM transactions GROUP BY organisation_id, mode, currency) latest
 WHERE accounts.account_id = balances.account_id
   AND (accounts.organisation_id, accounts.mode, accounts.currency)
     = (latest.organisation_id, latest.mode, latest.currency);

-- A statement, newest first, and any period of it.
CREATE INDEX transactions_of_book ON transactions (organisation_id, mode, currency, booked_at, transaction_id);
-- Everything that was booked for an offer, which the ledger check compares with the offer's record.
CREATE INDEX transactions_of_offer ON transactions (offer_id) WHERE offer_id IS NOT NULL;
-- Nothing reads by account any more.
DROP INDEX entries_of_account;
