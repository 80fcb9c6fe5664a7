-- Views and clicks by whole hours (UTC): the intervals of analytics start at whole hours, so the sums are exact
-- (decision 18a).
CREATE TABLE traffic (
  offer_id integer NOT NULL REFERENCES offers,
  hour     timestamptz(3) NOT NULL,
  views    integer NOT NULL DEFAULT 0,
  clicks   integer NOT NULL DEFAULT 0,
  PRIMARY KEY (offer_id, hour)
);
