/** Composition root of the gateway: opens its parts in order and closes them in reverse order. */
import { eventType } from '@offer-ads/contracts/events/event-declaration';
import { allEvents } from '@offer-ads/contracts/events/events';
import { startAuditLog } from '@offer-ads/platform/admin/audit';
import { adminGuard } from '@offer-ads/platform/admin/routes';
import { type HttpServerOptions, startHttpServer } from '@offer-ads/platform/http/server';
import { type Broker, connectBroker } from '@offer-ads/platform/messaging/broker/broker';
import { outboxWritten, startOutboxRelay } from '@offer-ads/platform/messaging/outbox';
import { postgresAudit } from '@offer-ads/platform/postgres/audit-store';
import { openPostgres, type Postgres } from '@offer-ads/platform/postgres/postgres';
import { createFoundation, type Foundation, type Overrides } from '@offer-ads/platform/process/foundation';
import type { RunningService } from '@offer-ads/platform/process/process';
import { erasePeople } from './accounts/erase-person.ts';
import { manageOrganisations } from './accounts/manage-organisations.ts';
import { managePeople } from './accounts/manage-people.ts';
import { manageTerms } from './accounts/manage-terms.ts';
import { measureWaiting } from './accounts/measure-waiting.ts';
import { findPortalCaller } from './accounts/portal-caller-store.ts';
import { type CallLog, countLostCalls, startCallLog } from './call-log/call-log.ts';
import { callLogReader } from './call-log/call-log-reader.ts';
import { openCallSpool } from './call-log/call-log-spool.ts';
import type { AnsweredCall } from './call-log/call-log-writing.ts';
import { startRetention } from './call-log/call-retention.ts';
import { insertCalls } from './call-log/calls-store.ts';
import { createPlacementTokenMaker, createTokenMaker } from './caller-tokens.ts';
import type { GatewayConfig } from './config.ts';
import { createWindowsMemory, type WindowsMemory } from './counting/client-windows.ts';
import { startRequestLimiter } from './counting/request-limiter.ts';
import { portalLimits } from './http/portal/portal-limits.ts';
import { publicLimitNames } from './http/proxy/rate-limit.ts';
import { gatewayRoutes } from './http/routes.ts';
import { createKeyCache, unconfirmedMs, waitUntilCachesExpire } from './keys/key-cache.ts';
import { startDroppingKeyChanges, startFollowingKeyChanges } from './keys/key-changes.ts';
import { findKeyFacts } from './keys/keys-store.ts';
import { lookUpInBatches } from './keys/look-up-in-batches.ts';
import { manageKeys } from './keys/manage-keys.ts';
import { managePlacementKeys } from './keys/manage-placement-keys.ts';
import { startReadingPlacementKeys } from './keys/placement-keys.ts';
import { manageSessions } from './sign-in/sessions.ts';
import { startSignIn } from './sign-in/sign-in.ts';
import { startSignUp } from './sign-up/sign-up.ts';
import { probeGauge, probeReadiness, probeState, type ReadStatus, watchDependencies } from './status.ts';
import { createTestClocks } from './test-clocks.ts';
import { freePort, startThreads, type Threads } from './threads/threads.ts';
import { createUpstream } from './upstream.ts';

export type Gateway = RunningService & Pick<Foundation, 'metrics'> & { readonly url: string };

/** What a further thread has from the first one. */
export type FurtherThread = {
  readonly memory: WindowsMemory;
  readonly threads: number;
  /** False if the call found no place. */
  readonly record: (call: AnsweredCall, keyWasFound: boolean) => boolean;
  readonly flushCalls: () => Promise<void>;
  readonly readStatus: ReadStatus;
  readonly readMetrics: () => Promise<string>;
  readonly wakeOutbox: () => void;
};

/**
 * `limitsNamespace`: a prefix in the shared store. `limitsAnswerMs`: how long a request waits for that store. `elapsedMs`: the clock of the
 * limits and of the status. `keysUnconfirmedMs`: how long a look-up of a key is used without reading
 * changes. `uploads`: how long a request may take to arrive.
 * `threads`: how many serve; one by default. `further`: this is a further thread.
 */
export type GatewayOverrides = Overrides & {
  readonly limitsNamespace?: string;
  readonly limitsAnswerMs?: number;
  readonly elapsedMs?: () => number;
  readonly keysUnconfirmedMs?: number;
  readonly uploads?: Pick<HttpServerOptions, 'uploadMs' | 'stallMs'>;
  readonly threads?: number;
  readonly further?: FurtherThread;
};

/** Of all threads of a replica together. */
const maxConnections = 10;
/** Two for look-ups, one for changes, and some for what the status page and other threads ask. */
const maxKeyConnections = 5;

