import { afterEach, expect, it } from '@jest/globals';
import { systemClock } from '@offer-ads/platform/process/clock';
import { adminRoutesAtPublicPort } from '@offer-ads/testing/admin';
import { forAllTests } from '@offer-ads/testing/for-tests';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { openEndpointsStore } from '../src/webhooks/endpoints-store.ts';
import * as events from './events.ts';
import { startNotifierUnderTest } from './notifier-under-test.ts';
import { startSmtpSink } from './smtp/smtp-sink.ts';
import { connect } from './test-store.ts';
import { startReceiver } from './webhooks/receiver.ts';
import { addEndpoint } from './webhooks/webhooks-under-test.ts';

const sink = forAllTests(() => startSmtpSink());
const notifier = forAllTests(() => startNotifierUnderTest(sink.url));
const store = forAllTests(() => connect(notifier.mongoUrl));
afterEach(async () => {
  for (const name of ['notifications', 'contacts', 'inbox', 'webhook_endpoints', 'webhook_messages'])
    await store.connection.collection(name).deleteMany({});
  sink.mails.length = 0;
});

const documents = () =>
  store.connection
    .collection<{ _id: string; state: string; attempts: number }>('notifications')
    .find()
    .toArray();
const compare = (one: string, other: string) => one.localeCompare(other);
const recipients = () => sink.mails.map((mail) => mail.to?.[0]?.address ?? '').toSorted(compare);

async function handled(event: { readonly id: string }): Promise<void> {
  await eventually(async () => {
    const inbox = store.connection.collection<{ _id: string }>('inbox');
    expect(await inbox.findOne({ _id: event.id })).not.toBeNull();
  });
}

it('a payment becomes one mail for each admin, with text and HTML', async () => {
  await notifier.publish(events.registered(), events.paymentApplied());
  await eventually(() => expect(recipients()).toEqual(['ann@cafe.example', 'bob@cafe.example']));
  const [mail] = sink.mails;
  expect(mail).toMatchObject({
    from: { name: 'Offers', address: 'offers@ads.example' },
    subject: 'Offer paid: “Two for one”',
    text: expect.stringContaining('Total: GBP\u00a012.00'),
    html: expect.stringContaining('GBP\u00a012.00'),
    messageId: expect.stringMatching(/^<[0-9a-f]{40}@ads\.example>$/),
  });
});

it('an event that is delivered again, or comes under another id for the same cause, causes no second mail', async () => {
  const payment = events.paymentApplied();
  const again = events.paymentApplied();
  // The last event changes nothing. When it has been handled, all earlier ones have been too.
  const last = events.registered();
  await notifier.publish(events.registered(), payment, payment, again, payment, last);
  await handled(again);
  await handled(last);
  await eventually(async () =>
    expect((await documents()).map(({ state }) => state)).toEqual(['sent', 'sent']),
  );
  expect(sink.mails).toHaveLength(2);
});

it('a mail is also sent when its organisation becomes known at the same time', async () => {
  const organisations = Array.from({ length: 20 }, (_, index) => index + 1);
  const person = { personId: 1, email: 'ann@cafe.example', role: 'admin' as const, enabled: true };
  await notifier.publish(
    ...organisations.flatMap((organisationId) => [
      events.credited({ organisationId }),
      events.registered({ organisationId, people: [person] }),
    ]),
  );
  await eventually(() => expect(sink.mails).toHaveLength(20));
});

it('events become webhooks, and an event that repeats becomes none', async () => {
  await using shop = await startReceiver();
  await addEndpoint(await openEndpointsStore(store), shop.port, {}, systemClock);
  const [pause, low] = [events.paused({ mode: 'TEST' }), events.low({ mode: 'TEST' })];
  await notifier.publish(events.registered(), pause, low, pause, low, events.paused());
  await notifier.publish(events.paused({ mode: 'TEST', offerId: 18 }));
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
  expect(sink.mails).toHaveLength(0);
});

it('an event with a link that cannot be handled is parked without it, and can be dropped', async () => {
  const event = events.personInvited();
  await notifier.publish({ ...event, data: { ...(event.data as object), organisationId: 'none' } });
  const parked = await eventually(async () => {
    const text = await notifier.admin('/parked');
    expect(text).toContain(event.id);
    return text;
  });
  expect(parked).toContain('[withheld]');
  expect(parked + notifier.log.join()).not.toContain('0123456789abcdef');
  await eventually(async () =>
    expect(JSON.parse(await notifier.admin('/parked/drop', '{"ids":"all"}'))).toEqual({ dropped: 1 }),
  );
});

it('the service is ready and measured, and shows parked events only with the admin token', async () => {
  // A service starts without a broker, which may be ready later.
  await eventually(async () =>
    expect(await (await fetch(`${notifier.url}/readyz`)).json()).toEqual({ status: 'ready', problems: [] }),
  );
  const metrics = await (await fetch(`${notifier.adminUrl}/metrics`)).text();
  expect(metrics).toContain('notifier_delivery_attempts_total');
  expect((await fetch(`${notifier.adminUrl}/admin/parked`)).status).toBe(401);
  expect(await adminRoutesAtPublicPort(notifier, '/admin/parked', '/admin/notifications')).toEqual([]);
  expect(JSON.parse(await notifier.admin('/parked'))).toEqual({ parked: [] });
});
