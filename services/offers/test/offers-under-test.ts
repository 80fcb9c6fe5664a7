/** The real service on a database of its own, with other services that play their contracts and a clock that stands still. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import type { EventData, EventDeclaration } from '@offer-ads/contracts/events/event-declaration';
import type { CallerContext } from '@offer-ads/contracts/internal/caller-context';
import { newEvent, type OutgoingEvent } from '@offer-ads/platform/messaging/events';
import { openPostgres, type Postgres } from '@offer-ads/platform/postgres/postgres';
import type { Clock } from '@offer-ads/platform/process/clock';
import { isServiceUnavailable } from '@offer-ads/platform/process/faults';
import { startWhenStoresServe } from '@offer-ads/platform/process/start-when-stores-serve';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { adminToken, adminTokenHashes } from '@offer-ads/testing/admin';
import { signedCaller, testContextSecret } from '@offer-ads/testing/caller';
import { type TestClock, testClock } from '@offer-ads/testing/clock';
import { silentLogger } from '@offer-ads/testing/logger';
import { createTestDatabase } from '@offer-ads/testing/stores/database';
import type { OffersConfig } from '../src/config.ts';
import { subscriptions } from '../src/consumers.ts';
import { offersMeters } from '../src/meters.ts';
import { type Offers, startOffers } from '../src/service.ts';
import { type FakeServices, startFakeServices } from './fake-services.ts';

/** The time of the test clock when a test begins. */
export const NOON = '2026-06-01T12:00:00Z';

/** Nothing listens there: events stay in the outbox, where tests read them. */
const noBroker = 'amqp://127.0.0.1:9';

/** Shorter than any deadline of the service. A 503 that comes sooner is the service's decision, and not caused by a busy machine. */
const SHORTEST_WAIT_MS = 1_000;
const MAX_TRIES = 4;
/** The platform tests its statement time-out of two seconds itself. Here it would only make tests fail on a busy machine. */
const STATEMENT_MS = 60_000;

export type Answer = { readonly status: number; readonly body: unknown; readonly headers: Headers };
export type WrittenEvent = { name: string; subjectVersion: number; data: Record<string, unknown> };

export type OffersUnderTest = AsyncDisposable & {
  readonly offers: Offers;
  readonly config: OffersConfig;
  readonly otherServices: FakeServices;
  readonly clock: TestClock;
  readonly postgres: Postgres;
  readonly call: (method: string, path: string, o?: CallOptions) => Promise<Answer>;
  readonly admin: (method: string, path: string, json?: unknown) => Promise<Answer>;
  /** The offer as the admin route shows it. */
  readonly offer: (id: number) => Promise<Record<string, unknown>>;
  /** Hands an event to the service's consumer, as the broker would. */
  readonly deliver: <D extends EventDeclaration>(
    declaration: D,
    data: EventData<D>,
    eventId?: string,
  ) => Promise<void>;
  /** The events written so far, oldest first. The sweeper writes at times of its own, so its events are returned on demand only. */
  readonly events: (which?: 'from commands' | 'all') => Promise<WrittenEvent[]>;
  readonly clearEvents: () => Promise<void>;
  /** How many rows the table has. */
  readonly count: (table: string) => Promise<number>;
  /** Another replica on the same stores; it stops with the first one, or when it is disposed. */
  readonly startReplica: (clock?: Clock) => Promise<Offers>;
  /** What is due is announced, by whichever replica: a sweeper skips a row that the sweeper of another one has locked. */
  readonly announce: () => Promise<void>;
  /** The time passes, then the sweeper ends what requests left behind. */
  readonly sweepAfter: (ms: number) => Promise<void>;
  /** Is disposed before the service. */
  readonly use: <T extends AsyncDisposable>(opened: T) => T;
};

export type CallOptions = {
  readonly caller?: Partial<CallerContext>;
  readonly headers?: Record<string, string>;
  readonly body?: FormData | string;
  /** A body of JSON, instead. */
  readonly json?: unknown;
  /** Another replica than the usual one. */
  readonly to?: Offers;
  /** The first answer, also when it is 503. */
  readonly once?: true;
};

export type StartOptions = {
  readonly rabbitmqUrl?: string;
  readonly brokerNamespace?: string;
  readonly settings?: Partial<OffersConfig>;
};

/**
 * One service for all tests of a file. Each test begins at noon, without offers, keys and events, and with other services that work.
 * @param prepare runs first; what it adds to the stack is disposed last
 */
export function offersUnderTest(
  prepare: (opened: AsyncDisposableStack) => StartOptions | Promise<StartOptions> = () => ({}),
): OffersUnderTest {
  // Filled before the first test.
  const under = {} as OffersUnderTest;
  const opened = new AsyncDisposableStack();
  beforeAll(async () => {
    Object.assign(under, opened.use(await startOffersUnderTest(await prepare(opened))));
  });
  afterAll(() => opened.disposeAsync());
  beforeEach(() => startAfresh(under));
  return under;
}

