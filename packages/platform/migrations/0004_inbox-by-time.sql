-- As 0003, for the same reason: what is old is removed in small steps, each of which finds it at once. Without IF NOT EXISTS events,
-- not requests, would wait while it is built; where there are many millions of rows it is built beforehand, with CONCURRENTLY.
CREATE INDEX IF NOT EXISTS inbox_by_time ON inbox (handled_at);
DROP INDEX inbox_handled_at;
