import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { allEvents } from '@offer-ads/contracts/events/events';
import { type Broker, connectBroker } from '@offer-ads/platform/messaging/broker/broker';
import type { OutgoingEvent } from '@offer-ads/platform/messaging/events';
import { type Mongo, openMongo } from '@offer-ads/platform/mongo/mongo';
import { startWhenStoresServe } from '@offer-ads/platform/process/patient-start';
import { createLogger } from '@offer-ads/platform/telemetry/logging';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { adminToken, adminTokenHashes } from '@offer-ads/testing/admin';
import { type TestClock, testClock } from '@offer-ads/testing/clock';
import { silentLogger } from '@offer-ads/testing/logger';
import { type TestNamespace, testNamespace, untilConnected } from '@offer-ads/testing/stores/broker';
import { createTestMongo, type TestMongo } from '@offer-ads/testing/stores/mongo';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { startNotifier } from '../src/service.ts';
import * as events from './events.ts';
import { type SmtpSink, startSmtpSink } from './smtp-sink.ts';

const hour = 3_600_000;

let mongo: TestMongo;
let namespace: TestNamespace;
let broker: Broker;
let store: Mongo;
let sink: SmtpSink;
let clock: TestClock;
let log: string[];
let notifier: Awaited<ReturnType<typeof startNotifier>>;

