-- Whoever reserves an offer takes the lock of the quota last and counts behind it, in one statement: others of the organisation wait for
-- the commit and nothing else. A statement of its own would count what was there before the wait; each one in this function sees what
-- has been committed until then.

-- The few LIVE offers that cost 0.00, of one day. On a large table make it beforehand, with CONCURRENTLY.
CREATE INDEX IF NOT EXISTS offers_free ON offers (organisation_id, created_at) WHERE net_minor = 0 AND mode = 'LIVE';

-- Neither deleted nor Ended; and free ones since the beginning of the day, whatever has become of them.
CREATE FUNCTION offers_in_use(organisation integer, which text, person integer, at timestamptz, day timestamptz, apart_from integer)
RETURNS TABLE (of_organisation integer, of_person integer, free_today integer) LANGUAGE sql STABLE AS $$
  SELECT count(*)::integer, (count(*) FILTER (WHERE created_by = person))::integer,
         (SELECT count(*)::integer FROM offers
           WHERE organisation_id = organisation AND mode = 'LIVE' AND which = 'LIVE' AND net_minor = 0 AND created_at >= day
             AND offer_id IS DISTINCT FROM apart_from)
    FROM offers
   WHERE organisation_id = organisation AND mode = which AND deleted_at IS NULL AND expiry_at > at
     AND offer_id IS DISTINCT FROM apart_from
$$;

CREATE FUNCTION lock_offers_in_use(organisation integer, which text, person integer, at timestamptz, day timestamptz, apart_from integer)
RETURNS TABLE (of_organisation integer, of_person integer, free_today integer) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended(format('quota/%s/%s', organisation, which), 0));
  RETURN QUERY SELECT * FROM offers_in_use(organisation, which, person, at, day, apart_from);
END $$;
