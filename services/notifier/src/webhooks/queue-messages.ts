/** Turns events into messages for the endpoints that want them. Each has an id made of event and endpoint, so an event that repeats adds nothing. */
import type { ReceivedEvent } from '@offer-ads/platform/messaging/events';
import { type RestingTrace, restingTrace } from '@offer-ads/platform/telemetry/traces';
import { type WebhookCause, type WebhookSource, webhookText } from '../domain/webhooks/webhook-messages.ts';
import { groupWrites } from '../group-writes.ts';
import type { Endpoint, EndpointsStore } from './endpoints-store.ts';
import { type MessagesStore, messageIdOf, type NewMessage } from './messages-store.ts';

/** Most organisations have no endpoint. Events of the same moment share the question which of them have one. */
const usualGatherMs = 50;
const atOnce = 50;

type Heard = {
  readonly source: WebhookSource;
  readonly event: Pick<ReceivedEvent, 'id' | 'time' | 'data'>;
  readonly trace: RestingTrace;
};

export type QueueWebhooks = (source: WebhookSource, event: Heard['event']) => Promise<void>;

export function webhookQueue(o: {
  readonly endpoints: Pick<EndpointsStore, 'ofOrganisations' | 'noteMessages'>;
  readonly messages: Pick<MessagesStore, 'add'>;
  /** Called after messages were added. */
  readonly wake: () => void;
  readonly gatherMs?: number;
}): QueueWebhooks {
  async function write(group: readonly Heard[]): Promise<void> {
    const known = await o.endpoints.ofOrganisations(group.map(({ event }) => causeOf(event).organisationId));
    if (known.length === 0) return;
    const messages = group.flatMap((heard) =>
      known.filter((endpoint) => wants(endpoint, heard)).map((endpoint) => messageFor(endpoint, heard)),
    );
    await o.messages.add(messages);
    // If the process is killed before this, the event repeats.
    await o.endpoints.noteMessages([...new Set(messages.map(({ endpointId }) => endpointId))]);
    if (messages.length > 0) o.wake();
  }

  const store = groupWrites<Heard>({ atMost: atOnce, lingerMs: o.gatherMs ?? usualGatherMs, write });
  return (source, event) => store({ source, event, trace: restingTrace() });
}

function wants({ organisationId, mode, types }: Endpoint, { source, event }: Heard): boolean {
  const cause = causeOf(event);
  const isItsOwn = organisationId === cause.organisationId && mode === cause.mode;
  return isItsOwn && (types === undefined || types.includes(source.type));
}

/** What happens while an endpoint is off can be sent when it is on again. */
function messageFor(endpoint: Endpoint, { source, event, trace }: Heard): NewMessage {
  return {
    id: messageIdOf(event.id, endpoint.id),
    endpointId: endpoint.id,
    type: source.type,
    body: webhookText(source.type, event.time, source.dataOf(event.data)),
    state: endpoint.state === 'on' ? 'pending' : 'missed',
    trace,
  };
}

function causeOf({ data }: Heard['event']): WebhookCause {
  return data as WebhookCause;
}
