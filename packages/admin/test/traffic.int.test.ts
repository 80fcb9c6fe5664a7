import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OfferClicked, OfferViewed } from '@offer-ads/contracts/events/community';
import { type Broker, connectBroker, on } from '@offer-ads/platform/messaging/broker/broker';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { silentLogger } from '@offer-ads/testing/logger';
import { testNamespace, untilConnected } from '@offer-ads/testing/stores/broker';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { runAdmin } from '../src/run.ts';
import { createTools } from '../src/tools.ts';

describe('traffic record', () => {
  const corner = testNamespace();
  const nobody = 'http://127.0.0.1:1';
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

  async function record(words: string, rabbitmq = corner.url) {
    const printed: string[] = [];
    const settings = {
      GATEWAY_ADMIN_URL: nobody,
      OFFERS_ADMIN_URL: nobody,
      BILLING_ADMIN_URL: nobody,
      PRICING_ADMIN_URL: nobody,
      MODERATION_ADMIN_URL: nobody,
      NOTIFIER_ADMIN_URL: nobody,
      RABBITMQ_URL: rabbitmq,
      ADMIN_TOKEN: 'not needed',
    };
    const status = await runAdmin(
      ['traffic', 'record', ...words.split(' '), '--json'],
      () => createTools(settings, { namespace: corner.namespace }),
      { out: (line) => printed.push(line), err: (line) => printed.push(line) },
    );
    return { status, result: JSON.parse(printed.join('')) as unknown };
  }

  it('reaches offers as that many views and clicks of the offer', async () => {
    const recorded = await eventually(async () => {
      const outcome = await record('--offer 17 --views 700 --clicks 3');
      // A broker that takes more than two seconds to let anybody in has been told nothing.
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
