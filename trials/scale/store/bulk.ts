/** Writes millions of rows into the tables of a service, without its code. For trials only: triggers and foreign keys are not run. */
import pg from 'pg';

export type Bulk = {
  readonly run: (text: string, values?: readonly unknown[]) => Promise<void>;
  /** Reserves that many ids of an identity column, without a gap. Returns the id before the first one. */
  readonly reserve: (table: string, column: string, ids: number) => Promise<number>;
};

/**
 * One transaction, in which the indexes of `tables` are dropped and built again at the end, because that takes a fraction of the time.
 * Services that use the tables meanwhile wait. The user of the database must be a superuser.
 */
export async function fillTables<T>(
  url: string,
  tables: readonly string[],
  fill: (bulk: Bulk) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString: url, application_name: 'scale-trial' });
  await client.connect();
  try {
    await client.query('BEGIN');
    await client.query("SET LOCAL session_replication_role = 'replica'");
    await client.query("SET LOCAL maintenance_work_mem = '512MB'");
    await client.query("SET LOCAL work_mem = '256MB'");
    const putBack = await withoutIndexes(client, tables);
    const filled = await fill({
      run: async (text, values = []) => void (await client.query(text, [...values])),
      reserve: async (table, column, ids) => {
        const { rows } = await client.query<{ before: string }>(
          `SELECT setval(name, nextval(name) + $3) - $3 AS before FROM pg_get_serial_sequence($1, $2) AS name`,
          [table, column, ids],
        );
        return Number(rows[0]?.before);
      },
    });
    await putBack();
    await client.query('COMMIT');
    // Otherwise autovacuum would do it while requests are measured.
    for (const table of tables) await client.query(`VACUUM (ANALYZE) ${table}`);
    await client.query('CHECKPOINT');
    return filled;
  } finally {
    await client.end();
  }
}

/** Keys that foreign keys refer to stay. */
async function withoutIndexes(client: pg.Client, tables: readonly string[]): Promise<() => Promise<void>> {
  const { rows } = await client.query<{ drop: string; create: string }>(
    `SELECT CASE WHEN key.oid IS NULL THEN format('DROP INDEX %s', indexrelid::regclass)
                 ELSE format('ALTER TABLE %s DROP CONSTRAINT %I', indrelid::regclass, key.conname) END AS drop,
            CASE WHEN key.oid IS NULL THEN pg_get_indexdef(indexrelid)
                 ELSE format('ALTER TABLE %s ADD CONSTRAINT %I %s', indrelid::regclass, key.conname, pg_get_constraintdef(key.oid)) END AS create
       FROM pg_index
       LEFT JOIN pg_constraint key ON key.conindid = indexrelid AND key.contype IN ('p', 'u')
      WHERE indrelid = ANY ($1::regclass[])
        AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid AND contype = 'f')`,
    [tables],
  );
  for (const { drop } of rows) await client.query(drop);
  return async () => {
    for (const { create } of rows) await client.query(create);
  };
}
