/** Which events become mails and webhooks. Events that come within a moment are stored together. */
import type { EventDeclaration } from '@offer-ads/contracts/events/event-declaration';
import { OrganisationChanged, OrganisationRegistered } from '@offer-ads/contracts/events/gateway';
import { on, onShared, type Subscription } from '@offer-ads/platform/messaging/broker/broker';
import { restingTrace } from '@offer-ads/platform/telemetry/traces';
import { announce, learnContact } from './announce.ts';
import { announcementOf, announcements } from './domain/announcements.ts';
import { webhookSources } from './domain/webhooks/webhook-messages.ts';
import { groupWrites } from './due-work.ts';
import type { Notifier } from './notifier.ts';
import type { Heard } from './webhooks/queue-messages.ts';

/** A transaction, and the claim of its mails, take several round trips however many events they are for. Nobody notices that a mail leaves this much later. */
const usualGatherMs = 200;
/** Thousands may wait, and a transaction must end within seconds. */
const atOnce = 50;

export function subscriptions(notifier: Notifier): readonly Subscription[] {
  const hear = hearing(notifier);
  const declarations = [...announcements, ...webhookSources].map(({ declaration }) => declaration);
  return [
    on(OrganisationRegistered, (event) => learnContact(notifier, event)),
    on(OrganisationChanged, (event) => learnContact(notifier, event)),
    ...[...new Set<EventDeclaration>(declarations)].map((declaration) =>
      onShared(declaration, (event) => hear(declaration.name, event)),
    ),
  ];
}

export function hearing(notifier: Notifier, gatherMs = usualGatherMs) {
  const store = groupWrites<Heard>({
    atMost: atOnce,
    lingerMs: gatherMs,
    // Neither adds anything the second time, so a group may come again when one of them fails.
    write: (group) => Promise.all([announce(notifier, group), notifier.queueWebhooks(group)]),
  });
  return (eventName: string, event: Heard['event']): Promise<void> => {
    const announcement = announcementOf(eventName);
    const source = webhookSources.find(({ declaration }) => declaration.name === eventName);
    return store({ announcement, source, event, trace: restingTrace() });
  };
}