const limitNames = [...publicLimitNames, ...Object.values(portalLimits).map(({ name }) => name)];

export async function startGateway(
  config: GatewayConfig,
  overrides: GatewayOverrides = {},
): Promise<Gateway> {
  const { further } = overrides;
  const threads = further?.threads ?? overrides.threads ?? 1;
  const foundation = createFoundation('gateway', config.LOG_LEVEL, overrides);
  const { clock, logger, metrics } = foundation;
  await using opened = new AsyncDisposableStack();

  const address = { url: config.GATEWAY_DATABASE_URL, pgbouncer: config.PGBOUNCER };
  const share = (connections: number) =>
    further === undefined
      ? connections - (threads - 1) * Math.floor(connections / threads)
      : Math.floor(connections / threads);
  const postgres = opened.use(
    await openPostgres({ ...address, ...foundation, maxConnections: share(maxConnections) }),
  );
  // Only for look-ups of keys, so that the API continues when the portal's queries are slow.
  const keyStore = opened.use(
    await openPostgres({ ...address, ...foundation, pool: 'keys', maxConnections: share(maxKeyConnections) }),
  );
  const memory = further?.memory ?? createWindowsMemory(limitNames);
  const shared = further === undefined ? await startOnce() : sharedByFirst(further, { postgres, metrics });
  const { broker } = shared;
  const callLog = further === undefined ? shared.callLog : opened.use(shared.callLog);
  const limiter = opened.use(
    await startRequestLimiter({
      storeUrl: config.VALKEY_URL,
      namespace: overrides.limitsNamespace ?? 'gateway',
      answerMs: overrides.limitsAnswerMs,
      elapsedMs: overrides.elapsedMs,
      memory,
      ...foundation,
    }),
  );
  const upstreams = {
    offers: opened.use(createUpstream({ name: 'offers', baseUrl: config.OFFERS_URL, ...foundation })),
    pricing: opened.use(createUpstream({ name: 'pricing', baseUrl: config.PRICING_URL, ...foundation })),
    billing: opened.use(createUpstream({ name: 'billing', baseUrl: config.BILLING_URL, ...foundation })),
    notifier: opened.use(createUpstream({ name: 'notifier', baseUrl: config.NOTIFIER_URL, ...foundation })),
  };
  const readStatus =
    further?.readStatus ??
    watchDependencies({
      probes: {
        postgres: probeState(() => keyStore.healthy()),
        rabbitmq: probeState(() => shared.connected()),
        ...(config.VALKEY_URL !== undefined && {
          'rate-limit-store': probeGauge(metrics, 'rate_limit_store_up'),
        }),
        offers: probeReadiness(config.OFFERS_URL),
        pricing: probeReadiness(config.PRICING_URL),
        billing: probeReadiness(config.BILLING_URL),
        notifier: probeReadiness(config.NOTIFIER_URL),
        ...Object.fromEntries(
          Object.entries(config.STATUS_TARGETS).map(([name, url]) => [name, probeReadiness(url)]),
        ),
      },
      elapsedMs: overrides.elapsedMs,
      ...foundation,
    });
  const { keysUnconfirmedMs = unconfirmedMs } = overrides;
  const administration = {
    postgres,
    clock,
    waitUntilCachesExpire: () => waitUntilCachesExpire(keysUnconfirmedMs),
  };
  const audit = opened.use(
    startAuditLog({
      store: postgresAudit(postgres),
      retentionDays: config.AUDIT_RETENTION_DAYS,
      ...foundation,
    }),
  );
  const tokenFor = createTokenMaker({
    secrets: {
      offers: config.OFFERS_CONTEXT_SECRET,
      pricing: config.PRICING_CONTEXT_SECRET,
      billing: config.BILLING_CONTEXT_SECRET,
      notifier: config.NOTIFIER_CONTEXT_SECRET,
    },
    clock,
  });
  const http = gatewayRoutes({
    config,
    logger,
    admin: adminGuard({ tokenHashes: config.ADMIN_TOKEN_HASHES, audit, ...foundation }),
    audit,
    broker,
    postgres,
    clock,
    limiter,
    callLog,
    upstreams,
    keyCache: createKeyCache({
      lookUp: lookUpInBatches((sha256s) => findKeyFacts(keyStore, sha256s)),
      changes: opened.use(
        startFollowingKeyChanges({ postgres: keyStore, unconfirmedMs: keysUnconfirmedMs, ...foundation }),
      ),
      maxBytes: (config.KEY_CACHE_MB * 1024 * 1024) / threads,
      unconfirmedMs: keysUnconfirmedMs,
    }),
    tokenFor,
    testClocks: opened.use(createTestClocks({ offersUrl: config.OFFERS_URL, tokenFor, ...foundation })),
    placementKeys: opened.use(
      startReadingPlacementKeys({
        postgres: keyStore,
        unconfirmedMs: keysUnconfirmedMs,
        elapsedMs: overrides.elapsedMs,
        ...foundation,
      }),
    ),
    placementTokenFor: createPlacementTokenMaker({ secret: config.OFFERS_CONTEXT_SECRET, clock }),
    organisations: manageOrganisations(administration),
    people: managePeople({ ...administration, publicUrl: config.PUBLIC_URL }),
    erasure: erasePeople(administration),
    terms: manageTerms(administration),
    keys: manageKeys(administration),
    placementKeyring: managePlacementKeys(administration),
    sessions: manageSessions({ postgres, logger }),
    signUp: opened.use(
      startSignUp({
        postgres,
        publicUrl: config.PUBLIC_URL,
        policy: config.SIGN_UP,
        ...foundation,
      }),
    ),
    signIn: opened.use(startSignIn({ postgres, publicUrl: config.PUBLIC_URL, ...foundation })),
    findCaller: (member) => findPortalCaller(postgres, member),
    readStatus,
    readCalls: callLogReader({ postgres, clock }),
  });
  const port =
    threads === 1 || further !== undefined ? config.PORT : await freePort(config.HOST, config.PORT);
  const furtherThreads: Threads | undefined =
    threads === 1 || further !== undefined
      ? undefined
      : opened.use(
          await startThreads({
            data: { config: { ...config, PORT: port }, memory, threads },
            callLog,
            readStatus,
            wakeOutbox: () => void postgres.committed.emit(outboxWritten),
            logger,
            metrics,
          }),
        );
  const server = opened.use(
    await startHttpServer({
      host: config.HOST,
      port,
      isPortShared: threads > 1,
      publicUrl: config.PUBLIC_URL,
      ...foundation,
      readMetrics: further?.readMetrics ?? furtherThreads?.metrics,
      // Always ready: without Postgres no other replica could do better, and the status page must be served; without the broker, events
      // wait in the outbox.
      readiness: async () => [],
      ...overrides.uploads,
      ...http,
    }),
  );
  const running = opened.move();
  return {
    url: server.url,
    metrics,
    drain: async () => void (await Promise.all([server.drain(), furtherThreads?.drain()])),
    [Symbol.asyncDispose]: async () => {
      // At the same time as this thread's server, so that their time to stop is the same.
      const furtherStop = furtherThreads?.[Symbol.asyncDispose]();
      await running.disposeAsync();
      await furtherStop;
    },
  };

  /** What happens once in a process. */
  async function startOnce(): Promise<Once> {
    const connected = opened.use(
      await connectBroker({
        url: config.RABBITMQ_URL,
        service: 'gateway',
        declarations: allEvents,
        ...foundation,
        namespace: overrides.brokerNamespace,
      }),
    );
    opened.use(startOutboxRelay({ postgres, broker: connected, ...foundation }));
    opened.use(startRetention({ postgres, ...foundation }));
    opened.use(startDroppingKeyChanges({ postgres, ...foundation }));
    opened.use(measureWaiting({ postgres, ...foundation }));
    const spool =
      config.CALL_SPOOL_FOLDER === undefined
        ? undefined
        : openCallSpool({ folder: config.CALL_SPOOL_FOLDER, logger });
    const log = startCallLog({ write: (calls) => insertCalls(postgres, calls), spool, ...foundation });
    return { broker: connected, connected: connected.connected, callLog: opened.use(log) };
  }
}

type Once = {
  readonly broker: Pick<Broker, 'types' | 'parked'>;
  readonly connected: () => boolean;
  readonly callLog: CallLog;
};

/** The same for a further thread, which asks the first one. */
function sharedByFirst(
  first: FurtherThread,
  o: { postgres: Postgres; metrics: Foundation['metrics'] },
): Once {
  o.postgres.committed.on(outboxWritten, first.wakeOutbox);
  const lost = countLostCalls(o.metrics);
  return {
    // The gateway consumes nothing, so it has nothing parked.
    broker: {
      types: allEvents.map(eventType),
      parked: { list: async () => [], replay: async () => 0, drop: async () => 0 },
    },
    connected: () => true,
    callLog: {
      record: (call, keyWasFound = true) => {
        if (!first.record(call, keyWasFound)) lost(1);
      },
      [Symbol.asyncDispose]: first.flushCalls,
    },
  };
}
