-- What the Unused Time of an offer is worth so far. Less of it is credited while the card provider has taken the payment back; the rest is
-- credited when the money has come back. 0 in rows from before: of those nothing was withheld.
ALTER TABLE offer_payments ADD COLUMN earned_minor bigint NOT NULL DEFAULT 0;
ALTER TABLE offer_payments ADD CONSTRAINT earned_within_price CHECK (earned_minor BETWEEN 0 AND net_minor) NOT VALID;
