-- Play money, which an organisation gives itself to try the service in TEST mode. It has a source of its own, so that it can be taken for
-- nobody's payment; and the database itself knows none in LIVE mode: no account, hence no entry.
ALTER TABLE accounts
  DROP CONSTRAINT accounts_kind_check,
  ADD CONSTRAINT accounts_kind_check CHECK (kind IN (
    'prepaid-balance', 'sales', 'vat-payable', 'card-clearing', 'unused-time-credits', 'top-up-source', 'card-reversals',
    'card-losses', 'play-money'
  )),
  ADD CONSTRAINT play_money_is_for_tests CHECK (kind <> 'play-money' OR mode = 'TEST');
