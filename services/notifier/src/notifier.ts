/** The dependencies of announcing. */
import type { Mongo } from '@offer-ads/platform/mongo/mongo';
import type { Clock } from '@offer-ads/platform/process/clock';
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import type { NotifierConfig } from './config.ts';
import { contactsStore } from './contacts-store.ts';
import { erasureStore } from './erasure-store.ts';
import type { NotificationsStore } from './notifications-store.ts';
import { preferencesStore } from './preferences-store.ts';
import { unsubscribeLinks } from './unsubscribe-links.ts';
import { waitingStore } from './waiting-store.ts';
import type { QueueWebhooks } from './webhooks/queue-messages.ts';

export type Notifier = ReturnType<typeof notifierOn>;

export function notifierOn({
  config,
  ...given
}: {
  readonly mongo: Mongo;
  readonly notifications: Pick<NotificationsStore, 'add' | 'redirect'>;
  readonly queueWebhooks: QueueWebhooks;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called after notifications were added. */
  readonly wakeDelivery: () => void;
  readonly config: Pick<NotifierConfig, 'PORTAL_URL' | 'UNSUBSCRIBE_SECRET'>;
}) {
  const { mongo } = given;
  const portalUrl = config.PORTAL_URL;
  return {
    ...given,
    portalUrl,
    contacts: contactsStore(mongo),
    preferences: preferencesStore(mongo),
    waiting: waitingStore(mongo),
    erasure: erasureStore(mongo),
    unsubscribing: unsubscribeLinks({ secret: config.UNSUBSCRIBE_SECRET, portalUrl }),
  };
}
