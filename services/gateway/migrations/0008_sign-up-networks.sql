-- Beyond a pace, sign-ups wait in a queue that is answered fairly, so that no network can fill it for all others. It is deleted
-- with its row, a day later. Null: asked for while the release before ran; counted as a network of its own.
ALTER TABLE sign_ups ADD COLUMN network text;
