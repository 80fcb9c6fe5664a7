-- Play money, which an organisation gives itself to try the service in TEST mode. It has a source of its own, so that it can be taken for
-- nobody's payment; and the database itself knows none in LIVE mode: no account, hence no entry.
-- deploy: takes-away: the rule comes back in the same statement and lets through more; the release before opens no account of the new kind.
-- deploy: checks-all-rows: there are at most nine rows for each currency and mode of an organisation; a million are read in a fraction of a second.
ALTER TABLE accounts
  DROP CONSTRAINT accounts_kind_check,
  ADD CONSTRAINT accounts_kind_check CHECK (kind IN (
    'prepaid-balance', 'sales', 'vat-payable', 'card-clearing', 'unused-time-credits', 'top-up-source', 'card-reversals',
    'card-losses', 'play-money'
  )),
  ADD CONSTRAINT play_money_is_for_tests CHECK (kind <> 'play-money' OR mode = 'TEST');
