-- Why the platform team has withdrawn an approval. The people of the organisation read it; their paid offers stay in their hands.
ALTER TABLE organisations
  ADD COLUMN withdrawn_at timestamptz,
  ADD COLUMN withdrawn_because text,
  ADD CHECK ((withdrawn_at IS NULL) = (withdrawn_because IS NULL));

-- What a key may do depends on it.
DROP TRIGGER key_change ON organisations;
CREATE TRIGGER key_change AFTER UPDATE OF enabled, approved_at, withdrawn_at, currency, country, trading_name ON organisations
  FOR EACH ROW EXECUTE FUNCTION note_key_change();
