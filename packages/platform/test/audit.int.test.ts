/** The audit log of admin calls, in both kinds of stores. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type AuditEntry, auditCursorOf } from '@offer-ads/contracts/admin/audit-api';
import { adminToken, adminTokenHashes } from '@offer-ads/testing/admin';
import { testClock } from '@offer-ads/testing/clock';
import { startTestServer } from '@offer-ads/testing/http-server';
import { silentLogger } from '@offer-ads/testing/logger';
import { createTestDatabase } from '@offer-ads/testing/stores/database';
import { createTestMongo } from '@offer-ads/testing/stores/mongo';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import {
  type AuditLog,
  type AuditStore,
  auditTarget,
  mountAuditRoute,
  startAuditLog,
} from '../src/admin/audit.ts';
import { adminGuard } from '../src/admin/routes.ts';
import type { HttpServer } from '../src/http/server.ts';
import { mongoAudit } from '../src/mongo/audit-store.ts';
import { openMongo } from '../src/mongo/mongo.ts';
import { postgresAudit } from '../src/postgres/audit-store.ts';
import { openPostgres, type Postgres } from '../src/postgres/postgres.ts';
import { serviceUnavailable } from '../src/process/faults.ts';
import { startWhenStoresServe } from '../src/process/start-when-stores-serve.ts';
import { createMetrics } from '../src/telemetry/metrics.ts';
import { startTracing } from '../src/telemetry/traces.ts';

const foundation = { logger: silentLogger, metrics: createMetrics('test') };
const clock = testClock(new Date().toISOString());
const resources = new AsyncDisposableStack();
const stores: Partial<Record<'postgres' | 'mongo', AuditStore>> = {};
let postgres: Postgres;

beforeAll(async () => {
  const database = await createTestDatabase('gateway');
  resources.defer(database.dispose);
  postgres = resources.use(
    await startWhenStoresServe(() => openPostgres({ url: database.url, ...foundation })),
  );
  stores.postgres = postgresAudit(postgres);
  const mongo = await createTestMongo();
  resources.defer(mongo.dispose);
  const opened = resources.use(
    await startWhenStoresServe(() => openMongo({ url: mongo.url, ...foundation })),
  );
  stores.mongo = await mongoAudit(opened);
});
afterAll(() => resources.disposeAsync());

describe.each(['postgres', 'mongo'] as const)('the audit log in %s', (kind) => {
  let store: AuditStore;
  let audit: AuditLog;
  let server: HttpServer;
  /** The work of the route below. */
  let work: () => Promise<void> | void;
  let canWrite = true;

  beforeAll(async () => {
    store = stores[kind]!;
    audit = startAuditLog({
      store: {
        ...store,
        add: (entry) => (canWrite ? store.add(entry) : Promise.reject(serviceUnavailable('away'))),
      },
      retentionDays: 730,
      clock,
      ...foundation,
    });
    const admin = adminGuard({ tokenHashes: adminTokenHashes, audit, ...foundation });
    server = await startTestServer((app) => {
      mountAuditRoute(app, { admin, audit });
      app.use('/admin/parked', admin(1024));
      app.use('/admin', admin(1024));
      app.post('/admin/offers/:id/disable', async (req, res) => {
        await work();
        auditTarget(req, { organisationId: 3, target: 'keys/9' });
        res.json({ done: true });
      });
      app.get('/admin/offers/:id', (_req, res) => res.json({ done: true }));
      app.post('/admin/parked/drop', (_req, res) => res.status(409).json({ message: 'no' }));
    });
    work = () => undefined;
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await audit[Symbol.asyncDispose]();
  });

  const call = (method: string, path: string, o: { json?: object; headers?: Record<string, string> } = {}) =>
    fetch(`${server.url}/admin${path}`, {
      method,
      headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json', ...o.headers },
      ...(o.json && { body: JSON.stringify(o.json) }),
    });
  const read = async (query = ''): Promise<AuditEntry[]> => {
    const reply = await call('GET', `/audit${query}`);
    expect(reply.status).toBe(200);
    return ((await reply.json()) as { entries: AuditEntry[] }).entries;
  };
  const completed = (query: string, count = 1) =>
    eventually(async () => {
      const entries = await read(query);
      expect(entries.filter(({ status }) => status !== null)).toHaveLength(count);
      return entries;
    });

  it('has who changed what, when, why, as which request, and with which outcome', async () => {
    startTracing();
    const headers = {
      'x-admin-actor': 'ann@platform.example',
      'x-admin-subject': 'subject-of-ann',
      'x-admin-roles': 'support,finance,made-up',
      'x-request-id': 'request-of-ann',
    };
    expect(
      (await call('POST', '/offers/7/disable', { headers, json: { reason: 'stolen picture' } })).status,
    ).toBe(200);
    expect(await completed('?actor=ann@platform.example')).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        at: clock.now().toISOString(),
        actor: 'ann@platform.example',
        subject: 'subject-of-ann',
        roles: ['support', 'finance'],
        via: 'console',
        action: 'POST /offers/:id/disable',
        targets: ['offers/7', 'keys/9'],
        organisationId: 3,
        reason: 'stolen picture',
        details: {},
        requestId: 'request-of-ann',
        traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
        status: 200,
      },
    ]);
  });

  it('has refused changes too, once each, and nothing of reading', async () => {
    clock.advance(1_000);
    expect((await call('POST', '/parked/drop', { json: { ids: ['a'] } })).status).toBe(409);
    expect((await call('GET', '/offers/7')).status).toBe(200);
    expect(await completed('?action=POST%20/parked/drop')).toMatchObject([
      { targets: ['parked/a'], status: 409 },
    ]);
    expect((await read()).filter(({ action }) => action.startsWith('GET'))).toEqual([]);
  });

  it('has the entry while the work is done, with an unknown outcome', async () => {
    clock.advance(1_000);
    let seen: AuditEntry[] = [];
    work = async () => {
      seen = await read('?target=offers/8');
    };
    await call('POST', '/offers/8/disable', { json: {} });
    work = () => undefined;
    expect(seen).toMatchObject([{ status: null, targets: ['offers/8'] }]);
    await completed('?target=offers/8');
  });

  it('refuses a change that it cannot record, and the change is not made', async () => {
    let wasDone = false;
    work = () => {
      wasDone = true;
    };
    canWrite = false;
    expect((await call('POST', '/offers/9/disable', { json: {} })).status).toBe(503);
    canWrite = true;
    expect(wasDone).toBe(false);
    expect((await call('POST', '/offers/9/disable', { json: {} })).status).toBe(200);
    expect(wasDone).toBe(true);
    work = () => undefined;
  });

  it('finds by person, action, target, organisation and time, and goes on from page to page', async () => {
    clock.advance(60_000);
    const from = clock.now();
    for (let number = 101; number <= 105; number += 1) {
      // Two entries have the same time.
      if (number !== 103) clock.advance(1_000);
      const headers = { 'x-admin-actor': number % 2 === 0 ? 'even' : 'odd' };
      await call('POST', `/offers/${number}/disable`, { headers, json: {} });
    }
    const since = `from=${from.toISOString()}`;
    const all = await completed(`?${since}`, 5);
    expect(new Set(all.map(({ targets }) => targets[0]))).toEqual(
      new Set([101, 102, 103, 104, 105].map((id) => `offers/${id}`)),
    );
    expect(all.map(({ at }) => at)).toEqual(
      all
        .map(({ at }) => at)
        .toSorted()
        .toReversed(),
    );
    expect(await read(`?${since}&actor=even`)).toHaveLength(2);
    expect(await read(`?${since}&target=offers/103`)).toHaveLength(1);
    expect(await read(`?${since}&organisationId=3`)).toHaveLength(5);
    expect(await read(`?${since}&organisationId=4`)).toHaveLength(0);
    expect(await read(`?from=${all[0]?.at}`)).toHaveLength(1);
    expect(await read(`?${since}&to=${all[0]?.at}`)).toHaveLength(4);
    const paged: AuditEntry[] = [];
    for (let cursor = ''; paged.length < 5; ) {
      const page = await read(`?${since}&limit=2${cursor}`);
      paged.push(...page);
      cursor = `&cursor=${auditCursorOf(page.at(-1)!)}`;
    }
    expect(paged).toEqual(all);
    expect((await call('GET', '/audit?cursor=made-up')).status).toBe(400);
    expect((await call('GET', '/audit?limit=201')).status).toBe(400);
    expect((await call('GET', '/audit?actor=%00')).status).toBe(400);
    expect((await call('GET', `/audit?cursor=1780000000000_${'-'.repeat(36)}`)).status).toBe(400);
  });

  it('completes an entry once', async () => {
    const id = randomUUID();
    await store.add({ ...entry, id, at: clock.now().toISOString() });
    await store.complete(id, { status: 200, targets: [], organisationId: null });
    await store.complete(id, { status: 500, targets: ['offers/1'], organisationId: 9 });
    expect((await read(`?actor=${entry.actor}`))[0]).toMatchObject({
      status: 200,
      targets: [],
      organisationId: null,
    });
  });

  it('removes entries that are older than its retention, and no others', async () => {
    const days = (ago: number) => new Date(clock.now().getTime() - ago * 86_400_000).toISOString();
    for (const ago of [729, 731])
      await store.add({ ...entry, actor: 'of-old', id: randomUUID(), at: days(ago) });
    await using _running = startAuditLog({ store, retentionDays: 730, clock, ...foundation });
    await eventually(async () => expect(await read('?actor=of-old')).toMatchObject([{ at: days(729) }]));
  });
});

