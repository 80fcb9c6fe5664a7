-- An organisation that the platform team has not approved works with made-up members only and has no LIVE mode: a stranger who
-- registered an hour ago must learn nothing about real members.
--
-- deploy: checks-all-rows: there are thousands of organisations, which are read in milliseconds.
-- deploy: changes-all-rows: the same thousands; the release before does not know the columns.
ALTER TABLE organisations
  -- Null: waiting for approval.
  ADD COLUMN approved_at timestamptz,
  -- Who approved: a name of the platform team, as the admin call gave it, or how the organisation came to be approved by itself.
  ADD COLUMN approved_by text,
  ADD CHECK ((approved_at IS NULL) = (approved_by IS NULL));

-- Organisations that were registered before approvals existed go on as they are.
UPDATE organisations SET approved_at = registered_at, approved_by = 'registered before approvals';
