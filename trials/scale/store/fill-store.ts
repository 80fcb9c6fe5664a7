/** Fills the stores of gateway, offers and billing as years of trade would, so that every endpoint works and the ledger is right. */
import type { System } from '../../harness/system.ts';
import { type Bulk, fillTables } from './bulk.ts';

/** What an organisation gets: so many offers, all paid from its TEST balance. All but the last one have ended. */
export type Trade = { readonly organisationId: number; readonly offers: number };

type Stores = Pick<System, 'stores'>;

/** Made-up organisations, each with an admin and a key that nobody knows. Returns their ids. */
export async function fillOrganisations({ stores }: Stores, count: number): Promise<number[]> {
  const tables = ['organisations', 'people', 'quotas', 'terms_acceptances', 'api_keys'];
  const before = await fillTables(stores.databases.gateway, tables, async ({ run, reserve }) => {
    const ids = [
      await reserve('organisations', 'id', count),
      await reserve('people', 'id', count),
      await reserve('api_keys', 'id', count),
      count,
    ] as const;
    const [organisations, people, keys] = ids;
    await run(
      `INSERT INTO organisations (id, name, trading_name, country, currency, registered_at, approved_at, approved_by)
       OVERRIDING SYSTEM VALUE
       SELECT $1::int + n, 'Shop ' || n || ' Ltd', 'Shop ' || n, 'GB', 'GBP', now(), now(), 'trial'
         FROM generate_series(1, $2::int) AS n`,
      [organisations, count],
    );
    await run(
      `INSERT INTO people (id, organisation_id, email, role, invited_at) OVERRIDING SYSTEM VALUE
       SELECT $2::int + n, $1::int + n, 'owner@shop' || $1::int + n || '.example', 'admin', now()
         FROM generate_series(1, $3::int) AS n`,
      [organisations, people, count],
    );
    await run(
      `INSERT INTO quotas (organisation_id, mode, per_person, per_organisation)
       SELECT $1::int + n, mode, 50, 100 FROM generate_series(1, $2::int) AS n, unnest(ARRAY['TEST', 'LIVE']) AS mode`,
      [organisations, count],
    );
    await run(
      `INSERT INTO terms_acceptances (organisation_id, terms_version_id, accepted_at)
       SELECT $1::int + n, version, now() FROM generate_series(1, $2::int) AS n, (SELECT max(id) FROM terms_versions) AS v (version)`,
      [organisations, count],
    );
    await run(
      `INSERT INTO api_keys (id, organisation_id, created_by, sha256, last_four, mode, name, created_at) OVERRIDING SYSTEM VALUE
       SELECT $3::int + n, $1::int + n, $2::int + n, sha256(convert_to(gen_random_uuid()::text, 'UTF8')), 'last', 'TEST', 'Till', now()
         FROM generate_series(1, $4::int) AS n`,
      [organisations, people, keys, count],
    );
    return organisations;
  });
  return Array.from({ length: count }, (_, index) => before + index + 1);
}

/** So many calls today with each TEST key of the organisations. */
export async function fillCalls(
  { stores }: Stores,
  organisationIds: readonly number[],
  callsEach: number,
): Promise<void> {
  // Today's partition has indexes that the parent owns, so no index is dropped.
  await fillTables(stores.databases.gateway, [], ({ run }) =>
    run(
      `INSERT INTO calls (id, called_at, organisation_id, key_id, duration_ms, status, route, return_code, request_id)
       SELECT gen_random_uuid(), greatest(date_trunc('day', now(), 'UTC'), now() - n * interval '10 ms'),
              organisation_id, api_keys.id, 5, 200, 'GET /offers', 'S1', gen_random_uuid()::text
         FROM api_keys, generate_series(1, $2::int) AS n
        WHERE organisation_id = ANY ($1::int[]) AND mode = 'TEST'`,
      [organisationIds, callsEach],
    ),
  );
}

/** In minor units: the price of each offer, and what each organisation has left. */
const priceMinor = 100;
const leftMinor = 100_000_000;

