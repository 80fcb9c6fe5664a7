/** All SQL about the calls in the log (specification, Authentication item 10). */
import type { Mode } from '@offer-ads/contracts/values/primitives';
import type { Postgres, Queryable } from '@offer-ads/platform/postgres/postgres';
import type { CallPlace } from '../domain/call-cursor.ts';
import { dayOf } from '../domain/call-days.ts';
import { makeDays } from './calls-partitions-store.ts';

/** An answered call. */
export type Call = {
  readonly id: string;
  readonly keySha256: string;
  readonly route: string;
  readonly status: number;
  readonly returnCode: string | null;
  readonly durationMs: number;
  readonly at: Date;
  /** As in the reply's `X-Request-Id`. */
  readonly requestId: string;
};

/**
 * Writes each call once, however often the batch is tried, and notes when each key was used last. Calls with unknown keys are left out. A
 * missing daily partition is created, so the caller must have left out calls with impossible times.
 */
export async function insertCalls(postgres: Postgres, calls: readonly Call[]): Promise<void> {
  // As one text, because the driver takes several times as long to write nine lists.
  const insert = () => postgres.query(insertRows, [JSON.stringify(calls)]);
  try {
    await insert();
  } catch (error) {
    if (!missesDay(error)) throw error;
    await makeDays(
      postgres,
      calls.map(({ at }) => dayOf(at)),
    );
    await insert();
  }
}

/** Whether a row can never be written because its values do not fit (SQLSTATE classes 22 and 23). */
export function isUnwritable(error: unknown): boolean {
  return /^2[23]/.test(sqlState(error));
}

/** Check violation without a constraint's name: "no partition of relation found for row". */
function missesDay(error: unknown): boolean {
  return sqlState(error) === '23514' && (error as { constraint?: string }).constraint === undefined;
}

