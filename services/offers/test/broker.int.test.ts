/** Events through the real broker: a payment comes in, its application goes out, and repeats change nothing. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OfferPaid } from '@offer-ads/contracts/events/billing';
import { OfferViewed } from '@offer-ads/contracts/events/community';
import type { EventDeclaration } from '@offer-ads/contracts/events/event-declaration';
import { allEvents } from '@offer-ads/contracts/events/events';
import { type Broker, connectBroker, on } from '@offer-ads/platform/messaging/broker/broker';
import { newEvent } from '@offer-ads/platform/messaging/events';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { silentLogger } from '@offer-ads/testing/logger';
import { type TestNamespace, testNamespace } from '@offer-ads/testing/stores/broker';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { createdId } from './forms.ts';
import { type OffersUnderTest, startOffersUnderTest } from './offers-under-test.ts';
import { offerPaid } from './payments.ts';

let corner: TestNamespace;
let under: OffersUnderTest;
let billing: Broker;
/** By event id: the broker may bring each more than once. */
const events = new Map<string, { name: string; data: Record<string, unknown> }>();
const heard = () => [...events.values()];

beforeAll(async () => {
  corner = testNamespace();
  under = await startOffersUnderTest({ rabbitmqUrl: corner.url, brokerNamespace: corner.namespace });
  billing = await connectBroker({
    url: corner.url,
    namespace: corner.namespace,
    service: 'billing',
    declarations: allEvents,
    logger: silentLogger,
    metrics: createMetrics('billing'),
  });
  const consumed = allEvents.filter((declaration) => declaration.consumers.includes('billing'));
  await billing.consume(
    consumed.map((declaration: EventDeclaration) =>
      on(declaration, async ({ id, data }) => {
        events.set(id, { name: declaration.name, data: data as Record<string, unknown> });
      }),
    ),
  );
});
afterAll(async () => {
  await billing[Symbol.asyncDispose]();
  await under[Symbol.asyncDispose]();
  await corner.dispose();
});

describe('over the broker', () => {
  it('a card payment makes the offer Scheduled and is told back once, though it was sent three times', async () => {
    const id = await createdId(under, { payment_method: 'E' });
    const paid = newEvent(OfferPaid, {
      subject: `offer/${id}`,
      subjectVersion: 1,
      at: under.clock.now(),
      data: offerPaid(under, id),
    });
    await eventually(() => billing.publish([paid, paid, paid]));
    await eventually(async () => {
      expect((await under.admin('GET', `/admin/offers/${id}`)).body).toMatchObject({ status: 'Scheduled' });
      expect(heard().map(({ name }) => name)).toContain('OfferPaymentApplied');
    });
    await under.call('DELETE', `/offers/${id}`);
    await eventually(() => expect(heard().map(({ name }) => name)).toContain('OfferDeleted'));
    expect(
      heard()
        .filter(({ data }) => data.offerId === id)
        .map(({ name }) => name),
    ).toEqual(['OfferPaymentApplied', 'OfferDeleted']);
  });

  it('views that come twice count once', async () => {
    const id = await createdId(under);
    const views = Array.from({ length: 10 }, () =>
      newEvent(OfferViewed, {
        subject: `offer/${id}`,
        subjectVersion: 1,
        at: under.clock.now(),
        data: { offerId: id, viewedAt: under.clock.now().toISOString() },
      }),
    );
    await eventually(() => billing.publish([...views, ...views]));
    await eventually(async () => {
      const answer = await under.call('GET', `/offers/${id}/analytics?interval=24h`);
      expect(answer.body).toMatchObject({ metrics: { views: 10, clicks: 0 } });
    });
  });
});
