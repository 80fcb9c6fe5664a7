-- Views and clicks come by the thousand a second, and not each of them is somebody's interest: repeats and bots are told
-- apart (decision 50) and counted beside what counts. Nothing here names a member.
ALTER TABLE traffic
  ADD COLUMN views_repeated   integer NOT NULL DEFAULT 0,
  ADD COLUMN clicks_repeated  integer NOT NULL DEFAULT 0,
  ADD COLUMN views_automated  integer NOT NULL DEFAULT 0,
  ADD COLUMN clicks_automated integer NOT NULL DEFAULT 0;
-- The row of the current hour is written over and over: room for that in its own page keeps the index out of it.
ALTER TABLE traffic SET (fillfactor = 70);

-- The ids of views and clicks that were counted. Apart from the inbox, because there are thousands of times as many and
-- they need not be remembered as long as payments.
CREATE TABLE traffic_inbox (
  event_id   uuid PRIMARY KEY,
  handled_at timestamptz(3) NOT NULL
);
CREATE INDEX traffic_inbox_handled_at ON traffic_inbox (handled_at);

-- What somebody did in one hour (UTC), for as long as repeats are looked for.
CREATE TABLE traffic_viewers (
  hour       timestamptz(3) NOT NULL,
  -- Of the hour and the pseudonym, so that nobody can be followed from one hour to the next.
  viewer     bigint NOT NULL,
  -- Offer, views, clicks; offer, views, clicks; ... NULL: too many offers for a person, so nothing more is noted.
  seen       integer[],
  touched_at timestamptz(3) NOT NULL,
  PRIMARY KEY (hour, viewer)
) WITH (fillfactor = 70);
