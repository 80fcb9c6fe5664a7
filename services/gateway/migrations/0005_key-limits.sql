-- A key may have a limit of its own beside the one per client IP, for an integration that runs on many machines.
ALTER TABLE api_keys
  -- Null: none but that of the client IP.
  ADD COLUMN requests_per_minute integer CHECK (requests_per_minute BETWEEN 1 AND 100000);
