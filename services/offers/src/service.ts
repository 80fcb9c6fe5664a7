/** Composition root: starts the parts of offers and stops them in reverse order. */
import { startInboxPruning } from '@offer-ads/platform/messaging/inbox';
import { startOutboxRelay } from '@offer-ads/platform/messaging/outbox-relay';
import { openPostgres } from '@offer-ads/platform/postgres/postgres';
import { createFoundation, type Overrides } from '@offer-ads/platform/process/foundation';
import { createKeyedSemaphore } from '@offer-ads/platform/process/keyed-semaphore';
import type { Loop } from '@offer-ads/platform/process/loops';
import type { RunningService } from '@offer-ads/platform/process/process';
import { connectServiceBroker, serve } from '@offer-ads/platform/process/serve';
import { imageStoreOf, type OffersConfig } from './config.ts';
import { subscriptions } from './consumers.ts';
import type { OffersContext } from './context.ts';
import { mountAdminRoutes } from './http/admin-routes.ts';
import { mountClickRoute } from './http/click-route.ts';
import { mountImageRoute } from './http/image-route.ts';
import { placementsFastPath } from './http/placements-route.ts';
import { mountPortalRoutes } from './http/portal-routes.ts';
import { mountOfferRoutes } from './http/routes.ts';
import { mountRunningOffersRoute } from './http/running-offers-route.ts';
import { mountTestClockRoutes } from './http/test-clock-routes.ts';
import { mountViewsRoute } from './http/views-route.ts';
import { imageAddresses } from './images/addresses.ts';
import { databaseId } from './images/images-store.ts';
import { openImageStore } from './images/open.ts';
import { type ImageRemoval, startImageRemoval } from './images/removal.ts';
import { createRenditions } from './images/renditions.ts';
import { type Sweeper, startSweeper } from './lifecycle/sweeper.ts';
import { watchLiveOffers } from './lifecycle/watch-live-offers.ts';
import { offersMeters } from './meters.ts';
import { connectOtherServices } from './other-services.ts';
import { type FollowedOffers, followLiveOffers } from './placements/follow-live-offers.ts';
import { TEST_ROOM } from './placements/live-offers.ts';
import { type ShowingsOfViewers, showingsOfViewers } from './placements/showings.ts';
import { startPruning } from './pruning.ts';
import { clickTargets } from './traffic/click-targets.ts';
import { type Clicks, startClicks } from './traffic/clicks.ts';
import { gatherTraffic } from './traffic/gathered-intake.ts';
import { placementTokens } from './traffic/tokens.ts';

export type Offers = RunningService & {
  readonly url: string;
  readonly adminUrl: string;
  readonly sweeper: Sweeper;
  readonly imageRemoval: ImageRemoval;
  readonly clicks: Clicks;
  readonly followed: FollowedOffers;
  readonly showings: ShowingsOfViewers;
  readonly pruning: Loop;
};

/** Running creations per organisation and mode. One more is refused before any work is done for it (decision 161, bounded queues). */
const CREATIONS = { of: 'creations', atOnce: 64, waiting: 0 };
/** One holds the lock of the quota, and the next waits for it in the database, so that the lock is never idle. All others may wait here. */
const RESERVATIONS = { of: 'reservations', atOnce: 2, waiting: CREATIONS.atOnce - 2 };

export async function startOffers(config: OffersConfig, overrides: Overrides = {}): Promise<Offers> {
  const foundation = createFoundation('offers', config.LOG_LEVEL, overrides);
  const { clock, logger, metrics } = foundation;
  await using started = new AsyncDisposableStack();

  const postgres = started.use(
    await openPostgres({
      url: config.OFFERS_DATABASE_URL,
      ...foundation,
    }),
  );
  const otherServices = started.use(connectOtherServices(config, foundation));
  const context: OffersContext = {
    postgres,
    contextSecret: config.OFFERS_CONTEXT_SECRET,
    otherServices,
    creations: createKeyedSemaphore(CREATIONS),
    reservations: createKeyedSemaphore(RESERVATIONS),
    freeLiveOffersPerDay: config.FREE_LIVE_OFFERS_PER_DAY,
    images: started.use(await openImageStore(imageStoreOf(config), await databaseId(postgres), foundation)),
    addresses: imageAddresses({ secret: config.IMAGE_URL_SECRET, publicUrl: config.PUBLIC_URL }),
    tokens: placementTokens({ secret: config.PLACEMENT_TOKEN_SECRET, publicUrl: config.PUBLIC_URL }),
    clock,
    logger,
    metrics,
    meters: offersMeters(metrics),
  };
  const broker = started.use(
    await connectServiceBroker({ service: 'offers', url: config.RABBITMQ_URL, ...foundation }),
  );
  started.use(startOutboxRelay({ postgres, broker, ...foundation }));
  await broker.consume(subscriptions(context));
  // Before the outbox is published for the last time, because consumers write into it.
  started.defer(() => broker.stopConsuming());
  started.use(startInboxPruning({ postgres, ...foundation }));
  const pruning = started.use(startPruning(context));
  started.use(watchLiveOffers(context));
  const views = started.use(gatherTraffic({ ...context, kind: 'view' }));
  const clicks = started.use(startClicks(context));
  const followed = started.use(
    followLiveOffers({
      ...context,
      staleAfterMs: config.PLACEMENTS_STALE_SECONDS * 1_000,
      room: { LIVE: config.PLACEMENTS_LIVE_OFFERS, TEST: TEST_ROOM },
    }),
  );
  const showings = started.use(showingsOfViewers(context));
  const sweeper = started.use(startSweeper(context));
  const imageRemoval = started.use(startImageRemoval(context));
  const server = await serve(started, {
    config,
    store: postgres,
    broker,
    ...foundation,
    // Readiness does not include the broker: offers are sold without it, and their events wait in the outbox.
    readiness: async () => ((await postgres.healthy()) ? [] : ['the database does not answer']),
    fastPath: placementsFastPath({
      ...context,
      followed,
      showings,
      settings: { perViewerAndDay: config.PLACEMENTS_PER_VIEWER_AND_DAY },
    }),
    routes: (app) => {
      mountImageRoute(app, { ...context, renditions: createRenditions(context) });
      mountClickRoute(app, { ...context, clicks, targets: clickTargets({ postgres, followed }) });
      mountRunningOffersRoute(app, context);
      mountViewsRoute(app, { ...context, views });
      mountPortalRoutes(app, context);
      mountTestClockRoutes(app, context);
      mountOfferRoutes(app, context);
    },
    adminRoutes: (app, admin) => {
      mountAdminRoutes(app, { ...context, admin });
    },
  });
  const running = started.move();
  return {
    url: server.url,
    adminUrl: server.adminUrl,
    sweeper,
    imageRemoval,
    clicks,
    followed,
    showings,
    pruning,
    drain: server.drain,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
