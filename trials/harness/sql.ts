/** Runs statements on the database of a service, each on a connection of its own. */
import { exactTypeParser } from '@offer-ads/platform/postgres/postgres';
import pg from 'pg';

export async function query<Row extends pg.QueryResultRow>(
  url: string,
  text: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'psql',
    types: { getTypeParser: exactTypeParser },
  });
  await client.connect();
  try {
    return (await client.query<Row>(text, [...values])).rows;
  } finally {
    await client.end();
  }
}
