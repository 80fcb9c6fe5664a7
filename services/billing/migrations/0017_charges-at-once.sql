-- A charge is one statement, so that a busy balance is locked for no longer than the statement and its commit take. What the statement
-- finds out too late to leave something out, it takes back as a whole by an error.
CREATE FUNCTION abort_statement(code text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the statement takes itself back' USING ERRCODE = code;
END $$;