function sqlState(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** In the place of an organisation, for calls with placement keys. */
export const communityPlatform = 0;

/**
 * The last use of a key is noted every ten minutes (decision 190, last use of a key): precise enough for people, and a key in use is
 * written six times an hour. Keys are locked in order, so that replicas do not deadlock.
 */
const insertRows = {
  name: 'insert-calls',
  sql: `WITH sent AS (
          SELECT c.*, k.id AS key_id, coalesce(k.organisation_id, ${communityPlatform}) AS organisation_id
          FROM json_to_recordset($1::json) AS c (id uuid, "keySha256" text, route text, status smallint, "returnCode" text,
                                                 "durationMs" integer, at timestamptz, "requestId" text)
          JOIN api_keys k ON k.sha256 = decode(c."keySha256", 'hex')),
        due AS (
          SELECT k.id, used.at
          FROM (SELECT key_id, max(at) AS at FROM sent GROUP BY key_id) used JOIN api_keys k ON k.id = used.key_id
          WHERE k.last_used_at IS NULL OR k.last_used_at < used.at - interval '10 minutes'
          ORDER BY k.id FOR NO KEY UPDATE OF k),
        noted AS (UPDATE api_keys k SET last_used_at = due.at FROM due WHERE k.id = due.id)
        INSERT INTO calls (id, called_at, organisation_id, key_id, duration_ms, status, route, return_code, request_id)
        SELECT id, at, organisation_id, key_id, "durationMs", status, route, "returnCode", "requestId" FROM sent
        ON CONFLICT DO NOTHING`,
};

/** A call as the log shows it. */
export type LoggedCall = Omit<Call, 'id' | 'keySha256'> & {
  readonly keyId: number;
  /** That of the key; null if it has none. */
  readonly mode: Mode | null;
  readonly lastFour: string;
};

export type StatusClass = '2xx' | '3xx' | '4xx' | '5xx';

/** The filter of a listing; an omitted field does not filter. */
export type CallFilter = {
  readonly keyId?: number | undefined;
  readonly mode?: Mode | undefined;
  /** As logged: `POST /offers/{offer_id}/pause`. */
  readonly route?: string | undefined;
  readonly status?: number | StatusClass | undefined;
  readonly requestId?: string | undefined;
  /** Inclusive. */
  readonly from?: Date | undefined;
  /** Exclusive. */
  readonly to?: Date | undefined;
};

export type CallQuery = CallFilter & {
  readonly organisationId: number;
  readonly limit: number;
  /** The end of the previous page. */
  readonly before?: CallPlace | undefined;
};

/** Newest first. A page may be short or empty before the end of the log; only `next` is null at the end. */
export type CallPage = { readonly calls: LoggedCall[]; readonly next: CallPlace | null };

/** The most rows that one page reads in search of rare calls, well within the statement's timeout. */
const maxScanned = 100_000;

/** Not a join, for which Postgres would read the keys of all organisations. */
const modeOfKey = '(SELECT k.mode FROM api_keys k WHERE k.id = c.key_id)';

export async function listCalls(
  on: Queryable,
  o: CallQuery & { readonly since: Date; readonly maxScanned?: number },
): Promise<CallPage> {
  const scanned = o.maxScanned ?? maxScanned;
  const { lowest, highest } = statusRange(o.status);
  const from = o.from !== undefined && o.from > o.since ? o.from : o.since;
  const scope = [
    o.organisationId,
    o.keyId ?? null,
    from,
    o.to ?? null,
    o.before?.at ?? null,
    o.before?.id ?? null,
  ];
  const rows = await on.query<LoggedCall & { id: string }>(
    `SELECT c.id, c.key_id AS "keyId", c.route, c.status, c.return_code AS "returnCode",
            c.duration_ms AS "durationMs", c.called_at AS at, c.request_id AS "requestId",
            (SELECT k.last_four FROM api_keys k WHERE k.id = c.key_id) AS "lastFour", ${modeOfKey} AS mode
     FROM (${inScope(o)} LIMIT ${scanned}) c
     WHERE ($12::text IS NULL OR ${modeOfKey} = $12) AND ($7::text IS NULL OR c.route = $7 OR $7 = 'POST /mcp' AND c.route LIKE 'POST /mcp %') AND c.status BETWEEN $8 AND $9 AND ($10::text IS NULL OR c.request_id = $10)
     ORDER BY c.called_at DESC, c.id DESC LIMIT $11`,
    [...scope, o.route ?? null, lowest, highest, o.requestId ?? null, o.limit + 1, o.mode ?? null],
  );
  const calls = rows.slice(0, o.limit).map(withoutId);
  const last = rows.at(o.limit - 1);
  if (rows.length > o.limit && last !== undefined) return { calls, next: { at: last.at, id: last.id } };
  if ([o.route, o.status, o.requestId, o.mode].every((wish) => wish === undefined))
    return { calls, next: null };
  const [end] = await on.query<CallPlace>(
    `SELECT c.called_at AS at, c.id FROM (${inScope(o)} OFFSET ${scanned - 1} LIMIT 1) c`,
    scope,
  );
  return { calls, next: end ?? null };
}

/** Checked once before the scan: scanning another organisation's key would take as long as that key has calls. */
const ofOwnKey = `key_id = $2 AND EXISTS (
  SELECT 1 FROM api_keys WHERE id = $2 AND coalesce(organisation_id, ${communityPlatform}) = $1)`;

/** One index scan, newest day first. Conditions that do not apply are omitted, so that it stays a single scan. */
function inScope({ keyId, to, before }: CallQuery): string {
  return `SELECT * FROM calls WHERE organisation_id = $1 AND called_at >= $3
    AND ${keyId === undefined ? '$2::integer IS NULL' : ofOwnKey}
    AND ${to === undefined ? '$4::timestamptz IS NULL' : 'called_at < $4'}
    AND ${before === undefined ? '$5::timestamptz IS NULL AND $6::uuid IS NULL' : 'called_at <= $5 AND (called_at, id) < ($5, $6)'}
    ORDER BY called_at DESC, id DESC`;
}

/** The id only orders calls of the same instant. */
function withoutId(row: LoggedCall): LoggedCall {
  const { keyId, mode, lastFour, route, status, returnCode, durationMs, at, requestId } = row;
  return { keyId, mode, lastFour, route, status, returnCode, durationMs, at, requestId };
}

function statusRange(status: number | StatusClass | undefined): { lowest: number; highest: number } {
  if (status === undefined) return { lowest: 0, highest: 999 };
  if (typeof status === 'number') return { lowest: status, highest: status };
  const lowest = Number(status[0]) * 100;
  return { lowest, highest: lowest + 99 };
}
