-- What offers owns: the catalogue of categories and interests, the offers themselves, the keys under which they are created, their
-- pictures, and their views and clicks.

---- The catalogue ----
-- The categories and interests that offers may have. Only the platform's admin command writes them, always all together.

CREATE TABLE categories (
  category_id      integer PRIMARY KEY,
  category_name    text NOT NULL,
  active           boolean NOT NULL,
  -- Null: every organisation may use it ("Category": active and available to the organisation).
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

---- Offers ----

-- Offers that were created together, one for each place, and are paid together (decision 270, offer groups). An abandoned creation leaves a
-- gap: its id is never used again, because billing has closed it.
CREATE TABLE offer_groups (
  group_id        integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  organisation_id integer NOT NULL,
  mode            text NOT NULL CHECK (mode IN ('TEST', 'LIVE')),
  UNIQUE (group_id, organisation_id, mode)
);

-- Facts only: what an offer is like and what happened to it. Its status is never stored. It follows from these facts and the clock
-- (decision 1, state is computed), so a late sweeper makes no status wrong.
CREATE TABLE offers (
  -- Four bytes are enough for two thousand million offers and stay a plain number in JSON. An abandoned creation leaves
  -- a gap: its id is never used again.
  offer_id             integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- Null: it was created by itself.
  group_id             integer,
  organisation_id      integer NOT NULL,
  mode                 text NOT NULL CHECK (mode IN ('TEST', 'LIVE')),
  created_by           integer,
  -- The organisation's trading name at the creation. Members see it if the offer has no advertised name.
  trading_name         text NOT NULL,
  country              text NOT NULL,
  currency             text NOT NULL,

  category_id          integer NOT NULL REFERENCES categories,
  title                text NOT NULL,
  description          text NOT NULL,
  terms_and_conditions text NOT NULL,
  advertised_name      text,
  url                  text NOT NULL,
  image                text NOT NULL,
  latitude             double precision NOT NULL,
  longitude            double precision NOT NULL,
  -- The advertiser's name for the place.
  place_label          text CHECK (group_id IS NOT NULL OR place_label IS NULL),
  radius_miles         integer NOT NULL,
  gender               text[] NOT NULL,
  interests            integer[] NOT NULL,
  -- How many members matched at the creation, rounded as the caller was told.
  matching_users       integer NOT NULL CHECK (matching_users > 0),

  created_at           timestamptz(3) NOT NULL,
  start_at             timestamptz(3) NOT NULL,
  expiry_at            timestamptz(3) NOT NULL CHECK (expiry_at > start_at),

  payment_method       text NOT NULL CHECK (payment_method IN ('E', 'B')),
  net_minor            bigint NOT NULL CHECK (net_minor >= 0),
  vat_minor            bigint NOT NULL DEFAULT 0 CHECK (vat_minor >= 0),
  payment_url          text,
  -- When billing took the money, and when this service applied the payment. The offer may run from the second time on.
  paid_at              timestamptz(3),
  payment_applied_at   timestamptz(3) CHECK (payment_applied_at IS NULL OR paid_at IS NOT NULL),

  -- Null: a reservation, hidden until the creation is finished.
  shown_at             timestamptz(3),
  paused_since         timestamptz(3),
  disabled_since       timestamptz(3),
  -- What the advertiser is told about it.
  disabled_reason      text,
  -- Past pauses and disablings as [{"from": instant, "to": instant}], disjoint and in order.
  stops                jsonb NOT NULL DEFAULT '[]',

  -- Recovery point of a deletion that is closing the payment page.
  deleting_since       timestamptz(3),
  deleted_at           timestamptz(3),
  -- If billing does not answer whether it has closed the payment page, the advertiser is told that nothing was deleted (E7). If billing
  -- has closed the page, it must open it again, or a listed offer would have a dead link.
  -- The number of the latest deletion that asked for the page to be closed.
  deletions            integer NOT NULL DEFAULT 0,
  -- The latest deletion that failed with E7. A later answer of billing about it does not count.
  failed_deletion      integer,
  -- Set until billing has confirmed that the page stays open.
  keeping_since        timestamptz(3),

  -- When OfferActivated and OfferEnded were written.
  activation_announced_at timestamptz(3),
  end_announced_at     timestamptz(3),
  -- When OfferEndsSoon was written, or found to be unneeded.
  end_soon_announced_at timestamptz(3),

  -- 1 at the creation, and one more with each edit of what members see.
  content_version      integer NOT NULL DEFAULT 1,
  -- The latest edit. By the real time, also of TEST offers.
  content_changed_at   timestamptz(3),
  -- Since when the content waits for a look of the platform's staff. By the real time, also of TEST offers.
  review_waiting_since timestamptz(3),
  -- Version of the last event about this offer.
  version              integer NOT NULL DEFAULT 0,
  -- The transaction that last changed something of which members may see the offer (src/placements/live-offers-store.ts).
  changed_in           xid8 NOT NULL DEFAULT pg_current_xact_id(),
  FOREIGN KEY (group_id, organisation_id, mode) REFERENCES offer_groups (group_id, organisation_id, mode)
);
CREATE INDEX offers_of_group ON offers (group_id, offer_id) WHERE group_id IS NOT NULL;

-- The listing's order, newest first (decision 22, order of the listing).
CREATE INDEX offers_listed ON offers (organisation_id, mode, created_at DESC, offer_id DESC)
  WHERE deleted_at IS NULL AND shown_at IS NOT NULL;
-- The same for deleted offers, which only the portal shows.
CREATE INDEX offers_listed_deleted ON offers (organisation_id, mode, created_at DESC, offer_id DESC)
  WHERE deleted_at IS NOT NULL AND shown_at IS NOT NULL;
-- Offers that need a picture.
CREATE INDEX offers_image ON offers (image, deleted_at);

-- The work of the sweeper. Rows leave these indexes when the work is done.
CREATE INDEX offers_to_activate ON offers (start_at, offer_id)
  WHERE activation_announced_at IS NULL AND end_announced_at IS NULL AND payment_applied_at IS NOT NULL AND deleted_at IS NULL;
-- An offer that is deleted before its expiry never ends.
CREATE INDEX offers_ending ON offers (expiry_at, offer_id)
  WHERE end_announced_at IS NULL AND shown_at IS NOT NULL AND (deleted_at IS NULL OR deleted_at >= expiry_at);
CREATE INDEX offers_ending_soon ON offers (expiry_at, offer_id)
  WHERE end_soon_announced_at IS NULL AND end_announced_at IS NULL AND payment_applied_at IS NOT NULL AND deleted_at IS NULL
    AND disabled_since IS NULL AND expiry_at - start_at >= interval '48 hours';
-- Those of a mode in the order of their ids, for followers of the events who start anew.
CREATE INDEX offers_running ON offers (mode, offer_id)
  WHERE end_announced_at IS NULL AND shown_at IS NOT NULL AND deleted_at IS NULL;
-- Offers that members may see and whose content no one of the platform's staff has looked at, the longest waiting first.
CREATE INDEX offers_to_review ON offers (mode, review_waiting_since, offer_id)
  WHERE review_waiting_since IS NOT NULL AND deleted_at IS NULL AND end_announced_at IS NULL;
-- Of the platform's staff, who search among the offers of all organisations. These offers are few.
CREATE INDEX offers_disabled ON offers (offer_id) WHERE disabled_since IS NOT NULL AND shown_at IS NOT NULL;
CREATE INDEX offers_deleted ON offers (organisation_id, mode, created_at, offer_id) WHERE deleted_at IS NOT NULL AND shown_at IS NOT NULL;
-- The words of a title as staff search them: as they are written, in any case. Signs become blanks, because the parser would read "2-for-1"
-- as a negative number and "tea.example" as a host. Never replace this function: the index holds its earlier results.
CREATE FUNCTION offer_title_words(title text) RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT to_tsvector('simple'::regconfig, translate(title, '-+./@:&_%', '         '))
$$;
CREATE INDEX offers_by_title ON offers USING gin (offer_title_words(title));
CREATE INDEX offers_deleting ON offers (deleting_since) WHERE deleting_since IS NOT NULL;
CREATE INDEX offers_keeping ON offers (keeping_since) WHERE keeping_since IS NOT NULL;

-- How far the time of an organisation's TEST offers is ahead of the real time (decision 216, test clock). Without a row: not at all. The
-- instants of these offers are in that time. Queries about LIVE offers never read this table.
CREATE TABLE test_clocks (
  organisation_id integer PRIMARY KEY,
  ahead_seconds   integer NOT NULL CHECK (ahead_seconds >= 0),
  -- The transaction that last moved it, as in offers.
  changed_in      xid8 NOT NULL DEFAULT pg_current_xact_id()
);

-- A page of GET /offers reads about as many rows as it shows, whatever its filter, also for an organisation with a million offers of
-- which ten are Active. No index can hold a status, because it follows from the clock. But the events that were announced about an offer
-- nearly give its status, and a second index finds the few offers whose status the clock has changed since.

-- The status that the stored facts alone give, with the mode in the same word: an index on it has no other order, so the planner cannot
-- walk through all offers of an organisation to find the few. "waiting" is Scheduled, just begun, or disabled. Never replace this
-- function: the index holds its earlier results.
CREATE FUNCTION offer_filed_as(mode text, payment_applied_at timestamptz, paused_since timestamptz,
  activation_announced_at timestamptz, end_announced_at timestamptz) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT mode || ' ' || CASE
    WHEN end_announced_at IS NOT NULL THEN 'ended'
    WHEN payment_applied_at IS NULL THEN 'awaiting_payment'
    WHEN paused_since IS NOT NULL THEN 'paused'
    WHEN activation_announced_at IS NOT NULL THEN 'active'
    ELSE 'waiting' END
$$;

-- The time from which the clock gives another status than that. Null: never.
CREATE FUNCTION offer_refiled_at(start_at timestamptz, expiry_at timestamptz, payment_applied_at timestamptz,
  paused_since timestamptz, activation_announced_at timestamptz, end_announced_at timestamptz) RETURNS timestamptz
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE
    WHEN end_announced_at IS NOT NULL THEN NULL
    WHEN payment_applied_at IS NOT NULL AND paused_since IS NULL AND activation_announced_at IS NULL THEN start_at
    ELSE expiry_at END
$$;

CREATE INDEX offers_listed_as_filed ON offers (
  organisation_id,
  offer_filed_as(mode, payment_applied_at, paused_since, activation_announced_at, end_announced_at),
  -- Read backwards, newest first: written forwards, the index splits its pages where they are full and stays half the size.
  created_at, offer_id
) WHERE deleted_at IS NULL AND shown_at IS NOT NULL;

-- Entries before now: offers that the sweeper has not announced yet, and offers that were disabled before their start and still are. By it
-- the sweeper also finds what is due by a test clock. So it has offers that were deleted after their end, which is still to be announced.
CREATE INDEX offers_to_refile ON offers (
  organisation_id, mode,
  offer_refiled_at(start_at, expiry_at, payment_applied_at, paused_since, activation_announced_at, end_announced_at)
) WHERE (deleted_at IS NULL OR deleted_at >= expiry_at) AND shown_at IS NOT NULL
  AND offer_refiled_at(start_at, expiry_at, payment_applied_at, paused_since, activation_announced_at, end_announced_at) IS NOT NULL;

---- Changes by people ----
-- Who changed an offer and when, written in the transaction of the change. People and keys are ids: the gateway has their names, and forgets
-- them with the person.
CREATE TABLE offer_changes (
  change_id    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- Changes of a dropped reservation go with it.
  offer_id     integer NOT NULL REFERENCES offers ON DELETE CASCADE,
  what         text NOT NULL,
  -- In the time of the offer.
  changed_at   timestamptz(3) NOT NULL,
  -- Both: the key of a person. Neither: the staff of the platform.
  person_id    integer,
  key_id       integer,
  -- The changed fields of an edit.
  fields       text[] NOT NULL DEFAULT '{}',
  -- The offer that follows an extended one.
  following_id integer REFERENCES offers ON DELETE CASCADE
);
CREATE INDEX offer_changes_of_offer ON offer_changes (offer_id, change_id DESC);
CREATE INDEX offer_changes_following ON offer_changes (following_id) WHERE following_id IS NOT NULL;

-- The latest weekly report of each organisation, by the Monday on which it was due.
CREATE TABLE weekly_reports (
  organisation_id integer PRIMARY KEY,
  monday          date NOT NULL
);

---- The quota ----

-- The quota counts what is neither deleted nor Ended, reservations included (decision 17, quota of offers).
-- Also the order of the portal's list by the end.
CREATE INDEX offers_counted ON offers (organisation_id, mode, expiry_at, offer_id) WHERE deleted_at IS NULL;
-- The few LIVE offers that cost 0.00, of one day.
CREATE INDEX offers_free ON offers (organisation_id, created_at) WHERE net_minor = 0 AND mode = 'LIVE';

-- Counts offers that are neither deleted nor Ended, and free ones since the beginning of the day, deleted ones too.
CREATE FUNCTION offers_in_use(organisation integer, which text, person integer, at timestamptz, day timestamptz)
RETURNS TABLE (of_organisation integer, of_person integer, free_today integer) LANGUAGE sql STABLE AS $$
  SELECT count(*)::integer, (count(*) FILTER (WHERE created_by = person))::integer,
         (SELECT count(*)::integer FROM offers
           WHERE organisation_id = organisation AND mode = 'LIVE' AND which = 'LIVE' AND net_minor = 0 AND created_at >= day)
    FROM offers
   WHERE organisation_id = organisation AND mode = which AND deleted_at IS NULL AND expiry_at > at
$$;

-- A reservation takes the lock of the quota, counts behind it and writes, in one statement: other creations of the organisation wait
-- until its commit, and for no round trip. Each statement in this function sees what was committed until then; one statement without a
-- function would count what was there before the wait.
CREATE FUNCTION lock_offers_in_use(organisation integer, which text, person integer, at timestamptz, day timestamptz)
RETURNS TABLE (of_organisation integer, of_person integer, free_today integer) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended(format('quota/%s/%s', organisation, which), 0));
  RETURN QUERY SELECT * FROM offers_in_use(organisation, which, person, at, day);
