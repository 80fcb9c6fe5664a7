/** Maps each event to its function. */
import { OrganisationChanged, OrganisationRegistered } from '@offer-ads/contracts/events/gateway';
import { on, onShared, type Subscription } from '@offer-ads/platform/messaging/broker/broker';
import { announcer, learnContact } from './announce.ts';
import { announcements } from './domain/announcements.ts';
import type { Notifier } from './notifier.ts';

export function subscriptions(notifier: Notifier): readonly Subscription[] {
  const announce = announcer(notifier);
  return [
    on(OrganisationRegistered, (event) => learnContact(notifier, event)),
    on(OrganisationChanged, (event) => learnContact(notifier, event)),
    ...announcements.map((announcement) =>
      onShared(announcement.declaration, (event) => announce(announcement, event)),
    ),
  ];
}
