-- The call log, one table per UTC day: 90 days of it are kept (specification, Authentication item 10), and a day is
-- dropped in milliseconds where deleting its rows would take minutes and leave the space behind.
--
-- The row carries its organisation, although the key would tell: a page by organisation is then one walk along one
-- index, newest day first, that stops when the page is full. Without it every page merges the walks of all keys that
-- the organisation ever had (rolled keys stay), through all days. Measured with 18 million calls in 98 days, half of
-- them of one organisation, 40 keys each, on two busy cores: a page of 100 takes 13 ms either for the busy organisation
-- or for one without any calls (nearly all of it planning), the merge 50 to 70 ms and more with every key, the plain
-- join over keys more than 2 s. The price is 92 bytes a call. With a million calls
-- a day the trees grow by one level at most.
--
-- No foreign keys. A row is only ever made by a join with api_keys, whose rows stay for ever; the check would cost a
-- look-up per call, and to attach or drop a day would lock api_keys against the door's own look-ups.
--
-- No default partition: with one, attaching a day locks and scans it, and pages lose their order by partition. The
-- writer makes the day that it misses (src/calls-partitions-store.ts).

ALTER TABLE calls RENAME TO calls_undivided;
ALTER TABLE calls_undivided RENAME CONSTRAINT calls_pkey TO calls_undivided_pkey;
ALTER INDEX calls_by_key RENAME TO calls_undivided_by_key;

CREATE TABLE calls (
  -- Given by the process that answered, so that a batch that is written twice counts once: the time of a call never
  -- changes, which makes the pair as unique as the id.
  id              uuid NOT NULL,
  called_at       timestamptz NOT NULL,
  organisation_id integer NOT NULL,
  key_id          integer NOT NULL,
  duration_ms     integer NOT NULL,
  status          smallint NOT NULL,
  route           text NOT NULL,
  return_code     text,
  PRIMARY KEY (id, called_at)
) PARTITION BY RANGE (called_at);

CREATE INDEX calls_by_organisation ON calls (organisation_id, called_at, id);
CREATE INDEX calls_by_key ON calls (key_id, called_at, id);

-- Today and a week ahead, and each day that has calls; afterwards src/call-retention.ts makes the days.
DO $$
DECLARE
  day date;
BEGIN
  FOR day IN
    SELECT (now() AT TIME ZONE 'UTC')::date + ahead FROM generate_series(0, 7) AS ahead
    UNION
    SELECT DISTINCT (called_at AT TIME ZONE 'UTC')::date FROM calls_undivided
    WHERE called_at >= now() - interval '90 days'
  LOOP
    EXECUTE format(
      'CREATE TABLE %I PARTITION OF calls FOR VALUES FROM (%L) TO (%L)',
      'calls_' || to_char(day, 'YYYY_MM_DD'),
      to_char(day, 'YYYY-MM-DD') || ' 00:00:00Z', to_char(day + 1, 'YYYY-MM-DD') || ' 00:00:00Z');
  END LOOP;
END $$;

INSERT INTO calls (id, called_at, organisation_id, key_id, duration_ms, status, route, return_code)
SELECT c.id, c.called_at, k.organisation_id, c.key_id, c.duration_ms, c.status, c.route, c.return_code
FROM calls_undivided c JOIN api_keys k ON k.id = c.key_id
WHERE c.called_at >= now() - interval '90 days';

DROP TABLE calls_undivided;
