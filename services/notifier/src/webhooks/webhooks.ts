/** The parts of webhooks, put together. */
import type { Mongo } from '@offer-ads/platform/mongo/mongo';
import type { Clock } from '@offer-ads/platform/process/clock';
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import type { Metrics } from '@offer-ads/platform/telemetry/metrics';
import type { NotifierConfig } from '../config.ts';
import type { ContactsStore } from '../contacts-store.ts';
import type { NotificationsStore } from '../notifications-store.ts';
import { startWebhookDelivery } from './deliver-webhooks.ts';
import { openEndpointsStore } from './endpoints-store.ts';
import { endpointManager } from './manage-endpoints.ts';
import { openMessagesStore } from './messages-store.ts';
import { createPoster } from './post.ts';
import { webhookQueue } from './queue-messages.ts';
import { createSecretBox } from './secret-box.ts';
import { switchingOff } from './switch-off.ts';

export async function startWebhooks(o: {
  readonly mongo: Mongo;
  readonly contacts: ContactsStore;
  readonly notifications: NotificationsStore;
  readonly wakeMails: () => void;
  readonly config: Pick<NotifierConfig, 'PORTAL_URL' | 'WEBHOOK_SEAL_SECRET' | 'WEBHOOK_TEST_TARGETS'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
}) {
  const endpoints = await openEndpointsStore(o.mongo, o.clock);
  const messages = await openMessagesStore(o.mongo, o.clock);
  const stores = { endpoints, messages };
  const switchOff = switchingOff({ ...o, ...stores, portalUrl: o.config.PORTAL_URL });
  const box = createSecretBox(o.config.WEBHOOK_SEAL_SECRET);
  const testTargets = o.config.WEBHOOK_TEST_TARGETS;
  const delivery = startWebhookDelivery({
    ...o,
    ...stores,
    post: createPoster(),
    box,
    switchOff,
    testTargets,
  });
  return {
    queue: webhookQueue({ ...stores, wake: delivery.wake }),
    manage: endpointManager({ ...o, ...stores, switchOff, box, testTargets, wake: delivery.wake }),
    [Symbol.asyncDispose]: () => delivery[Symbol.asyncDispose](),
  };
}
