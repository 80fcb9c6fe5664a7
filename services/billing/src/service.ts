/** Composition root of billing. */
import { startInboxPruning } from '@offer-ads/platform/messaging/inbox';
import { startOutboxRelay } from '@offer-ads/platform/messaging/outbox-relay';
import { openPostgres } from '@offer-ads/platform/postgres/postgres';
import { createFoundation, type Overrides } from '@offer-ads/platform/process/foundation';
import { startLoop } from '@offer-ads/platform/process/loops';
import type { RunningService } from '@offer-ads/platform/process/process';
import { connectServiceBroker, serve } from '@offer-ads/platform/process/serve';
import type { Billing } from './billing.ts';
import type { BillingConfig } from './config.ts';
import { subscriptions } from './consumers.ts';
import type { Seller } from './domain/invoices/invoice.ts';
import { adminRoutes } from './http/admin-routes.ts';
import { balanceRoutes } from './http/balance-routes.ts';
import { internalRoutes } from './http/internal-routes.ts';
import { invoiceRoutes } from './http/invoice-routes.ts';
import { payRoutes } from './http/pay-routes.ts';
import { webhookRoutes } from './http/webhook-routes.ts';
import { createPdfMaker } from './invoices/documents/pdf-maker.ts';
import { nameBuyers } from './invoices/invoices-store.ts';
import { watchLedger } from './ledger/watch-ledger.ts';
import { billingMeters } from './meters.ts';
import { closePayablePages, reconcileCheckouts } from './payments/reconcile.ts';
import { watchReversals } from './reversals/watch-reversals.ts';
import { openStripe, type StripeKeys } from './stripe/client.ts';
import { findMissedEvents } from './webhooks/find-missed-events.ts';

export type RunningBilling = RunningService & {
  readonly url: string;
  readonly adminUrl: string;
  /** Runs a round of reconciliation now instead of within a minute. */
  readonly reconcile: () => Promise<void>;
};

export async function startBilling(
  config: BillingConfig,
  overrides: Overrides = {},
): Promise<RunningBilling> {
  const foundation = createFoundation('billing', config.LOG_LEVEL, overrides);
  const { clock, logger } = foundation;
  // Disposed in reverse order: first requests stop, then events and rounds, then the outbox, then the connections.
  await using started = new AsyncDisposableStack();

  const postgres = started.use(
    await openPostgres({
      url: config.BILLING_DATABASE_URL,
      ...foundation,
    }),
  );
  const broker = started.use(
    await connectServiceBroker({ service: 'billing', url: config.RABBITMQ_URL, ...foundation }),
  );
  started.use(startOutboxRelay({ postgres, broker, ...foundation }));
  started.use(startInboxPruning({ postgres, ...foundation }));

  const stripe = started.use(
    openStripe({ keys: stripeKeysOf(config), apiUrl: config.STRIPE_API_URL, ...foundation }),
  );
  const billing: Billing = {
    postgres,
    stripe,
    publicUrl: config.PUBLIC_URL,
    portalUrl: config.PORTAL_URL,
    seller: sellerOf(config),
    meters: billingMeters(foundation.metrics),
    clock,
    logger,
  };
  await broker.consume(subscriptions(billing));
  started.defer(() => broker.stopConsuming());
  const every = (everyMs: number, name: string, work: (signal: AbortSignal) => Promise<void>) =>
    started.use(startLoop({ name, everyMs, work, ...foundation }));
  const reconciliation = every(60_000, 'checkout-reconciliation', (signal) =>
    reconcileCheckouts(billing, signal),
  );
  // Nobody should pay for an offer that has ended: five seconds after its end, its page is closed.
  every(1_000, 'payable-pages', (signal) => closePayablePages(billing, signal));
  every(60_000, 'missed-events', (signal) => findMissedEvents(billing, signal));
  every(60_000, 'invoice-buyers', async () => {
    const named = await nameBuyers(postgres);
    if (named > 0) logger.info({ named }, 'invoices got the names of their organisations');
  });
  started.use(watchLedger({ postgres, ...foundation }));
  started.use(watchReversals({ postgres, ...foundation }));

  const pdfs = started.use(createPdfMaker());
  const server = await serve(started, {
    config,
    store: postgres,
    broker,
    ...foundation,
    // Readiness does not include the broker: offers are sold without it, and events wait in the outbox.
    readiness: async () => ((await postgres.healthy()) ? [] : ['postgres does not answer']),
    routes: (app) => {
      webhookRoutes(app, billing);
      payRoutes(app, billing);
      invoiceRoutes(app, billing, pdfs, config.BILLING_CONTEXT_SECRET);
      balanceRoutes(app, billing, config.BILLING_CONTEXT_SECRET);
      internalRoutes(app, billing, config.BILLING_CONTEXT_SECRET);
    },
    adminRoutes: (app, admin) => {
      adminRoutes(app, billing, pdfs, admin);
    },
  });
  const running = started.move();
  return {
    url: server.url,
    adminUrl: server.adminUrl,
    reconcile: reconciliation.runNow,
    drain: server.drain,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

function sellerOf(config: BillingConfig): Seller {
  return {
    name: config.SELLER_NAME,
    address: config.SELLER_ADDRESS,
    vatNumber: config.SELLER_VAT_NUMBER,
  };
}

/** Each mode has its own Stripe keys. */
function stripeKeysOf(config: BillingConfig): Record<'TEST' | 'LIVE', StripeKeys> {
  return {
    TEST: { secretKey: config.STRIPE_TEST_SECRET_KEY, webhookSecret: config.STRIPE_TEST_WEBHOOK_SECRET },
    LIVE: { secretKey: config.STRIPE_LIVE_SECRET_KEY, webhookSecret: config.STRIPE_LIVE_WEBHOOK_SECRET },
  };
}
