-- How far billing has asked the card provider for events whose webhook may have been lost for ever, per mode: the account behind
-- each mode's key has a list of its own.
CREATE TABLE event_readings (
  mode         text PRIMARY KEY CHECK (mode IN ('TEST', 'LIVE')),
  -- All that was created before it has been read.
  read_up_to   timestamptz NOT NULL,
  -- Of a stretch that is longer than one round reads: where it ends, and the last event that was read of it, newest first.
  stretch_to   timestamptz,
  last_event_id text,
  -- The replica that puts this off is the one that reads.
  next_read_at timestamptz NOT NULL,
  CONSTRAINT stretch_has_a_place CHECK ((stretch_to IS NULL) = (last_event_id IS NULL))
);
