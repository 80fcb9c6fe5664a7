/** All SQL about the call log (specification, Authentication item 10). */
import type { Postgres, Queryable } from '@offer-ads/platform/postgres';

/** A call as it was answered. The key is known by its hash: whose it is need not be looked up to log it. */
export type Call = {
  readonly id: string;
  readonly keySha256: Buffer;
  readonly route: string;
  readonly status: number;
  readonly returnCode: string | null;
  readonly durationMs: number;
  readonly at: Date;
};

export type LoggedCall = {
  readonly keyId: number;
  readonly lastFour: string;
  readonly route: string;
  readonly status: number;
  readonly returnCode: string | null;
  readonly durationMs: number;
  readonly at: Date;
};

/** Written once each, however often the batch is tried. Calls with keys that nobody has are left out by the join. */
export async function insertCalls(postgres: Postgres, calls: readonly Call[]): Promise<void> {
  await postgres.transaction(async (tx) => {
    await tx.query(
      `INSERT INTO calls (id, key_id, route, status, return_code, duration_ms, called_at)
       SELECT c.id, k.id, c.route, c.status, c.return_code, c.duration_ms, c.called_at
       FROM unnest($1::uuid[], $2::bytea[], $3::text[], $4::smallint[], $5::text[], $6::integer[],
                   $7::timestamptz[])
         AS c (id, sha256, route, status, return_code, duration_ms, called_at)
       JOIN api_keys k ON k.sha256 = c.sha256
       ON CONFLICT (id) DO NOTHING`,
      [
        calls.map((call) => call.id),
        calls.map((call) => call.keySha256),
        calls.map((call) => call.route),
        calls.map((call) => call.status),
        calls.map((call) => call.returnCode),
        calls.map((call) => call.durationMs),
        calls.map((call) => call.at),
      ],
    );
    // To the minute is enough for people and spares the row most of its updates. Ordered, so that replicas do not
    // lock each other's rows crosswise.
    await tx.query(
      `UPDATE api_keys k SET last_used_at = used.at
       FROM (SELECT a.id, u.at FROM api_keys a
             JOIN (SELECT sha256, max(called_at) AS at
                   FROM unnest($1::bytea[], $2::timestamptz[]) AS c (sha256, called_at) GROUP BY sha256) u
               USING (sha256)
             WHERE last_used_at IS NULL OR last_used_at < u.at - interval '1 minute'
             ORDER BY a.id FOR NO KEY UPDATE OF a) used
       WHERE k.id = used.id`,
      [calls.map((call) => call.keySha256), calls.map((call) => call.at)],
    );
  });
}

/** Newest first. */
export async function listCalls(
  on: Queryable,
  o: { organisationId: number; limit: number },
): Promise<LoggedCall[]> {
  return on.query<LoggedCall>(
    `SELECT k.id AS "keyId", k.last_four AS "lastFour", c.route, c.status, c.return_code AS "returnCode",
            c.duration_ms AS "durationMs", c.called_at AS at
     FROM calls c JOIN api_keys k ON k.id = c.key_id
     WHERE k.organisation_id = $1
     ORDER BY c.called_at DESC, c.id
     LIMIT $2`,
    [o.organisationId, o.limit],
  );
}

/** Deletes a bounded number and says how many, so that no statement runs long. */
export async function deleteCallsBefore(on: Queryable, o: { before: Date; limit: number }): Promise<number> {
  const [row] = await on.query<{ count: number }>(
    `WITH deleted AS (
       DELETE FROM calls WHERE id IN (SELECT id FROM calls WHERE called_at < $1 LIMIT $2) RETURNING 1)
     SELECT count(*)::integer AS count FROM deleted`,
    [o.before, o.limit],
  );
  return row?.count ?? 0;
}