const entry: Omit<AuditEntry, 'id' | 'at' | 'status'> = {
  actor: 'somebody',
  subject: null,
  roles: [],
  via: 'token',
  action: 'POST /things',
  targets: [],
  organisationId: null,
  reason: null,
  details: {},
  requestId: 'a-request',
  traceId: null,
};

describe('Postgres', () => {
  it.each([
    ["UPDATE audit_entries SET actor = 'another'"],
    ["UPDATE audit_entries SET status = 201, actor = 'another'"],
    ['UPDATE audit_entries SET status = NULL'],
    ["UPDATE audit_entries SET status = 200, targets = '{}'"],
    ['UPDATE audit_entries SET status = 200, organisation_id = 7'],
    ['DELETE FROM audit_entries'],
    ['TRUNCATE audit_entries'],
  ])('refuses %s', async (sql) => {
    const id = randomUUID();
    const target = { targets: ['offers/1'], organisationId: 3 };
    await stores.postgres!.add({ ...entry, ...target, id, at: new Date().toISOString() });
    const narrowed = sql.startsWith('TRUNCATE') ? sql : `${sql} WHERE id = '${id}'`;
    if (sql.includes('NULL'))
      await postgres.query('UPDATE audit_entries SET status = 200 WHERE id = $1', [id]);
    await expect(postgres.query(narrowed)).rejects.toThrow('may not be changed or removed');
  });
});
