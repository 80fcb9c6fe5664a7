/** The triggers that write down what changes for requests with a key, on a real database. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createDeadline } from '@offer-ads/platform/calls/deadline';
import { type Postgres, sqlOf } from '@offer-ads/platform/postgres/postgres';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { silentLogger } from '@offer-ads/testing/logger';
import { createTestDatabase } from '@offer-ads/testing/stores/database';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { manageOrganisations } from '../../src/accounts/manage-organisations.ts';
import { sha256Of } from '../../src/keys/key-cache.ts';
import { startFollowingKeyChanges } from '../../src/keys/key-changes.ts';
import { dropOldKeyChanges, factsOfKeys, findKeyFacts, readKeyChanges } from '../../src/keys/keys-store.ts';
import { manageKeys } from '../../src/keys/manage-keys.ts';
import { connect, storePatienceMs } from '../call-log/calls-database.ts';
import { cafe } from '../gateway-under-test.ts';

const open = new AsyncDisposableStack();
let postgres: Postgres;
let url: string;
let issueKey: () => Promise<{ organisationId: number; sha256: Buffer }>;

beforeAll(async () => {
  const database = await createTestDatabase('gateway');
  open.defer(() => database.dispose());
  url = database.url;
  postgres = open.use(await connect(url, { statementTimeoutMs: storePatienceMs }));
  const clock = { now: () => new Date() };
  const administration = { postgres, clock, waitUntilCachesExpire: async () => {} };
  issueKey = async () => {
    const deadline = () => createDeadline(60_000);
    const adminEmail = `${randomUUID()}@cafe.test`;
    const { id } = await manageOrganisations(administration).register(
      { ...cafe, adminEmail },
      'a test',
      deadline(),
    );
    const wish = { organisationId: id, mode: 'TEST' as const, name: 'Till', expiresAt: null };
    const issued = await manageKeys(administration).create(wish, 'platform-team', deadline());
    if (!issued.ok) throw new Error(issued.reason);
    return { organisationId: id, sha256: sha256Of(issued.value.key) };
  };
});
afterAll(async () => open.disposeAsync());

const changesSince = async (cursor: string) => (await readKeyChanges(postgres, cursor)).ids;
const currentCursor = async () => (await readKeyChanges(postgres, null)).cursor;
/** A cursor also returns earlier changes while any transaction on the server is open, be it of another database: so these are deleted. */
const newCursor = async () => {
  await postgres.query('DELETE FROM key_changes');
  return currentCursor();
};

describe('a change of what a request with a key depends on', () => {
  it.each([
    `UPDATE api_keys SET disabled_at = now() WHERE organisation_id = $1`,
    `UPDATE api_keys SET expires_at = now() WHERE organisation_id = $1`,
    `UPDATE api_keys SET mode = NULL WHERE organisation_id = $1`,
    `UPDATE api_keys SET requests_per_minute = 5 WHERE organisation_id = $1`,
    `DELETE FROM api_keys WHERE organisation_id = $1`,
    `UPDATE people SET enabled = false WHERE organisation_id = $1`,
    `UPDATE people SET email = 'another@cafe.test' WHERE organisation_id = $1`,
    `UPDATE organisations SET enabled = false WHERE id = $1`,
    `UPDATE organisations SET approved_at = NULL, approved_by = NULL WHERE id = $1`,
    `UPDATE organisations SET currency = 'SEK', country = 'SE' WHERE id = $1`,
    `UPDATE organisations SET trading_name = 'Tea Room' WHERE id = $1`,
    `UPDATE quotas SET per_person = 1 WHERE organisation_id = $1`,
    `DELETE FROM quotas WHERE organisation_id = $1`,
    `WITH latest AS (INSERT INTO terms_versions (version, text, published_at) VALUES ('of ' || $1::integer, 'x', now()) RETURNING id)
     INSERT INTO terms_acceptances (organisation_id, terms_version_id, accepted_at) SELECT $1, id, now() FROM latest`,
  ])('is read by those who follow: %s', async (statement) => {
    const { organisationId, sha256 } = await issueKey();
    const [before] = await findKeyFacts(postgres, [sha256]);
    const cursor = await newCursor();
    await postgres.query(statement, [organisationId]);
    expect(await findKeyFacts(postgres, [sha256])).not.toEqual([before]);
    expect(await changesSince(cursor)).toContain(organisationId);
  });

  it('is one of all organisations when terms are published', async () => {
    const cursor = await newCursor();
    await postgres.query(
      `INSERT INTO terms_versions (version, text, published_at) VALUES ('next', 'x', now())`,
    );
    expect(await changesSince(cursor)).toEqual([null]);
  });

  it('is written down for every column that is read and may change', async () => {
    await postgres.query(
      `CREATE VIEW facts AS ${sqlOf(factsOfKeys).replace('$1::bytea[]', "ARRAY['']::bytea[]")}`,
    );
    const columns = await postgres.query<{ column: string }>(
      `SELECT table_name || '.' || column_name AS column FROM information_schema.view_column_usage
       WHERE view_name = 'facts' AND column_name NOT IN ('id', 'organisation_id')
         AND table_name NOT IN ('quotas', 'terms_acceptances')
       EXCEPT SELECT event_object_table || '.' || event_object_column
       FROM information_schema.triggered_update_columns WHERE trigger_name = 'key_change'`,
    );
    expect(columns).toEqual([]);
    const events = await postgres.query(
      `SELECT event_object_table AS table, array_agg(event_manipulation::text ORDER BY event_manipulation::text) AS events
       FROM information_schema.triggers WHERE trigger_name = 'key_change' GROUP BY 1 ORDER BY 1`,
    );
    const every = ['DELETE', 'INSERT', 'UPDATE'];
    expect(events).toEqual([
      { table: 'api_keys', events: ['DELETE', 'UPDATE'] },
      { table: 'organisations', events: ['UPDATE'] },
      { table: 'people', events: ['UPDATE'] },
      { table: 'quotas', events: every },
      { table: 'terms_acceptances', events: every },
      { table: 'terms_versions', events: every },
    ]);
  });

  it('is read although later transactions were committed and read before it', async () => {
    const { organisationId } = await issueKey();
    const { organisationId: another } = await issueKey();
    const changeOf = (id: number) =>
      [`UPDATE organisations SET enabled = false WHERE id = $1`, [id]] as const;
    let cursor = await newCursor();
    await postgres.transaction(async (early) => {
      await early.query(...changeOf(organisationId));
      await postgres.query(...changeOf(another));
      const read = await readKeyChanges(postgres, cursor);
      expect(read.ids).toEqual([another]);
      cursor = read.cursor;
    });
    expect(await changesSince(cursor)).toContain(organisationId);
  });

  it('is read only once when no transaction is open', async () => {
    await issueKey();
    await eventually(async () => expect(await changesSince(await currentCursor())).toEqual([]));
  });
});

