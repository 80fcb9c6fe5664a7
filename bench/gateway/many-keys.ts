/** Many organisations with keys in the gateway's database. */
import { randomInt } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';

import pg from 'pg';
import { composeKey, randomDigitsOfKey } from '../../services/gateway/src/domain/keys/api-key.ts';
import { sha256Of } from '../../services/gateway/src/keys/keys-store.ts';

const keysEach = 10;
const inBatch = 10_000;

/** @param o.file gets the keys, one a line, in random order */
export async function fillWithKeys(o: { databaseUrl: string; file: string; count: number }): Promise<void> {
  const database = new pg.Client({ connectionString: o.databaseUrl });
  await database.connect();
  const keys = createWriteStream(o.file);
  try {
    const { rows } = await database.query<{ person: number; organisation: number }>(
      `WITH o AS (
         INSERT INTO organisations (name, trading_name, country, currency, registered_at, approved_at, approved_by)
         SELECT 'Shop ' || i, 'Shop ' || i, 'GB', 'GBP', now(), now(), 'bench' FROM generate_series(1, $1::integer) i
         RETURNING id
       ), q AS (
         INSERT INTO quotas (organisation_id, mode, per_person, per_organisation)
         SELECT o.id, mode, 50, 100 FROM o, unnest(ARRAY['TEST', 'LIVE']) AS mode
       )
       INSERT INTO people (organisation_id, email, role, invited_at)
       SELECT id, 'owner@shop' || id || '.test', 'admin', now() FROM o
       RETURNING id AS person, organisation_id AS organisation`,
      [Math.ceil(o.count / keysEach)],
    );
    for (let done = 0; done < o.count; done += inBatch) {
      const texts = Array.from({ length: Math.min(inBatch, o.count - done) }, randomKey);
      const owners = texts.map(() => rows[randomInt(rows.length)]);
      await database.query(
        `INSERT INTO api_keys (organisation_id, created_by, sha256, last_four, mode, name, created_at)
         SELECT organisation, person, sha256, 'last', 'TEST', 'Till', now()
         FROM unnest($1::integer[], $2::integer[], $3::bytea[]) AS k (organisation, person, sha256)`,
        [owners.map((one) => one?.organisation), owners.map((one) => one?.person), texts.map(sha256Of)],
      );
      keys.write(`${texts.join('\n')}\n`);
    }
    await database.query('VACUUM ANALYZE');
  } finally {
    await finished(keys.end());
    await database.end();
  }
}

function randomKey(): string {
  return composeKey(
    'TEST',
    Array.from({ length: randomDigitsOfKey }, () => randomInt(62)),
  );
}