END $$;

-- Called inside a statement, so that the statement changes nothing. The caller recognises the code.
CREATE FUNCTION abort_statement(code text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the statement takes itself back' USING ERRCODE = code;
END $$;

---- Creations ----

-- All fences come from one sequence, so that each is used once. A refusal deletes a key's row, and the next request with the key inserts a
-- new row. If each row counted its own fences, they would start again, and an old holder, taken for dead, could have the new holder's fence:
-- two charges for one key.
CREATE SEQUENCE creation_fences;

-- One row per Idempotency-Key of POST /offers, with the recovery point of its creation (architecture, "Creating an offer"), and of
-- PATCH /offers/{offer_id}. A refusal
-- deletes the row and so frees the key; a finished row is never deleted (decision 10, idempotency keys).
CREATE TABLE idempotency_keys (
  organisation_id integer NOT NULL,
  mode            text NOT NULL CHECK (mode IN ('TEST', 'LIVE')),
  idempotency_key text NOT NULL,
  -- SHA-256 over every field and the bytes of the image, for an edit also over its path.
  fingerprint     bytea NOT NULL,
  recovery_point  text NOT NULL CHECK (recovery_point IN ('received', 'charging', 'finished')),
  -- The holder of the lease works on the creation. Each new holder raises the fence; a write with an old fence is refused.
  lease_until     timestamptz(3) NOT NULL,
  fence           bigint NOT NULL DEFAULT nextval('creation_fences'),
  -- The reservation, from charging on, of a group its first offer; or the edited offer.
  offer_id        integer REFERENCES offers,
  -- The reply that every replay returns, once finished. json, not jsonb, so that it stays as it was written.
  reply           json,
  PRIMARY KEY (organisation_id, mode, idempotency_key),
  CHECK ((recovery_point IN ('charging', 'finished')) = (offer_id IS NOT NULL)),
  CHECK ((recovery_point = 'finished') = (reply IS NOT NULL))
);
-- Unfinished creations, for the sweeper.
CREATE INDEX idempotency_keys_unfinished ON idempotency_keys (lease_until) WHERE recovery_point <> 'finished';
CREATE INDEX idempotency_keys_offer ON idempotency_keys (offer_id);

---- Placements ----
-- Replicas hold the offers that members may see in memory, and follow the changes of that. A trigger marks them, so that no change is
-- forgotten, not even one that is made by hand. An offer that was shown is never deleted from the table.
CREATE INDEX offers_changed_in ON offers (changed_in);
CREATE FUNCTION mark_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.changed_in := pg_current_xact_id();
  RETURN NEW;
END $$;
CREATE TRIGGER mark_change BEFORE UPDATE ON offers FOR EACH ROW
  WHEN ((OLD.shown_at IS NULL) <> (NEW.shown_at IS NULL) OR (OLD.payment_applied_at IS NULL) <> (NEW.payment_applied_at IS NULL)
    OR (OLD.deleted_at IS NULL) <> (NEW.deleted_at IS NULL) OR (OLD.paused_since IS NULL) <> (NEW.paused_since IS NULL)
    OR (OLD.disabled_since IS NULL) <> (NEW.disabled_since IS NULL)
    OR OLD.content_version <> NEW.content_version) EXECUTE FUNCTION mark_change();

-- How often a viewer was shown which offers on a day (UTC), for turns and the cap: {"4711": 2}. Nothing here names a member.
CREATE TABLE placement_viewers (
  day    date NOT NULL,
  -- A hash of the day and the pseudonym.
  viewer bigint NOT NULL,
  shown  jsonb NOT NULL,
  PRIMARY KEY (day, viewer)
) WITH (fillfactor = 70);

-- Replicas add what they have shown: {"1": 1} and {"1": 2, "7": 1} are {"1": 3, "7": 1}.
CREATE FUNCTION add_counts(one jsonb, other jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT jsonb_object_agg(key, count) FROM (
    SELECT key, sum(value::integer) AS count FROM (SELECT * FROM jsonb_each_text(one) UNION ALL SELECT * FROM jsonb_each_text(other)) AS each_count GROUP BY key
  ) AS added
$$;

-- By whole hours: in how many placements the offer matched, how many showings of them were its fair share, and how many it got. Without a
-- foreign key: its check would cost a look-up for each offer that matched.
CREATE TABLE placement_shares (
  offer_id   integer NOT NULL,
  hour       timestamptz(3) NOT NULL,
  matched    integer NOT NULL,
  fair_share real NOT NULL,
  shown      integer NOT NULL,
  PRIMARY KEY (offer_id, hour)
) WITH (fillfactor = 70);
-- For the report of the last day, and to forget what is older than a month.
CREATE INDEX placement_shares_hour ON placement_shares (hour);

---- Pictures ----

-- The pictures in the store; the renditions of a picture are named after it and have no row. A picture is stored before any offer refers to it, and two offers may share one. So unneeded pictures are found
-- here, and retired under their row's lock. The name of a retired picture is never used again, so a late removal cannot hit a picture that
-- was stored meanwhile.
CREATE TABLE images (
  name       text PRIMARY KEY,
  -- Hash of the bytes, and the type.
  content    text NOT NULL,
  -- When to check whether an offer needs it; when to remove it, if it is retired. 'infinity': when an offer with it is deleted, or gets
  -- another picture.
  look_at    timestamptz(3) NOT NULL,
  -- Since then it waits for its removal.
  retired_at timestamptz(3)
);
-- The same picture is stored once.
CREATE UNIQUE INDEX images_content ON images (content) WHERE retired_at IS NULL;
CREATE INDEX images_to_look_at ON images (look_at) WHERE look_at < 'infinity';

-- Deleting an offer asks for a look at its picture. It waits for a look that is under way, which does not see the deletion yet. A TEST offer
-- may be deleted at an instant that is still to come (decision 216, test clock), so its picture is looked at now.
CREATE FUNCTION look_at_image() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE images SET look_at = CASE WHEN NEW.mode = 'TEST' THEN '-infinity' ELSE NEW.deleted_at END WHERE name = NEW.image AND retired_at IS NULL;
  RETURN NULL;
END $$;
CREATE TRIGGER look_at_image AFTER UPDATE OF deleted_at ON offers FOR EACH ROW
  WHEN (OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL) EXECUTE FUNCTION look_at_image();

-- Pictures lie under this id in the store, so installations that were given the same store never meet. The service writes the row at its
-- first start, so that databases made from one template differ.
CREATE TABLE image_store (
  only_row    boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  database_id uuid NOT NULL DEFAULT gen_random_uuid()
);

---- Views and clicks ----
-- Thousands arrive in a second. Repeats and bots are counted in columns of their own (decision 50, views and clicks). Nothing here names
-- a member.

-- By whole hours (UTC): the intervals of analytics start at whole hours, so the sums are exact (decision 18a, forms
-- and formats).
CREATE TABLE traffic (
  offer_id         integer NOT NULL REFERENCES offers,
  hour             timestamptz(3) NOT NULL,
  views            integer NOT NULL DEFAULT 0,
  clicks           integer NOT NULL DEFAULT 0,
  views_repeated   integer NOT NULL DEFAULT 0,
  clicks_repeated  integer NOT NULL DEFAULT 0,
  views_automated  integer NOT NULL DEFAULT 0,
  clicks_automated integer NOT NULL DEFAULT 0,
  PRIMARY KEY (offer_id, hour)
  -- The row of the current hour is updated often. With room in its own page, the index need not change.
) WITH (fillfactor = 70);

-- Sums of `traffic` for the portal's list and first page, written in the same transactions: the counted views and clicks of each offer,
-- and of each organisation by whole hours (UTC).
CREATE TABLE traffic_totals (
  offer_id integer PRIMARY KEY REFERENCES offers,
  views    bigint NOT NULL,
  clicks   bigint NOT NULL
) WITH (fillfactor = 70);
CREATE TABLE traffic_of_organisations (
  organisation_id integer NOT NULL,
  mode            text NOT NULL,
  hour            timestamptz(3) NOT NULL,
  views           bigint NOT NULL,
  clicks          bigint NOT NULL,
  PRIMARY KEY (organisation_id, mode, hour)
) WITH (fillfactor = 70);

-- The ids of views and clicks that were counted. Not in the inbox, because they are thousands of times as many as payments, and are stored
-- for a shorter time.
CREATE TABLE traffic_inbox (
  event_id   uuid NOT NULL,
  -- By the day on which the event was seen. A slot is emptied as a whole (src/domain/traffic/inbox-slots.ts).
  slot       smallint NOT NULL,
  -- Only in the slot of other days, whose ids are deleted one by one.
  handled_at timestamptz(3),
  CHECK ((slot = -1) = (handled_at IS NOT NULL))
) PARTITION BY LIST (slot);
CREATE TABLE traffic_inbox_day_0 PARTITION OF traffic_inbox (PRIMARY KEY (event_id)) FOR VALUES IN (0);
CREATE TABLE traffic_inbox_day_1 PARTITION OF traffic_inbox (PRIMARY KEY (event_id)) FOR VALUES IN (1);
CREATE TABLE traffic_inbox_day_2 PARTITION OF traffic_inbox (PRIMARY KEY (event_id)) FOR VALUES IN (2);
CREATE TABLE traffic_inbox_day_3 PARTITION OF traffic_inbox (PRIMARY KEY (event_id)) FOR VALUES IN (3);
CREATE TABLE traffic_inbox_day_4 PARTITION OF traffic_inbox (PRIMARY KEY (event_id)) FOR VALUES IN (4);
CREATE TABLE traffic_inbox_day_5 PARTITION OF traffic_inbox (PRIMARY KEY (event_id)) FOR VALUES IN (5);
CREATE TABLE traffic_inbox_other_days PARTITION OF traffic_inbox (PRIMARY KEY (event_id)) FOR VALUES IN (-1);
CREATE INDEX traffic_inbox_handled_at ON traffic_inbox_other_days (handled_at);

-- What one viewer did in one hour (UTC), stored as long as repeats are filtered.
CREATE TABLE traffic_viewers (
  hour       timestamptz(3) NOT NULL,
  -- A hash of the hour and the pseudonym, so that nobody can be followed from one hour to the next.
  viewer     bigint NOT NULL,
  -- Offer, views, clicks; offer, views, clicks; ... Null: a bot, with more offers than a person looks at.
  seen       integer[],
  touched_at timestamptz(3) NOT NULL,
  PRIMARY KEY (hour, viewer)
) WITH (fillfactor = 70);

-- The UTM tags that clicks on the offers of an organisation get. Without a row: the usual ones, switched off.
CREATE TABLE link_tags (
  organisation_id integer PRIMARY KEY,
  is_on           boolean NOT NULL,
  source          text NOT NULL,
  medium          text NOT NULL
);

---- Spend ----
-- What organisations have paid for offers, net of VAT, in their currency: above zero for a price, below zero for a credit of Unused Time.
-- Prices are written by triggers, so that no payment is forgotten. Credits come from BalanceCredited. The ledger of billing stays the record
-- of the money; this is what the portal adds up beside views and clicks.
CREATE TABLE offer_spend (
  organisation_id integer NOT NULL,
  mode            text NOT NULL CHECK (mode IN ('TEST', 'LIVE')),
  -- By the real time, also for TEST offers.
  booked_at       timestamptz(3) NOT NULL,
  offer_id        integer NOT NULL,
  amount_minor    bigint NOT NULL CHECK (amount_minor <> 0)
);
-- Both serve their sums without reading the table.
CREATE INDEX offer_spend_of_offer ON offer_spend (offer_id) INCLUDE (amount_minor);
CREATE INDEX offer_spend_of_organisation ON offer_spend (organisation_id, mode, booked_at) INCLUDE (amount_minor);

CREATE FUNCTION book_spend() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO offer_spend VALUES (NEW.organisation_id, NEW.mode, NEW.paid_at, NEW.offer_id, NEW.net_minor);
  RETURN NULL;
END $$;
CREATE TRIGGER spend_of_new_offer AFTER INSERT ON offers FOR EACH ROW
  WHEN (NEW.payment_applied_at IS NOT NULL AND NEW.net_minor > 0) EXECUTE FUNCTION book_spend();
CREATE TRIGGER spend AFTER UPDATE OF payment_applied_at ON offers FOR EACH ROW
  WHEN (OLD.payment_applied_at IS NULL AND NEW.payment_applied_at IS NOT NULL AND NEW.net_minor > 0) EXECUTE FUNCTION book_spend();
