/** Which events become mails and webhooks. Events that come within a moment are stored together. */
import type { EventDeclaration } from '@offer-ads/contracts/events/event-declaration';
import { OrganisationChanged, OrganisationRegistered } from '@offer-ads/contracts/events/gateway';
import { on, onBatches, type Subscription } from '@offer-ads/platform/messaging/broker/broker';
import type { ReceivedEvent } from '@offer-ads/platform/messaging/events';
import { orUnavailable } from '@offer-ads/platform/mongo/mongo-faults';
import { inSpan, restingTrace } from '@offer-ads/platform/telemetry/traces';
import { announce, learnContact } from './announce.ts';
import { announcements } from './domain/announcements.ts';
import { webhookSources } from './domain/webhooks/webhook-messages.ts';
import type { Notifier } from './notifier.ts';
import type { Heard } from './webhooks/queue-messages.ts';

/** Thousands may wait, and a transaction must end within seconds. */
const atMost = 50;

export function subscriptions(notifier: Notifier): readonly Subscription[] {
  const declarations = [...announcements, ...webhookSources].map(({ declaration }) => declaration);
  return [
    on(OrganisationRegistered, (event) => learnContact(notifier, event)),
    on(OrganisationChanged, (event) => learnContact(notifier, event)),
    ...onBatches([...new Set<EventDeclaration>(declarations)], {
      atMost,
      handle: async (events) => hear(notifier, await Promise.all(events.map(heardInItsTrace))),
    }),
  ];
}

/**
 * Neither adds anything the second time, so the events may come again when one of them fails.
 * @throws {Fault} 503 while MongoDB is away: the events are put off
 */
export async function hear(notifier: Notifier, heard: readonly Heard[]): Promise<void> {
  await Promise.all([announce(notifier, heard), orUnavailable(notifier.queueWebhooks(heard))]);
}

/** Mails and webhooks go on in the trace of their event. A batch of several has another one. */
async function heardInItsTrace(event: ReceivedEvent, _: number, batch: readonly unknown[]): Promise<Heard> {
  if (batch.length === 1) return { ...event, trace: restingTrace() };
  const span = { name: 'notifier process', kind: 'CONSUMER', parent: event.trace } as const;
  return inSpan(span, async () => ({ ...event, trace: restingTrace() }));
}