/** The organisations must be new to billing. */
export async function fillTrade({ stores }: Stores, trades: readonly Trade[], now: Date): Promise<void> {
  const firstOffer = Promise.withResolvers<number>();
  await Promise.all([
    fillTables(stores.databases.offers, ['offers', 'images', 'idempotency_keys', 'traffic'], async (bulk) => {
      const before = await bulk.reserve('offers', 'offer_id', offersOf(trades));
      firstOffer.resolve(before);
      await listTrade(bulk, { trades, before, now });
      await fillOffers(bulk, now);
    }).catch((error: unknown) => {
      firstOffer.reject(error);
      throw error;
    }),
    firstOffer.promise.then((before) =>
      fillTables(
        stores.databases.billing,
        ['accounts', 'balances', 'transactions', 'entries', 'offer_payments'],
        async (bulk) => {
          await listTrade(bulk, { trades, before, now });
          await fillLedger(bulk, { trades, before });
        },
      ),
    ),
  ]);
}

function offersOf(trades: readonly Trade[]): number {
  return trades.reduce((sum, { offers }) => sum + offers, 0);
}

/**
 * Makes two tables for the fill: the organisations, and their offers, which are a minute apart. Those of different organisations are mixed,
 * as they would have been created. Both databases get the same.
 */
async function listTrade(
  { run }: Bulk,
  o: { readonly trades: readonly Trade[]; readonly before: number; readonly now: Date },
): Promise<void> {
  await run(
    `CREATE TEMPORARY TABLE trading ON COMMIT DROP AS
     SELECT place, organisation_id, offers
       FROM unnest($1::int[], $2::int[]) WITH ORDINALITY AS trading (organisation_id, offers, place)`,
    [o.trades.map(({ organisationId }) => organisationId), o.trades.map(({ offers }) => offers)],
  );
  await run(
    `CREATE TEMPORARY TABLE filling ON COMMIT DROP AS
     SELECT $1::bigint + row_number() OVER (ORDER BY nth / offers::float8, place) AS offer_id,
            place, organisation_id, nth, nth = offers AS is_last, $2::timestamptz - (offers - nth + 1) * interval '1 minute' AS created_at
       FROM trading, generate_series(1, offers) AS nth`,
    [o.before, o.now],
  );
}

async function fillOffers({ run }: Bulk, now: Date): Promise<void> {
  const image = `encode(sha256(int8send(offer_id)), 'hex') || '-' || left(md5(offer_id::text), 16) || '-1080x1080.jpg'`;
  await run(
    `INSERT INTO offers (offer_id, organisation_id, mode, trading_name, country, currency, category_id, title, description,
       terms_and_conditions, url, image, latitude, longitude, radius_miles, gender, interests, payment_method, net_minor,
       created_at, start_at, expiry_at, shown_at, paid_at, payment_applied_at, activation_announced_at, end_announced_at, version)
     OVERRIDING SYSTEM VALUE
     SELECT offer_id, organisation_id, 'TEST', 'Shop', 'GB', 'GBP', 1, 'Two coffees for the price of one ' || offer_id,
       'Every weekday until eleven, for two.', 'One voucher for each table.', 'https://shop.example/offers/' || offer_id,
       ${image}, 51.5, -0.1, 10, '{Female}', ARRAY[1 + offer_id % 30, 1 + (offer_id + 7) % 30], 'B', ${priceMinor},
       created_at, created_at, CASE WHEN is_last THEN $1::timestamptz + interval '30 days' ELSE created_at + interval '30 s' END,
       created_at, created_at, created_at, created_at, CASE WHEN NOT is_last THEN created_at + interval '30 s' END,
       CASE WHEN is_last THEN 2 ELSE 3 END
     FROM filling ORDER BY offer_id`,
    [now],
  );
  await run(
    `INSERT INTO images (name, content, look_at) SELECT image, left(image, 64) || '.jpg', 'infinity'
       FROM filling, LATERAL (SELECT ${image}) AS picture (image)`,
  );
  await run(
    `INSERT INTO idempotency_keys
       (organisation_id, mode, idempotency_key, fingerprint, recovery_point, lease_until, offer_id, reply)
     SELECT organisation_id, 'TEST', 'filled-' || offer_id, sha256(int8send(offer_id)), 'finished', created_at, offer_id,
            json_build_object('return_code', 'S1', 'message', 'Offer has been created', 'offer_id', offer_id, 'status', 'Active')
       FROM filling ORDER BY offer_id`,
  );
  await run(
    `INSERT INTO traffic (offer_id, hour, views, clicks)
     SELECT offer_id, date_trunc('hour', $1::timestamptz, 'UTC'), 30, 3 FROM filling WHERE is_last`,
    [now],
  );
  await run('INSERT INTO traffic_totals (offer_id, views, clicks) SELECT offer_id, 30, 3 FROM filling');
  await run(
    `INSERT INTO traffic_of_organisations (organisation_id, mode, hour, views, clicks)
     SELECT organisation_id, 'TEST', date_trunc('hour', $1::timestamptz, 'UTC') - hours * interval '1 hour', 30, 3
       FROM filling, generate_series(0, 60 * 24) AS hours WHERE is_last AND (hours = 0 OR nth > 10000)
     ON CONFLICT DO NOTHING`,
    [now],
  );
}

