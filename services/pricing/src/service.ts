/** Composition root of pricing: stores, consumers, rates and routes. */
import type { HttpServer } from '@offer-ads/platform/http/server';
import { mongoAudit } from '@offer-ads/platform/mongo/audit-store';
import { openMongo } from '@offer-ads/platform/mongo/mongo';
import { createFoundation, type Overrides } from '@offer-ads/platform/process/foundation';
import { startLoop } from '@offer-ads/platform/process/loops';
import type { RunningService } from '@offer-ads/platform/process/process';
import { connectServiceBroker, serve } from '@offer-ads/platform/process/serve';
import { openAudience } from './audience/open-audience.ts';
import { openSandbox } from './audience/sandbox.ts';
import type { PricingConfig } from './config.ts';
import { subscriptions } from './consumers.ts';
import { mountAdminRoutes } from './http/admin-routes.ts';
import { estimateFastPath } from './http/estimate-fast-path.ts';
import { mountPriceRoutes } from './http/price-routes.ts';
import { cacheInterests } from './members/cached-interests.ts';
import { openInterestsStore } from './members/interests-store.ts';
import { openMembersStore } from './members/members-store.ts';
import { openPrivacyBudgets } from './privacy-budget/privacy-budgets.ts';
import { openSpendingStore } from './privacy-budget/spending-store.ts';
import { cacheRates } from './rates/cached-rates.ts';
import { openRatesStore } from './rates/rates-store.ts';
import { ratesRefresher } from './rates/refresh-rates.ts';
import { ratesWatch } from './rates/watch-rates.ts';

/** Usually fetches nothing: only while a fixing is due that is not stored yet, and after growing pauses. */
const LOOK_FOR_RATES_EVERY_MS = 5_000;
/** One replica's change or spending reaches all others within this time. A few small reads. */
const SHARE_EVERY_MS = 2_000;

export type PricingService = RunningService & Pick<HttpServer, 'url' | 'adminUrl'>;

/** @param overrides `shareEveryMs`: replaces SHARE_EVERY_MS */
export async function startPricing(
  config: PricingConfig,
  overrides: Overrides & { readonly shareEveryMs?: number } = {},
): Promise<PricingService> {
  const foundation = createFoundation('pricing', config.LOG_LEVEL, overrides);
  const { clock } = foundation;
  const { shareEveryMs = SHARE_EVERY_MS } = overrides;
  // If the start fails before `move`, everything opened so far is closed.
  await using opened = new AsyncDisposableStack();

  const mongo = opened.use(await openMongo({ url: config.MONGO_URL, ...foundation }));
  const members = openMembersStore(mongo.connection);
  const audience = opened.use(
    await openAudience({ engine: config.AUDIENCE_ENGINE, mongo, mongoUrl: config.MONGO_URL, ...foundation }),
  );

  const interests = await cacheInterests(openInterestsStore(mongo.connection));
  const ratesStore = openRatesStore(mongo.connection);
  const rates = await cacheRates(ratesStore);
  const readCached = async () => void (await Promise.all([rates.refresh(), interests.refresh()]));
  opened.use(startLoop({ name: 'read-cached', everyMs: shareEveryMs, work: readCached, ...foundation }));

  const refresher = ratesRefresher({
    url: config.RATES_URL,
    store: ratesStore,
    cached: rates,
    ...foundation,
  });
  const watchRates = ratesWatch({ cached: rates, ...foundation });
  opened.use(
    startLoop({
      name: 'refresh-rates',
      everyMs: LOOK_FOR_RATES_EVERY_MS,
      work: (signal) => refresher.refreshWhenDue(signal).finally(watchRates),
      ...foundation,
    }),
  );

  const broker = opened.use(
    await connectServiceBroker({ service: 'pricing', url: config.RABBITMQ_URL, ...foundation }),
  );
  await broker.consume(subscriptions({ members, interests }, foundation.metrics));

  const privacyBudgets = opened.use(
    openPrivacyBudgets({
      perDay: config.PRIVACY_BUDGET_PER_DAY,
      per30Days: config.PRIVACY_BUDGET_PER_30_DAYS,
      minCohort: config.AUDIENCE_MIN_COHORT,
      secret: config.COUNT_STEPS_SECRET,
      store: await openSpendingStore(mongo.connection),
      shareEveryMs,
      ...foundation,
    }),
  );

  const prices = {
    contextSecret: config.PRICING_CONTEXT_SECRET,
    clock,
    audience,
    sandbox: openSandbox(config.SANDBOX_MEMBERS),
    rates,
    interests,
    privacyBudgets,
    minCohort: config.AUDIENCE_MIN_COHORT,
  };
  const server = await serve(opened, {
    config,
    store: await mongoAudit(mongo),
    broker,
    ...foundation,
    // Readiness does not include the broker: estimates do not need it, and its messages wait in their queue.
    readiness: audience.waitsFor,
    fastPath: estimateFastPath(prices),
    routes: (app) => mountPriceRoutes(app, prices),
    adminRoutes: (app, admin) => {
      mountAdminRoutes(app, { admin, clock, members, audience, rates, refresher });
    },
  });
  const running = opened.move();
  return { ...server, [Symbol.asyncDispose]: () => running.disposeAsync() };
}
