-- What an offer may be about and whom it may interest. Written by the platform's admin command only, as one whole.
CREATE TABLE categories (
  category_id      integer PRIMARY KEY,
  category_name    text NOT NULL,
  active           boolean NOT NULL,
  -- NULL: every organisation may use it ("Category": active and available to the organisation).
  organisation_ids integer[]
);

CREATE TABLE interests (
  interest_id   integer PRIMARY KEY,
  interest_name text NOT NULL,
  active        boolean NOT NULL
);

-- Orders the CatalogueChanged events; its one row is also the lock under which the catalogue is replaced.
CREATE TABLE catalogue (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  version  integer NOT NULL
);
INSERT INTO catalogue (version) VALUES (0);
