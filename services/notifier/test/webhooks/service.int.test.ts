/** The whole service: events of the broker become webhooks beside mails. */
import { expect, it } from '@jest/globals';
import { systemClock } from '@offer-ads/platform/process/clock';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { openEndpointsStore } from '../../src/webhooks/endpoints-store.ts';
import { low, paused, registered } from '../events.ts';
import { startNotifierUnderTest } from '../notifier-under-test.ts';
import { startSmtpSink } from '../smtp/smtp-sink.ts';
import { connect } from '../test-store.ts';
import { startReceiver } from './receiver.ts';
import { addEndpoint } from './webhooks-under-test.ts';

it('events become webhooks, and an event that repeats becomes none', async () => {
  await using opened = new AsyncDisposableStack();
  const smtp = opened.use(await startSmtpSink());
  const notifier = opened.use(await startNotifierUnderTest(smtp.url));
  const shop = opened.use(await startReceiver());
  const mongo = opened.use(await connect(notifier.mongoUrl));
  await addEndpoint(await openEndpointsStore(mongo), shop.port, {}, systemClock);
  const [pause, lowBalance] = [paused({ mode: 'TEST' }), low({ mode: 'TEST' })];
  await notifier.publish(registered(), pause, lowBalance, pause, lowBalance, paused({ mode: 'LIVE' }));
  await notifier.publish(paused({ mode: 'TEST', offerId: 18 }));
  const received = () => shop.received.map(({ body }) => JSON.parse(body) as { type: string; data: object });
  await eventually(() => expect(received()).toHaveLength(3));
  expect(received()).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ type: 'offer.paused', data: expect.objectContaining({ offer_id: 17 }) }),
      expect.objectContaining({ type: 'balance.low' }),
      expect.objectContaining({ type: 'offer.paused', data: expect.objectContaining({ offer_id: 18 }) }),
    ]),
  );
  // Of TEST mode nobody has switched mails on.
  expect(smtp.mails).toHaveLength(0);
});
