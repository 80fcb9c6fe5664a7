/** All SQL about the calls in the log (specification, Authentication item 10). */
import type { Postgres, Queryable, Transaction } from '@offer-ads/platform/postgres/postgres';
import type { CallPlace } from '../domain/call-cursor.ts';
import { dayOf } from '../domain/call-days.ts';
import { makeDays } from './calls-partitions-store.ts';

/** An answered call. The key is stored by its hash, so that logging needs no look-up of its owner. */
export type Call = {
  readonly id: string;
  readonly keySha256: Buffer;
  readonly route: string;
  readonly status: number;
  readonly returnCode: string | null;
  readonly durationMs: number;
  readonly at: Date;
};

/**
 * Writes each call once, however often the batch is tried. The join leaves out calls with unknown keys. A missing daily partition is
 * created, so the caller must have left out calls with impossible times.
 */
export async function insertCalls(postgres: Postgres, calls: readonly Call[]): Promise<void> {
  const write = () => postgres.transaction((tx) => writeBatch(tx, calls));
  try {
    await write();
  } catch (error) {
    if (!missesDay(error)) throw error;
    await makeDays(
      postgres,
      calls.map(({ at }) => dayOf(at)),
    );
    await write();
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

/** Keys, routes and return codes repeat: each value is sent once, and rows refer to it by number, which is cheap to format. */
async function writeBatch(tx: Transaction, calls: readonly Call[]): Promise<void> {
  const [keys, routes, codes] = [numbered<Buffer>(), numbered<string>(), numbered<string | null>()];
  const lastUsed: Date[] = [];
  const rows = calls.map((call) => {
    const key = keys.of(call.keySha256.toString('latin1'), call.keySha256);
    const before = lastUsed[key - 1];
    if (before === undefined || before < call.at) lastUsed[key - 1] = call.at;
    return [key, routes.of(call.route, call.route), codes.of(call.returnCode, call.returnCode)] as const;
  });
  await tx.query(
    `INSERT INTO calls (id, called_at, organisation_id, key_id, duration_ms, status, route, return_code)
     SELECT c.id, to_timestamp(c.at_ms / 1000.0), k.organisation_id, k.id, c.duration_ms, c.status,
            ($8::text[])[c.route], ($9::text[])[c.code]
     FROM unnest($1::uuid[], $2::bigint[], $3::integer[], $4::smallint[], $5::integer[], $6::integer[],
                 $7::integer[])
       AS c (id, at_ms, duration_ms, status, key, route, code)
     JOIN unnest($10::bytea[]) WITH ORDINALITY AS sent (sha256, number) ON sent.number = c.key
     JOIN api_keys k ON k.sha256 = sent.sha256
     ON CONFLICT (id, called_at) DO NOTHING`,
    [
      list(calls.map(({ id }) => id)),
      list(calls.map(({ at }) => at.getTime())),
      list(calls.map(({ durationMs }) => durationMs)),
      list(calls.map(({ status }) => status)),
      list(rows.map(([key]) => key)),
      list(rows.map(([, route]) => route)),
      list(rows.map(([, , code]) => code)),
      routes.all,
      codes.all,
      keys.all,
    ],
  );
  // Precise to the minute, which is enough for people and avoids most updates. Ordered, so that replicas do not deadlock.
  await tx.query(
    `UPDATE api_keys k SET last_used_at = used.at
     FROM (SELECT a.id, u.at FROM api_keys a
           JOIN unnest($1::bytea[], $2::timestamptz[]) AS u (sha256, at) USING (sha256)
           WHERE last_used_at IS NULL OR last_used_at < u.at - interval '1 minute'
           ORDER BY a.id FOR NO KEY UPDATE OF a) used
     WHERE k.id = used.id`,
    [keys.all, lastUsed],
  );
}

/** Numbers distinct values from 1; the same value gets the same number. */
function numbered<T>() {
  const numbers = new Map<string | null, number>();
  const all: T[] = [];
  const of = (name: string | null, value: T): number => {
    const known = numbers.get(name);
    if (known !== undefined) return known;
    numbers.set(name, all.push(value));
    return all.length;
  };
  return { all, of };
}

/** A Postgres array of values that need no quotes. */
function list(values: readonly (number | string)[]): string {
  return `{${values.join(',')}}`;
}

/** A call as the log shows it. */
export type LoggedCall = Omit<Call, 'id' | 'keySha256'> & {
  readonly keyId: number;
  readonly lastFour: string;
};

export type StatusClass = '2xx' | '3xx' | '4xx' | '5xx';

/** The filter of a listing; an omitted field does not filter. */
export type CallFilter = {
  readonly keyId?: number | undefined;
  /** As logged: `POST /offers/{offer_id}/pause`. */
  readonly route?: string | undefined;
  readonly status?: number | StatusClass | undefined;
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
const mostScanned = 100_000;

export async function listCalls(
  on: Queryable,
  o: CallQuery & { readonly since: Date; readonly mostScanned?: number },
): Promise<CallPage> {
  const scanned = o.mostScanned ?? mostScanned;
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
            c.duration_ms AS "durationMs", c.called_at AS at,
            (SELECT k.last_four FROM api_keys k WHERE k.id = c.key_id) AS "lastFour"
     FROM (${inScope(o)} LIMIT ${scanned}) c
     WHERE ($7::text IS NULL OR c.route = $7) AND c.status BETWEEN $8 AND $9
     ORDER BY c.called_at DESC, c.id DESC LIMIT $10`,
    [...scope, o.route ?? null, lowest, highest, o.limit + 1],
  );
  const calls = rows.slice(0, o.limit).map(withoutId);
  const last = rows.at(o.limit - 1);
  if (rows.length > o.limit && last !== undefined) return { calls, next: { at: last.at, id: last.id } };
  if (o.route === undefined && o.status === undefined) return { calls, next: null };
  const [end] = await on.query<CallPlace>(
    `SELECT c.called_at AS at, c.id FROM (${inScope(o)} OFFSET ${scanned - 1} LIMIT 1) c`,
    scope,
  );
  return { calls, next: end ?? null };
}

/** Checked once before the scan: scanning another organisation's key would take as long as that key has calls. */
const ofOwnKey = `key_id = $2 AND EXISTS (SELECT 1 FROM api_keys WHERE id = $2 AND organisation_id = $1)`;

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
  const { keyId, lastFour, route, status, returnCode, durationMs, at } = row;
  return { keyId, lastFour, route, status, returnCode, durationMs, at };
}

function statusRange(status: number | StatusClass | undefined): { lowest: number; highest: number } {
  if (status === undefined) return { lowest: 0, highest: 999 };
  if (typeof status === 'number') return { lowest: status, highest: status };
  const lowest = Number(status[0]) * 100;
  return { lowest, highest: lowest + 99 };
}
