/** All SQL about the calls in the log (specification, Authentication item 10). */
import type { Mode } from '@offer-ads/contracts/values/primitives';
import type { Postgres, Queryable } from '@offer-ads/platform/postgres/postgres';
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
  /** As in the reply's `X-Request-Id`. */
  readonly requestId: string;
};

/**
 * Writes each call once, however often the batch is tried. Calls with unknown keys are left out. A missing daily partition is created, so
 * the caller must have left out calls with impossible times.
 */
export async function insertCalls(postgres: Postgres, calls: readonly Call[]): Promise<void> {
  const rows = await withKeys(postgres, calls);
  if (rows.length === 0) return;
  const insert = () => postgres.query(insertRows, columnsOf(rows));
  try {
    await insert();
  } catch (error) {
    if (!missesDay(error)) throw error;
    await makeDays(
      postgres,
      rows.map(({ call }) => dayOf(call.at)),
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

type Row = { readonly call: Call; readonly key: Key };
type Key = {
  readonly id: number;
  readonly organisationId: number;
  readonly sha256: Buffer;
  readonly lastUsedAt: Date | null;
};

/** In the place of an organisation, for calls with placement keys. */
export const communityPlatform = 0;

const findKeys = {
  name: 'keys-of-calls',
  sql: `SELECT id, coalesce(organisation_id, ${communityPlatform}) AS "organisationId", sha256, last_used_at AS "lastUsedAt"
        FROM api_keys WHERE sha256 = ANY ($1::bytea[])`,
};

/** Also notes when each key was used last. */
async function withKeys(postgres: Postgres, calls: readonly Call[]): Promise<Row[]> {
  const lastUsed = new Map<string, Call>();
  for (const call of calls) {
    const id = nameOf(call.keySha256);
    const before = lastUsed.get(id);
    if (before === undefined || before.at < call.at) lastUsed.set(id, call);
  }
  const hashes = [...lastUsed.values()].map(({ keySha256 }) => keySha256);
  const keys = new Map<string, Key>();
  for (const key of await postgres.query<Key>(findKeys, [hashes])) keys.set(nameOf(key.sha256), key);
  await noteUse(
    postgres,
    [...keys].map(([id, key]) => ({ key, at: lastUsed.get(id)?.at ?? new Date(0) })),
  );
  return calls.flatMap((call) => {
    const key = keys.get(nameOf(call.keySha256));
    return key === undefined ? [] : [{ call, key }];
  });
}

function nameOf(sha256: Buffer): string {
  return sha256.toString('latin1');
}

/** Decision 190, last use of a key: precise enough for people, and a key in use is written six times an hour. */
const useIsNotedMs = 600_000;

async function noteUse(
  postgres: Postgres,
  uses: readonly { readonly key: Key; readonly at: Date }[],
): Promise<void> {
  const due = uses.filter(
    ({ key: { lastUsedAt }, at }) =>
      lastUsedAt === null || lastUsedAt.getTime() < at.getTime() - useIsNotedMs,
  );
  if (due.length === 0) return;
  // Locked in order, so that replicas do not deadlock. Another replica may have noted a later use.
  await postgres.query(
    `UPDATE api_keys k SET last_used_at = used.at
     FROM (SELECT a.id, u.at FROM api_keys a JOIN unnest($1::integer[], $2::timestamptz[]) AS u (id, at) USING (id)
           WHERE last_used_at IS NULL OR last_used_at < u.at ORDER BY a.id FOR NO KEY UPDATE OF a) used
     WHERE k.id = used.id`,
    [due.map(({ key }) => key.id), due.map(({ at }) => at)],
  );
}

const insertRows = {
  name: 'insert-calls',
  sql: `INSERT INTO calls (id, called_at, organisation_id, key_id, duration_ms, status, route, return_code, request_id)
        SELECT * FROM unnest($1::uuid[], $2::timestamptz[], $3::integer[], $4::integer[], $5::integer[], $6::smallint[], $7::text[], $8::text[], $9::text[])
        ON CONFLICT DO NOTHING`,
};

function columnsOf(rows: readonly Row[]): unknown[][] {
  return [
    rows.map(({ call }) => call.id),
    rows.map(({ call }) => call.at),
    rows.map(({ key }) => key.organisationId),
    rows.map(({ key }) => key.id),
    rows.map(({ call }) => call.durationMs),
    rows.map(({ call }) => call.status),
    rows.map(({ call }) => call.route),
    rows.map(({ call }) => call.returnCode),
    rows.map(({ call }) => call.requestId),
  ];
}

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
     WHERE ($12::text IS NULL OR ${modeOfKey} = $12) AND ($7::text IS NULL OR c.route = $7) AND c.status BETWEEN $8 AND $9 AND ($10::text IS NULL OR c.request_id = $10)
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
