-- An organisation administers itself: who invited whom, the words of the terms and who accepted them, and what became
-- of a key. Wherever a person is named, null means the platform team.

-- Every invitation that was sent; how many in a day is bounded by counting them. Whether it was accepted is not kept
-- twice: whoever has signed in (people.last_signed_in_at) has accepted.
CREATE TABLE invitations (
  id        integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  person_id integer NOT NULL REFERENCES people,
  sent_by   integer REFERENCES people,
  sent_at   timestamptz NOT NULL
);
CREATE INDEX invitations_person ON invitations (person_id, sent_at);

-- Null: a version from before texts were kept, or one whose text is published elsewhere.
ALTER TABLE terms_versions ADD COLUMN text text CHECK (char_length(text) <= 100000);
ALTER TABLE terms_acceptances ADD COLUMN accepted_by integer REFERENCES people;

ALTER TABLE api_keys
  -- The key that this one replaced; a key is rolled once at most.
  ADD COLUMN rolled_from integer UNIQUE REFERENCES api_keys,
  -- Who disabled or rolled it.
  ADD COLUMN disabled_by integer REFERENCES people;