/** The database alone, for tests of SQL: the connection pools of three replicas. */
export function databaseUnderTest(
  statementTimeoutMs = STATEMENT_MS,
): readonly [Postgres, Postgres, Postgres] {
  // Filled before the first test.
  const pools = [{}, {}, {}] as [Postgres, Postgres, Postgres];
  const opened = new AsyncDisposableStack();
  beforeAll(async () => {
    const { url } = opened.adopt(await createTestDatabase('offers'), (it) => it.dispose());
    const o = { url, logger: silentLogger, metrics: createMetrics('test'), statementTimeoutMs };
    for (const pool of pools) Object.assign(pool, opened.use(await openPostgres(o)));
  });
  afterAll(() => opened.disposeAsync());
  return pools;
}

export async function startAfresh(under: OffersUnderTest): Promise<void> {
  under.otherServices.reset();
  under.clock.set(NOON);
  // The service never deletes an offer that was shown, so replicas only follow its other changes.
  await under.postgres.query('UPDATE offers SET paused_since = now() WHERE paused_since IS NULL');
  await under.offers.followed.refresh();
  await under.postgres.query(
    'DELETE FROM traffic; DELETE FROM traffic_totals; DELETE FROM traffic_of_organisations; DELETE FROM offer_spend; DELETE FROM idempotency_keys; DELETE FROM offers; DELETE FROM offer_groups; DELETE FROM outbox; DELETE FROM placement_viewers; DELETE FROM placement_shares; DELETE FROM test_clocks',
  );
}

