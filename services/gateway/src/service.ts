/** Composition root of the gateway: opens its parts in order and closes them in reverse order. */
import { type HttpServer, type HttpServerOptions } from '@offer-ads/platform/http/server';
import { startOutboxRelay } from '@offer-ads/platform/messaging/outbox-relay';
import { openPostgres } from '@offer-ads/platform/postgres/postgres';
import { createFoundation, type Foundation, type Overrides } from '@offer-ads/platform/process/foundation';
import type { RunningService } from '@offer-ads/platform/process/process';
import { connectServiceBroker, serve } from '@offer-ads/platform/process/serve';
import { erasePeople } from './accounts/erase-person.ts';
import { manageNotes } from './accounts/manage-notes.ts';
import { manageOrganisations } from './accounts/manage-organisations.ts';
import { managePeople } from './accounts/manage-people.ts';
import { manageSavedPlaces } from './accounts/manage-saved-places.ts';
import { manageTerms } from './accounts/manage-terms.ts';
import { measureWaiting } from './accounts/measure-waiting.ts';
import { callLogReader } from './call-log/call-log-reader.ts';
import { startRetention } from './call-log/call-retention.ts';
import { insertCalls } from './call-log/calls-store.ts';
import type { GatewayConfig } from './config.ts';
import { gatewayRoutes } from './http/routes.ts';
import { findKeyFacts, findPortalCaller } from './keys/keys-store.ts';
import { manageKeys } from './keys/manage-keys.ts';
import { managePlacementKeys } from './keys/manage-placement-keys.ts';
import { findPlacementKeyFacts } from './keys/placement-keys-store.ts';
import { listOutages, saveState } from './outages-store.ts';
import { startCallLog } from './public-api/call-log.ts';
import { createPlacementTokenMaker, createTokenMaker } from './public-api/caller-tokens.ts';
import { findByHash } from './public-api/find-key.ts';
import { startRequestLimiter } from './public-api/request-limiter.ts';
import { createTestClocks } from './public-api/test-clocks.ts';
import { createUpstream } from './public-api/upstream.ts';
import { manageSessions } from './sign-in/sessions.ts';
import { startSignIn } from './sign-in/sign-in.ts';
import { startSignUp } from './sign-up/sign-up.ts';
import { probeGauge, probeReadiness, probeState, watchDependencies } from './status.ts';

export type Gateway = RunningService & Pick<Foundation, 'metrics'> & Pick<HttpServer, 'url' | 'adminUrl'>;

/**
 * `limitsNamespace`: a prefix in the shared store. `limitsAnswerMs`: how long a request waits for that store. `elapsedMs`: the clock of the
 * status. `uploads`: how long a request may take to arrive.
 */
export type GatewayOverrides = Overrides & {
  readonly limitsNamespace?: string;
  readonly limitsAnswerMs?: number;
  readonly elapsedMs?: () => number;
  readonly uploads?: Pick<HttpServerOptions, 'uploadMs' | 'stallMs'>;
};

/** For look-ups of keys, and for what the status page asks. */
const maxKeyConnections = 5;

export async function startGateway(
  config: GatewayConfig,
  overrides: GatewayOverrides = {},
): Promise<Gateway> {
  const foundation = createFoundation('gateway', config.LOG_LEVEL, overrides);
  const { clock, logger, metrics } = foundation;
  await using opened = new AsyncDisposableStack();

  const address = { url: config.GATEWAY_DATABASE_URL };
  const postgres = opened.use(await openPostgres({ ...address, ...foundation }));
  // Only for look-ups of keys, so that the API continues when the portal's queries are slow. To plan one takes eight times as long as to run it.
  const keyPool = { pool: 'keys', maxConnections: maxKeyConnections, plansOnce: true };
  const keyStore = opened.use(await openPostgres({ ...address, ...foundation, ...keyPool }));
  const broker = opened.use(
    await connectServiceBroker({ service: 'gateway', url: config.RABBITMQ_URL, ...foundation }),
  );
  opened.use(startOutboxRelay({ postgres, broker, ...foundation }));
  opened.use(startRetention({ postgres, ...foundation }));
  opened.use(measureWaiting({ postgres, ...foundation }));
  const callLog = opened.use(startCallLog({ write: (calls) => insertCalls(postgres, calls), ...foundation }));
  const limiter = opened.use(
    await startRequestLimiter({
      storeUrl: config.VALKEY_URL,
      namespace: overrides.limitsNamespace ?? 'gateway',
      answerMs: overrides.limitsAnswerMs,
      ...foundation,
    }),
  );
  const upstreams = {
    offers: opened.use(createUpstream({ name: 'offers', baseUrl: config.OFFERS_URL, ...foundation })),
    pricing: opened.use(createUpstream({ name: 'pricing', baseUrl: config.PRICING_URL, ...foundation })),
    billing: opened.use(createUpstream({ name: 'billing', baseUrl: config.BILLING_URL, ...foundation })),
    notifier: opened.use(createUpstream({ name: 'notifier', baseUrl: config.NOTIFIER_URL, ...foundation })),
  };
  const readStatus = watchDependencies({
    probes: {
      postgres: probeState(() => keyStore.healthy()),
      rabbitmq: probeState(() => broker.connected()),
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
    outages: {
      save: (dependency) => saveState(postgres, dependency),
      list: () => listOutages(postgres, clock.now()),
    },
    elapsedMs: overrides.elapsedMs,
    ...foundation,
  });
  const administration = { postgres, clock };
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
    clock,
    limiter,
    callLog,
    upstreams,
    findKey: findByHash((sha256s) => findKeyFacts(keyStore, sha256s)),
    findPlacementKey: findByHash((sha256s) => findPlacementKeyFacts(keyStore, sha256s)),
    tokenFor,
    testClocks: opened.use(createTestClocks({ offersUrl: config.OFFERS_URL, tokenFor, ...foundation })),
    placementTokenFor: createPlacementTokenMaker({ secret: config.OFFERS_CONTEXT_SECRET, clock }),
    organisations: manageOrganisations(administration),
    people: managePeople({ ...administration, publicUrl: config.PUBLIC_URL }),
    erasure: erasePeople(administration),
    savedPlaces: manageSavedPlaces(administration),
    notes: manageNotes(administration),
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
  const server = await serve(opened, {
    config,
    store: postgres,
    broker,
    ...foundation,
    // Always ready: without Postgres no other replica could do better, and the status page must be served; without the broker, events
    // wait in the outbox.
    readiness: async () => [],
    ...overrides.uploads,
    ...http,
  });
  const running = opened.move();
  return { ...server, metrics, [Symbol.asyncDispose]: () => running.disposeAsync() };
}