/** A top-up for each organisation, before its first offer, and a charge for each offer. */
async function fillLedger(
  { run, reserve }: Bulk,
  { trades, before }: { readonly trades: readonly Trade[]; readonly before: number },
): Promise<void> {
  const kinds = ['prepaid-balance', 'sales', 'top-up-source', 'unused-time-credits'];
  const accounts = await reserve('accounts', 'account_id', kinds.length * trades.length);
  const transactions = await reserve('transactions', 'transaction_id', trades.length + offersOf(trades));
  const account = (kind: string) => `${accounts} + ${trades.length * kinds.indexOf(kind)} + place`;
  const topUpMinor = `${leftMinor} + ${priceMinor}::bigint * offers`;
  const charge = `${transactions + trades.length - before} + offer_id`;
  await run(
    `INSERT INTO organisations (organisation_id, name, country, currency, version)
     SELECT organisation_id, 'Shop Ltd', 'GB', 'GBP', 1 FROM trading ON CONFLICT DO NOTHING`,
  );
  for (const kind of kinds)
    await run(
      `INSERT INTO accounts (account_id, organisation_id, mode, currency, kind) OVERRIDING SYSTEM VALUE
       SELECT ${account(kind)}, organisation_id, 'TEST', 'GBP', $1 FROM trading`,
      [kind],
    );
  await run(
    `INSERT INTO balances (account_id, balance_minor, last_booked_at)
     SELECT ${account('prepaid-balance')}, ${leftMinor}, created_at FROM trading JOIN filling USING (place) WHERE is_last`,
  );
  await run(
    `INSERT INTO transactions
       (transaction_id, cause, kind, organisation_id, mode, currency, offer_id, booked_at, balance_after_minor) OVERRIDING SYSTEM VALUE
     SELECT ${transactions} + place, 'top-up filled-' || organisation_id, 'platform-top-up', organisation_id, 'TEST', 'GBP', NULL,
            created_at, ${topUpMinor}
       FROM trading JOIN filling USING (place, organisation_id) WHERE nth = 1`,
  );
  await run(
    `INSERT INTO transactions
       (transaction_id, cause, kind, organisation_id, mode, currency, offer_id, booked_at, balance_after_minor) OVERRIDING SYSTEM VALUE
     SELECT ${charge}, 'offer ' || offer_id || ' charged', 'offer-charge', organisation_id, 'TEST', 'GBP', offer_id,
            created_at, ${topUpMinor} - ${priceMinor} * nth
       FROM trading JOIN filling USING (place, organisation_id) ORDER BY offer_id`,
  );
  const entries = (transaction: string, rows: string, changes: readonly (readonly [string, string])[]) =>
    run(
      `INSERT INTO entries (transaction_id, account_id, amount_minor)
       SELECT ${transaction}, changed.* FROM ${rows},
         LATERAL (VALUES ${changes.map(([kind, amount]) => `(${account(kind)}, ${amount})`).join()}) AS changed`,
    );
  await entries(`${transactions} + place`, 'trading', [
    ['prepaid-balance', topUpMinor],
    ['top-up-source', `-(${topUpMinor})`],
  ]);
  await entries(charge, '(SELECT * FROM filling ORDER BY offer_id) AS filling', [
    ['prepaid-balance', `${-priceMinor}`],
    ['sales', `${priceMinor}`],
  ]);
  await run(
    `INSERT INTO offer_payments
       (offer_id, organisation_id, mode, currency, payment_method, state, title, net_minor, vat_minor, paid_at)
     SELECT offer_id, organisation_id, 'TEST', 'GBP', 'B', 'charged', 'Two coffees for the price of one ' || offer_id, ${priceMinor}, 0,
            created_at
       FROM filling ORDER BY offer_id`,
  );
}
