/** Events through the real broker: repeated deliveries take effect once. */
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { OfferPaid } from '@offer-ads/contracts/events/billing';
import type { EventDeclaration } from '@offer-ads/contracts/events/event-declaration';
import { allEvents } from '@offer-ads/contracts/events/events';
import { allDocuments } from '@offer-ads/contracts/public/documents';
import { type Broker, connectBroker, on } from '@offer-ads/platform/messaging/broker/broker';
import { newEvent } from '@offer-ads/platform/messaging/events';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { silentLogger } from '@offer-ads/testing/logger';
import { testNamespace } from '@offer-ads/testing/stores/broker';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { connect } from 'amqplib';
import { byCard, createdId } from './forms.ts';
import { offersUnderTest } from './offers-under-test.ts';
import { offerPaid } from './payments.ts';

let billing: Broker;
let broker: { readonly url: string; readonly namespace: string };
/** By event id, because the broker may deliver each more than once. */
const events = new Map<string, { name: string; data: Record<string, unknown> }>();
const namesOf = (offerId: number) =>
  [...events.values()].filter(({ data }) => data.offerId === offerId).map(({ name }) => name);

const under = offersUnderTest(async (opened) => {
  const { url, namespace, dispose } = testNamespace();
  broker = { url, namespace };
  opened.defer(dispose);
  const foundation = { logger: silentLogger, metrics: createMetrics('billing') };
  billing = opened.use(
    await connectBroker({ url, namespace, service: 'billing', declarations: allEvents, ...foundation }),
  );
  const consumed = allEvents.filter((declaration) => declaration.consumers.includes('billing'));
  await billing.consume(
    consumed.map((declaration: EventDeclaration) =>
      on(declaration, async ({ id, data }) => {
        events.set(id, { name: declaration.name, data: data as Record<string, unknown> });
      }),
    ),
  );
  return { rabbitmqUrl: url, brokerNamespace: namespace };
});

describe('over the broker', () => {
  it('a card payment that is sent three times makes the offer Scheduled and is announced once', async () => {
    const id = await createdId(under, byCard);
    const paid = newEvent(OfferPaid, {
      subject: `offer/${id}`,
      subjectVersion: 1,
      at: under.clock.now(),
      data: offerPaid(under, id),
    });
    await eventually(() => billing.publish([paid, paid, paid]));
    await eventually(() => expect(namesOf(id)).toContain('OfferPaymentApplied'));
    expect(await under.offer(id)).toMatchObject({ status: 'Scheduled' });
    await under.call('DELETE', `/offers/${id}`);
    await eventually(() => expect(namesOf(id)).toEqual(['OfferPaymentApplied', 'OfferDeleted']));
  });

  it.each(['cloudEvents_', 'cloudEvents:'])(
    'a view counts that was published by the AsyncAPI document alone, with the prefix %s',
    async (prefix) => {
      const id = await createdId(under);
      const { exchange, address, headers } = asDocumented('OfferViewed', prefix);
      const connection = await connect(broker.url);
      const channel = await connection.createConfirmChannel();
      const view = { offerId: id, viewedAt: '2026-06-01t14:00:00+02:00' };
      channel.publish(`${broker.namespace}.${exchange}`, address, Buffer.from(JSON.stringify(view)), {
        headers,
      });
      await channel.waitForConfirms();
      await connection.close();
      await eventually(async () => {
        const answer = await under.call('GET', `/offers/${id}/analytics?interval=24h`);
        expect(answer.body).toMatchObject({ metrics: { views: 1 } });
      });
    },
  );
});

type Schema = { readonly const?: string; readonly format?: string; readonly type: string };
type Document = {
  readonly channels: Record<
    string,
    {
      readonly address: string;
      readonly bindings: { readonly amqp: { readonly exchange: { readonly name: string } } };
    }
  >;
  readonly components: {
    readonly messages: Record<string, { readonly name: string }>;
    readonly schemas: {
      readonly CloudEventsHeaders: {
        readonly required: readonly string[];
        readonly properties: Record<string, Schema>;
      };
    };
  };
};

/** What somebody publishes who has only read the document: its required headers and nothing else. */
function asDocumented(event: string, prefix: string) {
  const { channels, components } = JSON.parse(allDocuments().get('asyncapi.json') ?? '') as Document;
  const { required, properties } = components.schemas.CloudEventsHeaders;
  const valueOf = (name: string): string | number => {
    const { const: fixed, format, type } = properties[name] ?? { type: 'string' };
    if (fixed !== undefined) return fixed;
    if (name.endsWith('type')) return components.messages[event]?.name ?? '';
    if (format === 'uuid') return randomUUID();
    if (format === 'date-time') return '2026-06-01T12:00:00Z';
    return type === 'integer' ? 1 : 'a community';
  };
  return {
    exchange: channels[event]?.bindings.amqp.exchange.name ?? '',
    address: channels[event]?.address ?? '',
    headers: Object.fromEntries(
      required.map((name) => [name.replace('cloudEvents_', prefix), valueOf(name)]),
    ),
  };
}
