-- A deletion whose caller was told that nothing was deleted (E7), because billing's answer was lost, is taken back: the page
-- works again. Deletions of an offer are numbered, because a late request of one that is over must change nothing.
ALTER TABLE offer_payments
  -- The latest deletion that was heard of, by its request to close the page or by being taken back.
  ADD COLUMN deletion integer NOT NULL DEFAULT 0,
  ADD COLUMN deletion_taken_back boolean NOT NULL DEFAULT false;
