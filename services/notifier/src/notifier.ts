/** The dependencies of announcing. */

import type { Mongo } from '@offer-ads/platform/mongo/mongo';
import type { Clock } from '@offer-ads/platform/process/clock';
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import type { NotifierConfig } from './config.ts';
import { type ContactsStore, contactsStore } from './contacts-store.ts';
import { type ErasureStore, erasureStore } from './erasure-store.ts';
import type { NotificationsStore } from './notifications-store.ts';
import { type PreferencesStore, preferencesStore } from './preferences-store.ts';
import { type UnsentStore, unsentStore } from './unsent-store.ts';
import { type UnsubscribeLinks, unsubscribeLinks } from './unsubscribe-links.ts';
import { type WaitingStore, waitingStore } from './waiting-store.ts';

export type Notifier = {
  readonly mongo: Mongo;
  readonly contacts: ContactsStore;
  readonly preferences: PreferencesStore;
  readonly notifications: Pick<NotificationsStore, 'add'>;
  readonly waiting: WaitingStore;
  readonly unsent: UnsentStore;
  readonly erasure: ErasureStore;
  readonly unsubscribing: UnsubscribeLinks;
  readonly portalUrl: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called after notifications were added. */
  readonly wakeDelivery: () => void;
};

type Given = Pick<Notifier, 'mongo' | 'notifications' | 'clock' | 'logger' | 'wakeDelivery'> & {
  readonly config: Pick<NotifierConfig, 'PORTAL_URL' | 'UNSUBSCRIBE_SECRET'>;
};

export function notifierOn({ mongo, notifications, clock, logger, wakeDelivery, config }: Given): Notifier {
  const portalUrl = config.PORTAL_URL;
  return {
    mongo,
    notifications,
    clock,
    logger,
    wakeDelivery,
    portalUrl,
    contacts: contactsStore(mongo),
    preferences: preferencesStore(mongo),
    waiting: waitingStore(mongo),
    unsent: unsentStore(mongo),
    erasure: erasureStore(mongo),
    unsubscribing: unsubscribeLinks({ secret: config.UNSUBSCRIBE_SECRET, portalUrl }),
  };
}
