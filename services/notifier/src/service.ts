/** Composition root of the notifier. */
import { readFileSync } from 'node:fs';
import type { HttpServer } from '@offer-ads/platform/http/server';
import { prepareMongoInbox } from '@offer-ads/platform/messaging/mongo-inbox';
import { mongoAudit } from '@offer-ads/platform/mongo/audit-store';
import { openMongo } from '@offer-ads/platform/mongo/mongo';
import { forRequests } from '@offer-ads/platform/mongo/mongo-faults';
import { createFoundation, type Overrides } from '@offer-ads/platform/process/foundation';
import type { RunningService } from '@offer-ads/platform/process/process';
import { connectServiceBroker, serve } from '@offer-ads/platform/process/serve';
import { openBouncesStore } from './bounces-store.ts';
import type { NotifierConfig } from './config.ts';
import { subscriptions } from './consumers.ts';
import { contactsStore } from './contacts-store.ts';
import { startDelivery } from './deliver.ts';
import { erasureRoutes } from './http/erasure-routes.ts';
import { notificationAdminRoutes } from './http/notification-admin-routes.ts';
import { preferenceRoutes } from './http/preference-routes.ts';
import { unsubscribeRoutes } from './http/unsubscribe-routes.ts';
import { webhookAdminRoutes } from './http/webhook-admin-routes.ts';
import { webhookRoutes } from './http/webhook-routes.ts';
import { measureUnsent } from './measure-unsent.ts';
import { openNotificationsStore } from './notifications-store.ts';
import { notifierOn } from './notifier.ts';
import { registerStore } from './register-store.ts';
import { messageIdOf, openMailer } from './smtp/mailer.ts';
import { startWebhookDelivery } from './webhooks/deliver-webhooks.ts';
import { openEndpointsStore } from './webhooks/endpoints-store.ts';
import { endpointManager } from './webhooks/manage-endpoints.ts';
import { openMessagesStore } from './webhooks/messages-store.ts';
import { createPoster } from './webhooks/post.ts';
import { webhookQueue } from './webhooks/queue-messages.ts';
import { createSecretBox } from './webhooks/secret-box.ts';
import { switchingOff } from './webhooks/switch-off.ts';

export async function startNotifier(
  config: NotifierConfig,
  overrides: Overrides = {},
): Promise<RunningService & Pick<HttpServer, 'url' | 'adminUrl'>> {
  const foundation = createFoundation('notifier', config.LOG_LEVEL, overrides);
  const { clock } = foundation;
  // Disposed in reverse order: first requests stop, then events, then running mails, then the connections.
  await using started = new AsyncDisposableStack();

  const mongo = started.use(await openMongo({ url: config.MONGO_URL, ...foundation }));
  await prepareMongoInbox(mongo);
  const notifications = await openNotificationsStore(mongo, clock);
  const bounces = await openBouncesStore(mongo);
  const limits = { connections: config.SMTP_CONNECTIONS, perSecond: config.SMTP_RATE_PER_SECOND };
  const mailer = started.use(
    openMailer({
      smtpUrl: config.SMTP_URL,
      tls: config.SMTP_TLS,
      authorities: config.SMTP_CA_FILE === undefined ? undefined : readFileSync(config.SMTP_CA_FILE, 'utf8'),
      from: config.MAIL_FROM,
      ...limits,
    }),
  );
  const contacts = contactsStore(mongo);
  const delivery = started.use(
    startDelivery({ ...limits, notifications, bounces, contacts, mailer, ...foundation }),
  );
  const register = registerStore(mongo, clock);
  const stores = {
    contacts,
    notifications,
    endpoints: await openEndpointsStore(mongo, clock),
    messages: await openMessagesStore(mongo, clock),
  };
  started.use(measureUnsent({ register, ...stores, ...foundation }));
  const portalUrl = config.PORTAL_URL;
  const endpointRules = {
    ...foundation,
    ...stores,
    switchOff: switchingOff({ mongo, ...stores, portalUrl, wakeMails: delivery.wake }),
    box: createSecretBox(config.WEBHOOK_SEAL_SECRET),
    testTargets: config.WEBHOOK_TEST_TARGETS,
  };
  const webhooks = started.use(startWebhookDelivery({ ...endpointRules, post: createPoster() }));
  const broker = started.use(
    await connectServiceBroker({ service: 'notifier', url: config.RABBITMQ_URL, ...foundation }),
  );
  const notifier = notifierOn({
    mongo,
    notifications,
    queueWebhooks: webhookQueue({ ...stores, wake: webhooks.wake }),
    wakeDelivery: delivery.wake,
    config,
    ...foundation,
  });
  await broker.consume(subscriptions(notifier));
  const contextSecret = config.NOTIFIER_CONTEXT_SECRET;
  const preferences = forRequests(notifier.preferences);
  const manage = forRequests(endpointManager({ ...endpointRules, wake: webhooks.wake }));
  const server = await serve(started, {
    config,
    store: await mongoAudit(mongo),
    broker,
    ...foundation,
    // Readiness does not include the mail server: without it mails wait, and the service still works.
    readiness: async () => [
      ...((await mongo.healthy()) ? [] : ['mongo does not answer']),
      ...(broker.connected() ? [] : ['the broker is not connected']),
    ],
    routes: (app) => {
      preferenceRoutes(app, { preferences, clock }, contextSecret);
      webhookRoutes(app, {
        manage,
        clock,
        contextSecret,
        senderAddresses: config.WEBHOOK_SENDER_ADDRESSES ?? null,
      });
      unsubscribeRoutes(app, { ...notifier, preferences, contacts: forRequests(contacts) });
    },
    adminRoutes: (app, admin) => {
      notificationAdminRoutes(app, {
        register: forRequests(register),
        bounces: forRequests(bounces),
        messageIdOf: (id) => messageIdOf(id, config.MAIL_FROM),
        wakeDelivery: delivery.wake,
        admin,
      });
      erasureRoutes(app, { erasure: forRequests(notifier.erasure), admin });
      webhookAdminRoutes(app, { manage, admin });
    },
  });
  const running = started.move();
  return { ...server, [Symbol.asyncDispose]: () => running.disposeAsync() };
}
