import { beforeAll, describe, expect, it } from '@jest/globals';
import { forAllTests } from '@offer-ads/testing/for-tests';
import { type CallQuery, insertCalls, isUnwritable, listCalls } from '../../src/call-log/calls-store.ts';
import { callWith, createCallsDatabase, type IssuedKey, listed, rowsRead } from './calls-database.ts';

const database = forAllTests(() => createCallsDatabase());

const noon = new Date('2026-06-01T12:00:00.000Z');
const minutesLater = (minutes: number) => new Date(noon.getTime() + minutes * 60_000);

describe('writing calls', () => {
  it('stores the other calls of a batch of which some are stored already', async () => {
    const { organisationId, sha256 } = await database.issueKey();
    const [first, second, third] = [callWith(sha256), callWith(sha256), callWith(sha256)];
    await insertCalls(database.postgres, [first, second]);
    await insertCalls(database.postgres, [second, third]);
    expect(await listed(database.postgres, organisationId)).toHaveLength(3);
  });

  it('leaves out calls with unknown keys and keeps the others', async () => {
    const { organisationId, sha256 } = await database.issueKey();
    await insertCalls(database.postgres, [callWith('00'.repeat(32)), callWith(sha256)]);
    expect(await listed(database.postgres, organisationId)).toHaveLength(1);
  });

  it('keeps every field of every call of a batch of different keys', async () => {
    const [one, other] = [await database.issueKey(), await database.issueKey()];
    const calls = [
      callWith(one.sha256, { route: 'POST /offers', status: 201, returnCode: 'S1', durationMs: 17 }),
      callWith(other.sha256, {
        route: 'GET "odd", {route} \\ \t\r\n',
        status: 499,
        at: new Date(noon.getTime() + 1),
      }),
      callWith(one.sha256, { at: minutesLater(-1), returnCode: 'NULL' }),
    ];
    await insertCalls(database.postgres, calls);
    const expected = (key: IssuedKey, index: number) => {
      const { id: _, keySha256: __, ...rest } = calls[index] ?? callWith(key.sha256);
      return { ...rest, keyId: key.keyId, mode: 'TEST', lastFour: 'last' };
    };
    expect(await listed(database.postgres, one.organisationId)).toEqual([expected(one, 0), expected(one, 2)]);
    expect(await listed(database.postgres, other.organisationId)).toEqual([expected(other, 1)]);
  });

  it.each([
    ['a route that no text column takes', { route: 'GET /\0' }],
    ['a status that is none', { status: 100_000 }],
    ['a duration that is no number', { durationMs: Number.NaN }],
  ])('says of %s that it can never be written', async (_case, overrides) => {
    const { sha256 } = await database.issueKey();
    const failure = await insertCalls(database.postgres, [callWith(sha256, overrides)]).catch(
      (error) => error,
    );
    expect(isUnwritable(failure)).toBe(true);
  });

  it('notes for each key when it was used last, and never an earlier time', async () => {
    const { keyId, sha256 } = await database.issueKey();
    const lastUsed = async () => {
      const [row] = await database.postgres.query<{ at: Date }>(
        'SELECT last_used_at AS at FROM api_keys WHERE id = $1',
        [keyId],
      );
      return row?.at;
    };
    await insertCalls(database.postgres, [
      callWith(sha256, { at: minutesLater(2) }),
      callWith(sha256, { at: minutesLater(5) }),
      callWith(sha256),
    ]);
    expect(await lastUsed()).toEqual(minutesLater(5));
    await insertCalls(database.postgres, [callWith(sha256, { at: minutesLater(1) })]);
    expect(await lastUsed()).toEqual(minutesLater(5));
  });

  it('writes the last use of a key at most every ten minutes', async () => {
    const { keyId, sha256 } = await database.issueKey();
    const versions = new Set<string>();
    for (let minute = 0; minute <= 25; minute += 1) {
      await insertCalls(database.postgres, [callWith(sha256, { at: minutesLater(minute) })]);
      const [row] = await database.postgres.query<{ version: string }>(
        'SELECT xmin::text AS version FROM api_keys WHERE id = $1',
        [keyId],
      );
      versions.add(row?.version ?? '');
    }
    // At minutes 0, 11 and 22.
    expect(versions.size).toBe(3);
  });
});

describe('a page of the log', () => {
  let key: IssuedKey;
  let second: IssuedKey;
  const page = (query: Partial<CallQuery> & { maxScanned?: number; since?: Date } = {}) =>
    listCalls(database.postgres, {
      organisationId: key.organisationId,
      limit: 100,
      since: new Date(0),
      ...query,
    });
  const minutesOf = (calls: readonly { at: Date }[]) =>
    calls.map(({ at }) => (at.getTime() - noon.getTime()) / 60_000);

  beforeAll(async () => {
    key = await database.issueKey();
    second = await database.issueKey(key.organisationId);
    const other = await database.issueKey();
    // Over three days, two calls in each instant.
    const calls = [0, 1, 800, 1_600, 2_400].flatMap((minutes, index) => [
      callWith(key.sha256, { at: minutesLater(minutes), status: [200, 301, 404, 429, 500][index] ?? 200 }),
      callWith(second.sha256, { at: minutesLater(minutes), route: 'POST /offers/{offer_id}/pause' }),
      callWith(other.sha256, { at: minutesLater(minutes) }),
    ]);
    await insertCalls(database.postgres, calls);
  });

  it.each([1, 3, 10])('of %d leads to the next, so that each call is seen once', async (limit) => {
    const seen: number[] = [];
    let before: CallQuery['before'];
    for (let pages = 0; pages < 11; pages += 1) {
      const { calls, next } = await page({ limit, before });
      seen.push(...minutesOf(calls));
      if (next === null) break;
      before = next;
    }
    expect(seen).toEqual([2400, 2400, 1600, 1600, 800, 800, 1, 1, 0, 0]);
  });

  it('reads no call of a key of another organisation, so that its duration shows nothing about that key', async () => {
    const [ours, theirs] = [await database.issueKey(), await database.issueKey()];
    // So many of ours that the index on the key would be the quickest way to theirs.
    for (const [{ sha256 }, count] of [[ours, 5_000] as const, [theirs, 100] as const]) {
      const calls = Array.from({ length: count }, (_, n) => callWith(sha256, { at: minutesLater(n / 100) }));
      await insertCalls(database.postgres, calls);
    }
    await database.postgres.query('ANALYZE calls');
    const { organisationId } = ours;
    const read = await rowsRead(database.postgres, 'calls_', async (explaining) => {
      for (const { keyId } of [ours, theirs])
        await listCalls(explaining, { organisationId, keyId, limit: 100, since: new Date(0) });
    });
    expect(read).toEqual([101, 0]);
  });

  it('reads a limited number of calls in search of rare ones, and the next page continues there', async () => {
    const first = await page({ status: 404, maxScanned: 4 });
    expect(first).toMatchObject({ calls: [], next: { at: minutesLater(1_600) } });
    const next = await page({ status: 404, maxScanned: 4, before: first.next ?? undefined });
    expect(minutesOf(next.calls)).toEqual([800]);
    const last = await page({ status: 404, maxScanned: 4, before: next.next ?? undefined });
    expect(last).toEqual({ calls: [], next: null });
  });
});
