/**
 * Follows the changes of what the store knows about keys: of the keys, their owners, organisations, quotas and terms. Triggers of the
 * database write down each change; a replica reads them a few times a second.
 */
import type { ChangesRead } from '@offer-ads/platform/postgres/changes-since';
import type { Postgres, Queryable } from '@offer-ads/platform/postgres/postgres';
import { type Loop, startLoop } from '@offer-ads/platform/process/loops';
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import type { Metrics } from '@offer-ads/platform/telemetry/metrics';
import { dropOldKeyChanges, readKeyChanges } from './keys-store.ts';

export type KeyChanges = {
  /** Whether all changes up to nearly now were read, and none of the organisation since the given time. All times in milliseconds. */
  readonly noneSince: (sinceMs: number, organisationId: number, nowMs: number) => boolean;
};

/** Three reads in a second, so that one may be slow before cached facts become too old. */
const pauseShare = 0.3;
/** Rows that a cursor needs are deleted after a day. */
const maxGapMs = 60 * 60 * 1_000;
/** How many changed organisations are noted one by one. More count as all. */
const maxNoted = 10_000;

/** @param o.unconfirmedMs how old the latest read may be */
export function followKeyChanges(o: {
  /** What was committed after the read that returned the cursor, and perhaps something before it. Null: only a cursor. */
  read: (cursor: string | null) => Promise<ChangesRead>;
  unconfirmedMs: number;
  elapsedMs?: () => number;
}): KeyChanges & {
  readonly readOn: () => Promise<void>;
  /** The database that answers next may be another one, or the same one after a crash, with other transactions than the cursor knows. */
  readonly connectionLost: () => void;
} {
  const elapsedMs = o.elapsedMs ?? (() => performance.now());
  let cursor: string | null = null;
  let followedSinceMs = Infinity;
  let readAtMs = -Infinity;
  let losses = 0;
  const changedAtMs = new Map<number, number>();

  function startAnew(fromMs = Infinity): void {
    followedSinceMs = fromMs;
    changedAtMs.clear();
  }

  function connectionLost(): void {
    losses += 1;
    cursor = null;
    startAnew();
  }

  async function readOn(): Promise<void> {
    const startedAtMs = elapsedMs();
    if (startedAtMs - readAtMs > maxGapMs) cursor = null;
    const after = cursor;
    const lossesBefore = losses;
    cursor = null;
    const read = await o.read(after).catch((error: unknown) => {
      connectionLost();
      throw error;
    });
    if (losses !== lossesBefore) return;
    const nowMs = elapsedMs();
    if (after === null || read.ids.includes(null) || changedAtMs.size > maxNoted) startAnew(nowMs);
    for (const id of read.ids) if (id !== null) changedAtMs.set(id, nowMs);
    cursor = read.cursor;
    readAtMs = startedAtMs;
  }

  return {
    readOn,
    connectionLost,
    noneSince: (sinceMs, organisationId, nowMs) =>
      nowMs - readAtMs < o.unconfirmedMs &&
      sinceMs > followedSinceMs &&
      sinceMs > (changedAtMs.get(organisationId) ?? -Infinity),
  };
}

type Background = { readonly postgres: Queryable; readonly logger: Logger; readonly metrics: Metrics };

export function startFollowingKeyChanges(
  o: Background & { readonly postgres: Postgres; readonly unconfirmedMs: number },
): KeyChanges & Loop {
  const { noneSince, readOn, connectionLost } = followKeyChanges({
    read: (cursor) => readKeyChanges(o.postgres, cursor),
    unconfirmedMs: o.unconfirmedMs,
  });
  const everyMs = o.unconfirmedMs * pauseShare;
  const loop = startLoop({ ...o, name: 'key-changes', everyMs, work: readOn });
  const { pool } = o.postgres;
  const released = (error?: Error | boolean) => {
    if (error) connectionLost();
  };
  // Of a connection that was idle, or that looked keys up: no read fails with it.
  pool.on('error', connectionLost);
  pool.on('release', released);
  return {
    ...loop,
    noneSince,
    [Symbol.asyncDispose]: async () => {
      pool.off('error', connectionLost);
      pool.off('release', released);
      await loop[Symbol.asyncDispose]();
    },
  };
}

/** Deletes changes that no replica needs any more. */
export function startDroppingKeyChanges(o: Background): Loop {
  const work = () => dropOldKeyChanges(o.postgres);
  return startLoop({ ...o, name: 'key-changes-retention', everyMs: maxGapMs, work });
}
