-- Whose the image store is: the store holds this id too, and nothing is removed from a store that holds another one. The service
-- writes the row at its first start, so that databases made from one template differ.
CREATE TABLE image_store (
  only_row    boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  database_id uuid NOT NULL
);
