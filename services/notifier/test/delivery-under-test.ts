/** Delivery on a database of its own and a faulty mail server; as many deliveries as a test wants. */
import { type Clock, systemClock } from '@offer-ads/platform/process/clock';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { openBouncesStore } from '../src/bounces-store.ts';
import { contactsStore } from '../src/contacts-store.ts';
import { startDelivery } from '../src/deliver.ts';
import type { Notification } from '../src/domain/announcement.ts';
import type { Contact } from '../src/domain/contact.ts';
import { type Addressed, openNotificationsStore } from '../src/notifications-store.ts';
import { openMailer } from '../src/smtp/mailer.ts';
import { startFaultySmtp } from './smtp/faulty-smtp.ts';
import { connect, readableLogger, setUpStore } from './test-store.ts';

export function aMail(number: number, facts: Partial<Notification> = {}): Notification {
  const recipient = facts.recipient ?? `reader-${number}@cafe.example`;
  return {
    id: `offer-paid/offer/${number} to ${recipient}`,
    eventName: 'OfferPaymentApplied',
    organisationId: 1,
    recipient,
    message: { subject: `Offer ${number} paid`, text: 'text', html: '<p>html</p>' },
    ...facts,
  };
}

export const manyMails = (count: number) => Array.from({ length: count }, (_, index) => aMail(index + 1));

export async function setUpDelivery() {
  await using opening = new AsyncDisposableStack();
  const { url, mongo } = opening.use(await setUpStore());
  const store = await openNotificationsStore(mongo);
  const collection = mongo.connection.collection<Addressed>('notifications');
  const smtp = await startFaultySmtp();
  const opened = opening.move();
  let running = new AsyncDisposableStack();
  const test = {
    mongo,
    mongoUrl: url,
    smtp,
    /** Stops the mail server; the list of accepted mails stays. */
    takeDown: async () => {
      await test.smtp[Symbol.asyncDispose]();
    },
    bringBack: async () => {
      const { port, taken } = test.smtp;
      test.smtp = await startFaultySmtp(port, taken);
    },
    store: () => openNotificationsStore(mongo),
    put: (...notifications: readonly Notification[]) =>
      mongo.transaction((session) => store.add(session, notifications, new Date())),
    /** Stores the organisation of `aMail`. */
    learn: async (contact: Contact) => {
      await mongo.transaction((session) => contactsStore(mongo).save(session, contact, Date.now()));
    },
    documents: () => collection.find().sort({ _id: 1 }).toArray(),
    bounces: async () => (await openBouncesStore(mongo)).list(100),
    collection: () => collection,
    /** Like another process: it has its own connections. `storeClock` replaces the clock of the database. */
    deliver: async ({
      clock = systemClock,
      storeClock,
      mongoUrl = url,
      ...o
    }: {
      clock?: Clock;
      storeClock?: Clock;
      mongoUrl?: string;
      perSecond?: number;
      connections?: number;
      upkeepEveryMs?: number;
    } = {}) => {
      const started = running.use(new AsyncDisposableStack());
      const mongo = started.use(await connect(mongoUrl));
      const limits = { connections: 4, ...o };
      const from = 'Offers <offers@ads.example>';
      const mailer = started.use(openMailer({ smtpUrl: test.smtp.url, from, ...limits }));
      const metrics = createMetrics('test');
      const log: string[] = [];
      const delivery = started.use(
        startDelivery({
          ...limits,
          notifications: await openNotificationsStore(mongo, storeClock),
          bounces: await openBouncesStore(mongo),
          contacts: contactsStore(mongo),
          mailer,
          clock,
          logger: readableLogger(log),
          metrics,
        }),
      );
      /** Completed runs of its loop. */
      const runs = async () => {
        const counted = await metrics.registry.getMetricsAsJSON();
        const values = counted.find(({ name }) => name === 'loop_runs_total')?.values ?? [];
        const done = values.find(({ labels }) => labels.loop === 'delivery' && labels.outcome === 'done');
        return done?.value ?? 0;
      };
      return { wake: delivery.wake, runs, log, [Symbol.asyncDispose]: () => started.disposeAsync() };
    },
    /** For the next test: no delivery runs, nothing is stored, and the mail server is a new one. */
    reset: async () => {
      // Stops the deliveries before their mail server.
      await running.disposeAsync();
      running = new AsyncDisposableStack();
      await test.smtp[Symbol.asyncDispose]();
      test.smtp = await startFaultySmtp();
      for (const name of ['notifications', 'contacts', 'bounces'])
        await mongo.connection.collection(name).deleteMany({});
    },
    [Symbol.asyncDispose]: async () => {
      await running.disposeAsync();
      await test.smtp[Symbol.asyncDispose]();
      await opened.disposeAsync();
    },
  };
  return test;
}