export async function startOffersUnderTest(o: StartOptions = {}): Promise<OffersUnderTest> {
  await using started = new AsyncDisposableStack();
  const database = started.adopt(await createTestDatabase('offers'), (it) => it.dispose());
  const folder = started.adopt(await mkdtemp(join(tmpdir(), 'offers-images-')), (it) =>
    rm(it, { recursive: true }),
  );
  const clock = testClock(NOON);
  const otherServices = started.use(await startFakeServices(clock));
  const usual = configFor(patientUrl(database.url), folder, otherServices, o.rabbitmqUrl ?? noBroker);
  const config = { ...usual, ...o.settings };
  const start = (overrides: object) =>
    startWhenStoresServe(() => startOffers(config, { clock, logger: silentLogger, ...overrides }));
  const offers = started.use(
    await start(o.brokerNamespace === undefined ? {} : { brokerNamespace: o.brokerNamespace }),
  );
  const replicas = [offers];
  const postgres = started.use(
    await openPostgres({
      url: database.url,
      logger: silentLogger,
      metrics: createMetrics('test'),
      statementTimeoutMs: STATEMENT_MS,
    }),
  );
  const answer = async (url: string, method: string, { headers, body, json }: CallOptions) =>
    answerOf(
      await fetch(url, {
        method,
        headers: { ...(json !== undefined && { 'content-type': 'application/json' }), ...headers },
        ...(body !== undefined && { body }),
        ...(json !== undefined && { body: JSON.stringify(json) }),
      }),
    );
  const call = (method: string, path: string, options: CallOptions = {}) => {
    const headers = { ...signedCaller({ audience: 'offers', ...options.caller }), ...options.headers };
    const ask = () => answer((options.to ?? offers).url + path, method, { ...options, headers });
    return options.once === true ? ask() : patiently(ask);
  };
  const admin = (method: string, path: string, json?: unknown) => {
    const headers = { authorization: `Bearer ${adminToken}` };
    return patiently(() => answer(offers.adminUrl + path, method, { headers, json }));
  };
  const put = await admin('PUT', '/admin/catalogue', catalogue);
  if (put.status !== 200) throw new Error(`the catalogue was not put: ${JSON.stringify(put.body)}`);

  const meters = offersMeters(createMetrics('offers'));
  const running = started.move();
  return {
    offers,
    config,
    otherServices,
    clock,
    postgres,
    call,
    admin,
    offer: async (id) => (await admin('GET', `/admin/offers/${id}`)).body as Record<string, unknown>,
    deliver: async (declaration, data, eventId) => {
      const event = newEvent(declaration, { subject: 'test', subjectVersion: 1, at: clock.now(), data });
      const consumer = subscriptions({ postgres, clock, meters }).find(
        (it) => it.declaration === declaration,
      );
      if (consumer === undefined) throw new Error(`nobody consumes ${declaration.name}`);
      const delivery = {
        ...event,
        declaration,
        id: eventId ?? event.id,
        time: clock.now(),
        data,
        trace: null,
      };
      for (let tries = 1; ; tries += 1) {
        try {
          return await consumer.handle(delivery);
        } catch (error) {
          // The broker would deliver it again.
          if (!isServiceUnavailable(error) || tries === MAX_TRIES) throw error;
        }
      }
    },
    events: async (which = 'from commands') => {
      const rows = await postgres.query<{ event: OutgoingEvent }>(
        'SELECT event FROM outbox ORDER BY position',
      );
      const written = rows.map(({ event }) => ({
        name: event.type.split('.').at(-2) ?? '',
        subjectVersion: event.subjectVersion,
        data: event.data as Record<string, unknown>,
      }));
      return written.filter(({ name }) => which === 'all' || !fromSweeper.has(name));
    },
    clearEvents: async () => {
      await postgres.query('DELETE FROM outbox');
    },
    count: async (table) => (await postgres.query(`SELECT 1 FROM ${table}`)).length,
    startReplica: async (replicaClock = clock) => {
      const replica = running.use(await start({ clock: replicaClock }));
      replicas.push(replica);
      return replica;
    },
    announce: async () => {
      await Promise.all(replicas.map(({ sweeper }) => sweeper.announce()));
    },
    sweepAfter: async (ms) => {
      clock.advance(ms);
      await offers.sweeper.recover();
    },
    use: (opened) => running.use(opened),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/**
 * Asks again after a 503 that came because a busy machine let a deadline of the service run out, as clients do. A refusal that has a code,
 * such as the E7 of a deletion, is an answer like any other.
 */
export async function patiently<A extends { readonly status: number; readonly body?: unknown }>(
  ask: () => Promise<A>,
): Promise<A> {
  for (let tries = 1; ; tries += 1) {
    const startedAt = performance.now();
    const answer = await ask();
    const isRefusal = (answer.body as { return_code?: string } | undefined)?.return_code !== undefined;
    const isOutOfTime =
      answer.status === 503 && !isRefusal && performance.now() - startedAt >= SHORTEST_WAIT_MS;
    if (!isOutOfTime || tries === MAX_TRIES) return answer;
  }
}

function patientUrl(databaseUrl: string): string {
  const url = new URL(databaseUrl);
  for (const limit of ['statement_timeout', 'query_timeout'])
    url.searchParams.set(limit, String(STATEMENT_MS));
  return url.href;
}

const fromSweeper = new Set(['OfferActivated', 'OfferEndsSoon', 'OfferEnded', 'WeekEnded']);

export const catalogue = {
  categories: [
    { categoryId: 1, categoryName: 'Food & Drink' },
    { categoryId: 2, categoryName: 'Inactive', active: false },
    { categoryId: 3, categoryName: 'Only for 77', organisationIds: [77] },
  ],
  interests: [
    { interestId: 1, interestName: 'Hiking' },
    { interestId: 2, interestName: 'Cooking' },
    { interestId: 3, interestName: 'Inactive', active: false },
  ],
};

function configFor(
  databaseUrl: string,
  folder: string,
  otherServices: FakeServices,
  rabbitmqUrl: string,
): OffersConfig {
  return {
    HOST: '127.0.0.1',
    PORT: 0,
    ADMIN_PORT: 0,
    LOG_LEVEL: 'silent',
    ADMIN_TOKEN_HASHES: adminTokenHashes,
    AUDIT_RETENTION_DAYS: 730,
    RABBITMQ_URL: rabbitmqUrl,
    OFFERS_DATABASE_URL: databaseUrl,
    PRICING_URL: otherServices.urls.pricing,
    BILLING_URL: otherServices.urls.billing,
    MODERATION_URL: otherServices.urls.moderation,
    OFFERS_CONTEXT_SECRET: testContextSecret,
    PRICING_CONTEXT_SECRET: testContextSecret,
    BILLING_CONTEXT_SECRET: testContextSecret,
    MODERATION_CONTEXT_SECRET: testContextSecret,
    PUBLIC_URL: 'http://images.test',
    IMAGE_URL_SECRET: testContextSecret,
    PLACEMENT_TOKEN_SECRET: testContextSecret,
    IMAGE_STORE_URL: pathToFileURL(folder).href,
    PLACEMENTS_STALE_SECONDS: 60,
    PLACEMENTS_PER_VIEWER_AND_DAY: 10,
    PLACEMENTS_LIVE_OFFERS: 200_000,
    FREE_LIVE_OFFERS_PER_DAY: 10,
  };
}

async function answerOf(response: Response): Promise<Answer> {
  const { status, headers } = response;
  const isFile = headers.get('content-type')?.startsWith('text/csv') === true;
  // `text()` would remove the byte order mark.
  const body: unknown = isFile ? Buffer.from(await response.arrayBuffer()).toString() : await response.json();
  return { status, body, headers };
}
