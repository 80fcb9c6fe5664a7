-- Why the platform team has withdrawn an approval. The people of the organisation read it; their paid offers stay in their hands.
ALTER TABLE organisations
  ADD COLUMN withdrawn_at timestamptz,
  ADD COLUMN withdrawn_because text,
  ADD CONSTRAINT withdrawal CHECK ((withdrawn_at IS NULL) = (withdrawn_because IS NULL)) NOT VALID;
