/** Turns events into messages for the endpoints that want them. Each has an id made of event and endpoint, so an event that repeats adds nothing. */
import type { ReceivedEvent } from '@offer-ads/platform/messaging/events';
import type { RestingTrace } from '@offer-ads/platform/telemetry/traces';
import {
  type WebhookCause,
  type WebhookSource,
  webhookSourceOf,
  webhookText,
} from '../domain/webhooks/webhook-messages.ts';
import type { Endpoint, EndpointsStore } from './endpoints-store.ts';
import { type MessagesStore, messageIdOf, type NewMessage } from './messages-store.ts';

/** An event that becomes mails or webhooks, with the trace in which they go on. */
export type Heard = Pick<ReceivedEvent, 'declaration' | 'id' | 'time' | 'data'> & {
  readonly trace: RestingTrace;
};

/** Stores the messages of several events. */
export type QueueWebhooks = (heard: readonly Heard[]) => Promise<void>;

export function webhookQueue(o: {
  readonly endpoints: Pick<EndpointsStore, 'ofOrganisations' | 'noteMessages'>;
  readonly messages: Pick<MessagesStore, 'add'>;
  /** Called after messages were added. */
  readonly wake: () => void;
}): QueueWebhooks {
  return async (heard) => {
    const causes = heard.flatMap((event) => {
      const source = webhookSourceOf(event.declaration);
      return source === undefined ? [] : { source, event };
    });
    if (causes.length === 0) return;
    const known = await o.endpoints.ofOrganisations(causes.map(({ event }) => causeOf(event).organisationId));
    const messages = causes.flatMap((one) =>
      known.filter((endpoint) => wants(endpoint, one)).map((endpoint) => messageFor(endpoint, one)),
    );
    if (messages.length === 0) return;
    await o.messages.add(messages);
    // If the process is killed before this, the event repeats.
    await o.endpoints.noteMessages([...new Set(messages.map(({ endpointId }) => endpointId))]);
    o.wake();
  };
}

type Cause = { readonly event: Heard; readonly source: WebhookSource };

function wants({ organisationId, mode, types }: Endpoint, { source, event }: Cause): boolean {
  const cause = causeOf(event);
  const isItsOwn = organisationId === cause.organisationId && mode === cause.mode;
  return isItsOwn && (types === undefined || types.includes(source.type));
}

/** What happens while an endpoint is off can be sent when it is on again. */
function messageFor(endpoint: Endpoint, { source, event }: Cause): NewMessage {
  return {
    id: messageIdOf(event.id, endpoint.id),
    endpointId: endpoint.id,
    type: source.type,
    body: webhookText(source.type, event.time, source.dataOf(event.data)),
    state: endpoint.state === 'on' ? 'pending' : 'missed',
    trace: event.trace,
  };
}

function causeOf({ data }: Heard): WebhookCause {
  return data as WebhookCause;
}
