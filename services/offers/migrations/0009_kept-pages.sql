-- When billing does not say whether it has closed the payment page of an offer, its advertiser is told that nothing was
-- deleted (E7). Perhaps it has: then the page has to work again, or a listed offer would have a dead link.
ALTER TABLE offers
  -- How many deletions have asked for the page to be closed: the number of the latest.
  ADD COLUMN deletions integer NOT NULL DEFAULT 0,
  -- The latest of them whose caller was told so. What billing still says to it counts no more.
  ADD COLUMN kept_deletion integer,
  -- Until billing has heard that the page stays.
  ADD COLUMN keeping_since timestamptz(3);
UPDATE offers SET deletions = 1 WHERE deleting_since IS NOT NULL;
CREATE INDEX offers_keeping ON offers (keeping_since) WHERE keeping_since IS NOT NULL;
