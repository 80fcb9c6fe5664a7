-- A block range index leads to every page that was not vacuumed yet, and to every page once newer rows have taken the places of
-- removed ones: to remove what is old would soon read the whole table each hour, longer than a statement may take.
DROP INDEX sent_events_happened_at;
-- deploy: builds-index: the table is new in this release
CREATE INDEX sent_events_happened_at ON sent_events (happened_at);
