/** One organisation that has advertised for years: nearly all of its offers have ended, and the rest is as many as its quota allows. */
import pg from 'pg';

export const organisationId = 1;
/** Spread evenly by creation time, so that a filter finds few anywhere. */
const living = { active: 200, scheduled: 150, paused: 100, unpaid: 50 };

export async function fillListing(databaseUrl: string, offers: number): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(
      "INSERT INTO categories VALUES (1, 'Food & Drink', true, NULL) ON CONFLICT DO NOTHING",
    );
    await client.query(
      "INSERT INTO interests SELECT n, 'Interest ' || n, true FROM generate_series(1, 30) AS n ON CONFLICT DO NOTHING",
    );
    const putBack = await withoutIndexes(client);
    const { active, scheduled, paused, unpaid } = living;
    const all = active + scheduled + paused + unpaid;
    await client.query(
      `INSERT INTO offers (organisation_id, mode, trading_name, country, currency, category_id, title, description,
         terms_and_conditions, url, image, latitude, longitude, radius_miles, gender, interests, payment_method, net_minor,
         created_at, start_at, expiry_at, shown_at, paid_at, payment_applied_at, paused_since, activation_announced_at, end_announced_at)
       SELECT ${organisationId}, 'TEST', 'Corner Cafe', 'GB', 'GBP', 1, 'Two coffees for the price of one ' || n,
         repeat('Every weekday until eleven, for two. ', 8), repeat('One voucher for each table. ', 4),
         'https://cafe.example/offers/' || n, md5(n::text) || md5(n::text) || '.jpg', 51.5, -0.1, 10, '{Female}',
         ARRAY[1 + n % 30, 1 + (n + 7) % 30], 'B', 1000, created, begins, CASE WHEN kind = 'ended' THEN begins + interval '2 days'
           ELSE now() + interval '30 days' END,
         created, paid, paid, CASE WHEN kind = 'paused' THEN begins END, CASE WHEN kind IN ('active', 'ended') THEN begins END,
         CASE WHEN kind = 'ended' THEN begins + interval '2 days' END
       FROM generate_series(1, $1::int) AS n,
         LATERAL (SELECT now() - ($1 - n + 10000) * interval '1 minute') AS a (created),
         -- One in so many lives, and those are dealt out in turn.
         LATERAL (SELECT CASE WHEN n % ($1 / ${all}) <> 0 THEN -1 ELSE (n / ($1 / ${all})) % ${all} END) AS b (place),
         LATERAL (SELECT CASE WHEN place < 0 THEN 'ended' WHEN place < ${active} THEN 'active'
           WHEN place < ${active + paused} THEN 'paused' WHEN place < ${active + paused + unpaid} THEN 'unpaid'
           ELSE 'scheduled' END) AS c (kind),
         LATERAL (SELECT CASE WHEN kind = 'scheduled' THEN now() + interval '20 days' ELSE created + interval '1 hour' END,
           CASE WHEN kind <> 'unpaid' THEN created END) AS d (begins, paid)`,
      [offers],
    );
    await putBack();
    await client.query('VACUUM ANALYZE offers');
    await client.query('CHECKPOINT');
  } finally {
    await client.end();
  }
}

/** For the offer at that place of the listing, counted from 1. */
export async function createdAt(databaseUrl: string, place: number): Promise<Date> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ created_at: Date }>(
      'SELECT created_at FROM offers WHERE organisation_id = $1 ORDER BY created_at DESC OFFSET $2 LIMIT 1',
      [organisationId, place - 1],
    );
    if (rows[0] === undefined) throw new Error(`there are fewer than ${place} offers`);
    return rows[0].created_at;
  } finally {
    await client.end();
  }
}

/** Creating indexes after the rows takes a fraction of the time. The primary key stays. */
async function withoutIndexes(client: pg.Client): Promise<() => Promise<void>> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `SELECT indexname AS name, indexdef AS definition FROM pg_indexes
     WHERE tablename = 'offers' AND indexname <> 'offers_pkey'`,
  );
  for (const { name } of rows) await client.query(`DROP INDEX ${name}`);
  return async () => {
    for (const { definition } of rows) await client.query(definition);
  };
}
