-- How many top-ups of an organisation wait for their payment is asked with each new one.
CREATE INDEX top_ups_open ON top_ups (organisation_id, mode, expiry_at) WHERE state IN ('opening', 'open', 'closing');