/** A namespace for each test: an event that one test leaves unacknowledged would come again in the next. */
beforeEach(async () => {
  namespace = testNamespace();
  broker = await connectBroker({
    url: namespace.url,
    service: 'admin',
    declarations: allEvents,
    logger: silentLogger,
    metrics: createMetrics('test'),
    namespace: namespace.namespace,
    confirmTimeoutMs: 60_000,
  });
  await untilConnected(broker);
  mongo = await createTestMongo();
  store = await startWhenStoresServe(() =>
    openMongo({ url: mongo.url, logger: silentLogger, metrics: createMetrics('test') }),
  );
  sink = await startSmtpSink();
  clock = testClock();
  log = [];
  notifier = await start();
});
afterEach(async () => {
  await notifier[Symbol.asyncDispose]();
  await broker[Symbol.asyncDispose]();
  await namespace.dispose();
  await sink[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
  await mongo.dispose();
});

function start() {
  const destination = { write: (line: string) => void log.push(line) };
  return startWhenStoresServe(() =>
    startNotifier(
      {
        HOST: '127.0.0.1',
        PORT: 0,
        LOG_LEVEL: 'trace',
        ADMIN_TOKEN_HASHES: adminTokenHashes,
        MONGO_URL: mongo.url,
        RABBITMQ_URL: namespace.url,
        SMTP_URL: sink.url,
        SMTP_CONNECTIONS: 4,
        MAIL_FROM: 'Offers <offers@ads.example>',
        PORTAL_URL: 'https://ads.example/portal',
        NOTIFIER_CONTEXT_SECRET: 'a-context-secret-that-only-tests-ever-use-012345',
        UNSUBSCRIBE_SECRET: 'an-unsubscribe-secret-that-only-tests-ever-use-0',
      },
      {
        clock,
        logger: createLogger({ service: 'notifier', level: 'trace', destination }),
        brokerNamespace: namespace.namespace,
      },
    ),
  );
}

const publish = (...published: OutgoingEvent[]) => broker.publish(published);
const documents = () =>
  store.connection
    .collection<{ _id: string; state: string; problem?: string; attempts: number; message?: unknown }>(
      'notifications',
    )
    .find()
    .toArray();
const compare = (one: string, other: string) => one.localeCompare(other);
const recipients = () => sink.mails.map((mail) => mail.to?.[0]?.address ?? '').toSorted(compare);
const subjects = () => sink.mails.map((mail) => mail.subject ?? '').toSorted(compare);

async function handled(event: OutgoingEvent): Promise<void> {
  await eventually(async () => {
    const inbox = store.connection.collection<{ _id: string }>('inbox');
    expect(await inbox.findOne({ _id: event.id })).not.toBeNull();
  });
}

/** The last line about an attempt comes after what came of it is in the database. */
const deliveryLogged = () => eventually(() => expect(log.join()).toContain('delivery of a notification'));

describe('an event', () => {
  it('becomes one mail for each admin, with text and HTML', async () => {
    await publish(events.registered(), events.paymentApplied());
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

  it('becomes a payment link for the admins and for the person who created the offer', async () => {
    await publish(events.registered(), events.linkIssued({ mode: 'TEST' }));
    await eventually(() =>
      expect(recipients()).toEqual(['ann@cafe.example', 'bob@cafe.example', 'dot@cafe.example']),
    );
    expect(sink.mails[0]).toMatchObject({
      subject: '[TEST] Payment link for “Two for one”',
      text: expect.stringContaining('https://ads.example/pay/abc'),
    });
  });

  it('that comes again, or under another id for the same cause, becomes no second mail', async () => {
    const payment = events.paymentApplied();
    const again = events.paymentApplied();
    // Changes nothing, and comes after all that might.
    const last = events.registered();
    await publish(events.registered(), payment, payment, again, payment, last);
    await handled(again);
    await handled(last);
    await eventually(async () =>
      expect((await documents()).map(({ state }) => state)).toEqual(['sent', 'sent']),
    );
    expect(sink.mails).toHaveLength(2);
  });

  it('becomes a mail of its own for every credit, top-up, low balance and end', async () => {
    await publish(events.registered({ people: events.cornerCafe.people.slice(0, 1) }));
    await publish(events.credited(), events.credited({ amountMinor: '250' }), events.toppedUp());
    await publish(events.low(), events.ended());
    await eventually(() =>
      expect(subjects()).toEqual([
        'Balance low: GBP\u00a09.00',
        'GBP\u00a0100.00 added to your balance',
        'GBP\u00a02.50 credited for “Two for one”',
        'GBP\u00a05.00 credited for “Two for one”',
        'Offer ended: “Two for one”',
      ]),
    );
  });
});

describe('contacts', () => {
  it('that are not known yet make a mail wait, and it goes out when they come', async () => {
    const payment = events.paymentApplied();
    await publish(payment);
    await handled(payment);
    expect(await documents()).toMatchObject([{ state: 'waiting' }]);
    await publish(events.registered());
    await eventually(() => expect(recipients()).toEqual(['ann@cafe.example', 'bob@cafe.example']));
    await eventually(async () =>
      expect(await documents()).toMatchObject([
        { state: 'sent', attempts: 1 },
        { state: 'sent', attempts: 1 },
      ]),
    );
  });

  it('and the mails that wait for them never miss each other, however close they come', async () => {
    const organisations = Array.from({ length: 20 }, (_, index) => index + 1);
    const person = { personId: 1, email: 'ann@cafe.example', role: 'admin' as const, enabled: true };
    await publish(
      ...organisations.flatMap((organisationId) => [
        events.credited({ organisationId }),
        events.registered({ organisationId, people: [person] }),
      ]),
    );
    await eventually(() => expect(sink.mails).toHaveLength(20));
  });

  it('follow the newest state of the organisation, whatever order the events come in', async () => {
    const [ann, bob] = events.cornerCafe.people;
    if (ann === undefined || bob === undefined) throw new Error('no people');
    const newest = events.changed({ people: [{ ...ann, enabled: false }, bob] }, 3);
    await publish(newest);
    await handled(newest);
    const late = events.changed({ people: [ann, bob] }, 2);
    await publish(late);
    await handled(late);
    await publish(events.low());
    await eventually(() => expect(recipients()).toEqual(['bob@cafe.example']));
  });

  it('without an admin make a mail wait for one', async () => {
    const balance = events.low();
    await publish(events.registered({ people: [] }), balance);
    await handled(balance);
    await publish(events.changed({}, 2));
    await eventually(() => expect(recipients()).toEqual(['ann@cafe.example', 'bob@cafe.example']));
  });
});

describe('delivery', () => {
  const oneAdmin = () => events.registered({ people: events.cornerCafe.people.slice(0, 1) });

  it('waits while the mail server is down and sends once when it is back', async () => {
    await sink[Symbol.asyncDispose]();
    await publish(oneAdmin(), events.paymentApplied());
    await eventually(async () =>
      expect(await documents()).toMatchObject([{ state: 'pending', problem: expect.any(String) }]),
    );
    sink = await startSmtpSink(sink.port);
    clock.advance(hour);
    await eventually(() => expect(sink.mails).toHaveLength(1));
    await eventually(async () => expect(await documents()).toMatchObject([{ state: 'sent', attempts: 1 }]));
  });

  it('tries again after a temporary refusal, with the same Message-ID', async () => {
    sink.refuseWith(451);
    await publish(oneAdmin(), events.paymentApplied());
    await eventually(async () =>
      expect(await documents()).toMatchObject([{ state: 'pending', attempts: 1 }]),
    );
    sink.refuseWith(0);
    clock.advance(hour);
    await eventually(() => expect(sink.mails).toHaveLength(1));
  });

  it('gives up at once when the server will never take the mail, and keeps the reason', async () => {
    sink.refuseWith(550);
    await publish(oneAdmin(), events.paymentApplied());
    await eventually(async () =>
      expect(await documents()).toMatchObject([
        { state: 'failed', attempts: 1, problem: expect.stringContaining('550') },
      ]),
    );
    sink.refuseWith(0);
    clock.advance(hour);
    await publish(events.low());
    await eventually(() => expect(subjects()).toEqual(['Balance low: GBP\u00a09.00']));
    expect(sink.refused()).toBe(1);
  });
});

describe('a sign-in link', () => {
  it('reaches the person without any contact, and is forgotten once sent', async () => {
    await publish(events.signInRequested());
    await eventually(() => expect(recipients()).toEqual(['ann@cafe.example']));
    expect(sink.mails[0]?.text).toContain(events.signInData.signInUrl);
    await eventually(async () => expect(await documents()).toMatchObject([{ state: 'sent' }]));
    expect(JSON.stringify(await documents())).not.toContain('sign-in/0123456789abcdef');
  });

  it('is forgotten when it expires unsent, and never sent after that', async () => {
    sink.refuseWith(451);
    await publish(events.signInRequested());
    await eventually(async () =>
      expect(await documents()).toMatchObject([{ state: 'pending', attempts: 1 }]),
    );
    sink.refuseWith(0);
    clock.advance(hour);
    await eventually(async () =>
      expect(await documents()).toMatchObject([
        { state: 'failed', problem: expect.stringContaining('expired') },
      ]),
    );
    expect(JSON.stringify(await documents())).not.toContain('sign-in/0123456789abcdef');
    expect(sink.mails).toEqual([]);
  });

  it('appears in no log, nor does the address it goes to', async () => {
    sink.refuseWith(451);
    await publish(events.signInRequested());
    await eventually(async () =>
      expect(await documents()).toMatchObject([{ state: 'pending', attempts: 1 }]),
    );
    await deliveryLogged();
    expect(log.join()).not.toMatch(/0123456789abcdef|ann@cafe\.example/);
  });
});

describe('an invitation', () => {
  it('reaches a person of whom no contact has told, and its link is forgotten once sent', async () => {
    await publish(events.personInvited());
    await eventually(() => expect(recipients()).toEqual(['eve@cafe.example']));
    expect(sink.mails[0]).toMatchObject({
      subject: 'Your invitation to the advertiser portal',
      text: expect.stringContaining(events.invitationData.signInUrl),
      html: expect.stringContaining(`href="${events.invitationData.signInUrl}"`),
    });
    await eventually(async () => expect(await documents()).toMatchObject([{ state: 'sent' }]));
    expect(JSON.stringify(await documents())).not.toContain('fedcba9876543210');
    await deliveryLogged();
    expect(log.join()).not.toMatch(/fedcba9876543210|eve@cafe\.example/);
  });
});

describe.each([
  ['a sign-in', events.signInRequested()],
  ['an invitation', events.personInvited()],
])('%s that cannot be handled', (_what, event) => {
  it('is parked without its link', async () => {
    await publish({ ...event, data: { ...(event.data as object), organisationId: 'none' } });
    const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' };
    const parked = await eventually(async () => {
      const text = await (await fetch(`${notifier.url}/admin/parked`, { headers })).text();
      expect(text).toContain(event.id);
      return text;
    });
    expect(parked).toContain('[withheld]');
    expect(parked + log.join()).not.toMatch(/0123456789abcdef|fedcba9876543210/);
    await eventually(async () => {
      const drop = { method: 'POST', headers, body: '{"ids":"all"}' };
      const reply = await fetch(`${notifier.url}/admin/parked/drop`, drop);
      expect(await reply.json()).toEqual({ dropped: 1 });
    });
  });
});

describe('over HTTP', () => {
  it('is ready, measured, and lists parked events to whoever holds the admin credential', async () => {
    // A service starts without a broker that takes its time.
    await eventually(async () =>
      expect(await (await fetch(`${notifier.url}/readyz`)).json()).toEqual({ status: 'ready', problems: [] }),
    );
    expect(await (await fetch(`${notifier.url}/metrics`)).text()).toContain(
      'notifier_delivery_attempts_total',
    );
    expect((await fetch(`${notifier.url}/admin/parked`)).status).toBe(401);
    const parked = await fetch(`${notifier.url}/admin/parked`, {
      headers: { authorization: `Bearer ${adminToken}` },
    });
    expect(await parked.json()).toEqual({ parked: [] });
  });
});
