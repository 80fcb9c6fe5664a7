-- Keys of edits are deleted when they are old (decision 10, idempotency keys). Their replies name neither an offer nor a group.
CREATE INDEX IF NOT EXISTS idempotency_keys_of_edits ON idempotency_keys (lease_until)
  WHERE recovery_point = 'finished' AND reply ->> 'offer_id' IS NULL AND reply ->> 'group_id' IS NULL;
