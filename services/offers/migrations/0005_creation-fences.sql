-- A freed key's row is gone, and the next request with the key begins a new one. Counted row by row, fences would start
-- again there, and a holder that was taken for dead would pass for the new one: two charges for one key. So all fences come
-- from one sequence and none ever comes twice.
CREATE SEQUENCE creation_fences;
SELECT setval('creation_fences', (SELECT coalesce(max(fence), 0) + 1 FROM idempotency_keys));
ALTER TABLE idempotency_keys
  ALTER COLUMN fence TYPE bigint,
  ALTER COLUMN fence SET DEFAULT nextval('creation_fences');
