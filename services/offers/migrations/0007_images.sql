-- Which pictures lie in the store. A picture is kept before anything refers to it, so whoever removes pictures must know
-- of those too, and two offers may share one: what nobody needs is found here and doomed under its row's lock. A doomed
-- name is never used again, so that a removal which arrives late at the store cannot hit what was kept meanwhile.
CREATE TABLE images (
  name      text PRIMARY KEY,
  -- Hash of the bytes and type. NULL: found in the store, kept by nobody that we know.
  content   text,
  -- When to look whether anybody needs it; of a doomed one, when to remove it.
  look_at   timestamptz(3) NOT NULL,
  doomed_at timestamptz(3)
);
-- The same picture is kept once.
CREATE UNIQUE INDEX images_content ON images (content) WHERE doomed_at IS NULL;
CREATE INDEX images_to_look_at ON images (look_at);

-- Who needs a picture.
CREATE INDEX offers_image ON offers (image, deleted_at);
CREATE INDEX idempotency_keys_image ON idempotency_keys ((checks ->> 'image')) WHERE checks IS NOT NULL;

-- The pictures so far, whose names are their content, spread over a week so that nobody looks at all of them at once.
-- Those that no row needs are found in the store itself.
INSERT INTO images (name, content, look_at)
SELECT image, image, now() + interval '1 day' + random() * interval '6 days'
FROM (SELECT image FROM offers UNION SELECT checks ->> 'image' FROM idempotency_keys WHERE checks IS NOT NULL) AS needed;

-- When the store was last searched for pictures that no row knows; its one row is also what replicas share the work by.
CREATE TABLE image_search (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  began_at timestamptz(3) NOT NULL
);
INSERT INTO image_search (began_at) VALUES ('-infinity');
