-- A page of GET /offers reads about as many rows as it shows, whatever its filter, also for an organisation with a million
-- offers of which ten are Active or of which ten have Ended. A status follows from the clock (decision 1), so no index can hold
-- it; but the events that were told about an offer nearly tell it, and the few for which a moment has passed since are found by that.
-- On a large table, so that nothing waits while an index is built, make the indexes beforehand: the same statements with
-- CREATE INDEX CONCURRENTLY, after the functions. Those that exist are left alone here.

-- The status that the stored facts alone speak of, with the mode in the same word: an index on it serves no other order, so the
-- planner cannot walk through all offers of an organisation in the hope of meeting the few. Never to be replaced: the index
-- holds what it once said. "waiting" is not Active as far as anybody was told: Scheduled, just begun, or disabled.
CREATE OR REPLACE FUNCTION offer_filed_as(mode text, payment_applied_at timestamptz, paused_since timestamptz,
  activated_told_at timestamptz, ended_told_at timestamptz) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT mode || ' ' || CASE
    WHEN ended_told_at IS NOT NULL THEN 'ended'
    WHEN payment_applied_at IS NULL THEN 'awaiting_payment'
    WHEN paused_since IS NOT NULL THEN 'paused'
    WHEN activated_told_at IS NOT NULL THEN 'active'
    ELSE 'waiting' END
$$;

-- From when on the clock says something else than that; NULL: never.
CREATE OR REPLACE FUNCTION offer_refiled_at(start_at timestamptz, expiry_at timestamptz, payment_applied_at timestamptz,
  paused_since timestamptz, activated_told_at timestamptz, ended_told_at timestamptz) RETURNS timestamptz
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE
    WHEN ended_told_at IS NOT NULL THEN NULL
    WHEN payment_applied_at IS NOT NULL AND paused_since IS NULL AND activated_told_at IS NULL THEN start_at
    ELSE expiry_at END
$$;

CREATE INDEX IF NOT EXISTS offers_listed_as_filed ON offers (
  organisation_id,
  offer_filed_as(mode, payment_applied_at, paused_since, activated_told_at, ended_told_at),
  -- Read backwards, newest first: written forwards, the index splits its pages where they are full and stays half the size.
  created_at, offer_id
) WHERE deleted_at IS NULL AND shown_at IS NOT NULL;

-- Those before now: what the sweeper has not told of yet, and offers that are disabled since before their start.
CREATE INDEX IF NOT EXISTS offers_to_refile ON offers (
  organisation_id, mode,
  offer_refiled_at(start_at, expiry_at, payment_applied_at, paused_since, activated_told_at, ended_told_at)
) WHERE deleted_at IS NULL AND shown_at IS NOT NULL
  AND offer_refiled_at(start_at, expiry_at, payment_applied_at, paused_since, activated_told_at, ended_told_at) IS NOT NULL;

-- An offer deleted before its expiry never ends, and would stay among those that the sweeper looks through every second.
CREATE INDEX IF NOT EXISTS offers_ending ON offers (expiry_at)
  WHERE ended_told_at IS NULL AND shown_at IS NOT NULL AND (deleted_at IS NULL OR deleted_at >= expiry_at);
DROP INDEX offers_to_end;
