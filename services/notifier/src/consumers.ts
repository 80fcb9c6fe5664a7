/** Maps each event to its function. */
import { OrganisationChanged, OrganisationRegistered } from '@offer-ads/contracts/events/gateway';
import { on, onShared, type Subscription } from '@offer-ads/platform/messaging/broker/broker';
import { announcer, learnContact } from './announce.ts';
import { announcements } from './domain/announcements.ts';
import { webhookSources } from './domain/webhooks/webhook-messages.ts';
import type { Notifier } from './notifier.ts';
import type { QueueWebhooks } from './webhooks/queue-messages.ts';

export function subscriptions(notifier: Notifier, queueWebhooks: QueueWebhooks): readonly Subscription[] {
  const announce = announcer(notifier);
  const toldOnly = webhookSources.filter(
    ({ declaration }) => !announcements.some((announcement) => announcement.declaration === declaration),
  );
  return [
    on(OrganisationRegistered, (event) => learnContact(notifier, event)),
    on(OrganisationChanged, (event) => learnContact(notifier, event)),
    ...announcements.map((announcement) =>
      onShared(announcement.declaration, async (event) => {
        const source = webhookSources.find(({ declaration }) => declaration === announcement.declaration);
        // Both do nothing the second time, so the event may repeat when one of them fails.
        await Promise.all([announce(announcement, event), source && queueWebhooks(source, event)]);
      }),
    ),
    ...toldOnly.map((source) => onShared(source.declaration, (event) => queueWebhooks(source, event))),
  ];
}