describe('a replica whose connection is lost', () => {
  /** One that has read the changes, on connections of its own. */
  async function newReplica() {
    await using opened = new AsyncDisposableStack();
    const own = opened.use(await connect(url, { statementTimeoutMs: storePatienceMs }));
    const following = opened.use(
      startFollowingKeyChanges({
        postgres: own,
        unconfirmedMs: storePatienceMs,
        logger: silentLogger,
        metrics: createMetrics('gateway'),
      }),
    );
    await following.runNow();
    const isTrusted = (sinceMs: number) => following.noneSince(sinceMs, 1, performance.now());
    const running = opened.move();
    return { own, following, isTrusted, [Symbol.asyncDispose]: () => running.disposeAsync() };
  }

  it('trusts no earlier look-up: another database may answer next, or the same one after a crash', async () => {
    await using replica = await newReplica();
    const { own, following, isTrusted } = replica;
    const before = performance.now();
    expect(isTrusted(before)).toBe(true);
    const lost = once(own.pool, 'error');
    await postgres.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    );
    await lost;
    expect(isTrusted(before)).toBe(false);
    await following.runNow();
    expect([isTrusted(before), isTrusted(performance.now())]).toEqual([false, true]);
  });

  it('confirms nothing that was looked up before, also when a look-up was under way', async () => {
    await using replica = await newReplica();
    const { own, following, isTrusted } = replica;
    const before = performance.now();
    // The only connection, so no other one is lost while it is idle.
    const lookUp = own.query('SELECT pg_terminate_backend(pg_backend_pid())');
    await expect(lookUp).rejects.toMatchObject({ status: 503 });
    expect(isTrusted(before)).toBe(false);
    await following.runNow();
    expect([isTrusted(before), isTrusted(performance.now())]).toEqual([false, true]);
  });
});

describe('a read of changes', () => {
  it('says that everything may have changed if another server, or the same one before a crash, made the cursor', async () => {
    const cursor = await newCursor();
    const { organisationId, sha256 } = await issueKey();
    await postgres.query('UPDATE api_keys SET disabled_at = now() WHERE sha256 = $1', [sha256]);
    expect(await changesSince(cursor)).toContain(organisationId);
    const [run = '', transaction] = cursor.split(' ');
    const [started, reset] = run.split('/');
    expect([Number(started), Number(reset)]).toEqual([expect.any(Number), expect.any(Number)]);
    for (const other of [`1.5/${reset}`, `${started}/1.5`])
      expect(await changesSince(`${other} ${transaction}`)).toEqual([null]);
  });
});

describe('the changes in the store', () => {
  it('are not for the times at which keys and links were used', async () => {
    await issueKey();
    const cursor = await newCursor();
    await postgres.query('UPDATE api_keys SET last_used_at = now()');
    await postgres.query('UPDATE people SET last_signed_in_at = now()');
    expect(await changesSince(cursor)).toEqual([]);
  });

  it('are deleted after a day', async () => {
    await issueKey();
    const { organisationId } = await issueKey();
    const kept = await postgres.query(
      `UPDATE key_changes SET changed_at = now() - interval '25 hours' WHERE organisation_id <> $1 RETURNING 1`,
      [organisationId],
    );
    expect(kept.length).toBeGreaterThan(0);
    await dropOldKeyChanges(postgres);
    const left = await postgres.query(
      'SELECT DISTINCT organisation_id FROM key_changes WHERE organisation_id IS NOT NULL',
    );
    expect(left).toEqual([{ organisation_id: organisationId }]);
  });
});
