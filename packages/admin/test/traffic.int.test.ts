import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OfferClicked, OfferViewed } from '@offer-ads/contracts/events/community';
import { type Broker, connectBroker, on } from '@offer-ads/platform/messaging/broker/broker';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { silentLogger } from '@offer-ads/testing/logger';
import { testNamespace, untilConnected } from '@offer-ads/testing/stores/broker';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { createTools } from '../src/tools.ts';
import { runJson, settingsAt } from './admin-under-test.ts';

describe('traffic record', () => {
  const corner = testNamespace();
  let offers: Broker;
  const counts = { views: 0, clicks: 0 };
  beforeAll(async () => {
    offers = await connectBroker({
      url: corner.url,
      namespace: corner.namespace,
      service: 'offers',
      declarations: [OfferViewed, OfferClicked],
      logger: silentLogger,
      metrics: createMetrics('offers'),
    });
    await untilConnected(offers);
    await offers.consume([
      on(OfferViewed, async ({ data }) => {
        if (data.offerId === 17) counts.views += 1;
      }),
      on(OfferClicked, async ({ data }) => {
        if (data.offerId === 17) counts.clicks += 1;
      }),
    ]);
  });
  afterAll(async () => {
    await offers?.[Symbol.asyncDispose]();
    await corner.dispose();
  });

  const record = (words: string, rabbitmq = corner.url) =>
    runJson(`traffic record ${words}`, () =>
      createTools(
        { ...settingsAt('http://127.0.0.1:1'), RABBITMQ_URL: rabbitmq },
        { namespace: corner.namespace },
      ),
    );

  it('publishes as many views and clicks of the offer as it is told', async () => {
    const recorded = await eventually(async () => {
      const outcome = await record('--offer 17 --views 700 --clicks 3');
      // A broker that needs more than two seconds to accept the connection has received nothing.
      expect(outcome.result).not.toEqual({ error: 'broker: not connected' });
      return outcome;
    });
    expect(recorded).toEqual({ status: 0, result: { offer: 17, views: 700, clicks: 3 } });
    await eventually(() => expect(counts).toEqual({ views: 700, clicks: 3 }));
  });

  it('fails when the broker is not there', async () => {
    expect(await record('--offer 17 --views 1', 'amqp://127.0.0.1:1')).toEqual({
      status: 1,
      result: { error: 'broker: not connected' },
    });
  });
});
