-- Events that the broker has confirmed, for two weeks: what a consumer had not yet handled at the moment to which it was restored
-- from a backup, or what the broker itself has lost, is published again from here under the same ids. Less than the 30 days for
-- which inboxes know what they have handled, so that nothing takes effect twice.
CREATE TABLE sent_events (
  -- As in the outbox.
  position    bigint PRIMARY KEY,
  event       json NOT NULL,
  -- When it happened, of which the age counts however often it is published.
  happened_at timestamptz NOT NULL
);
-- Written nearly in this order, and read by it seldom.
CREATE INDEX sent_events_happened_at ON sent_events USING brin (happened_at);
