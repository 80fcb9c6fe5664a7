-- The ledger check walks reversals one after the other, as it walks all else: by a number, so that a step costs the same however
-- many payments, books and reversals there are.
ALTER TABLE card_reversals ADD COLUMN card_reversal_id bigint GENERATED ALWAYS AS IDENTITY UNIQUE;
