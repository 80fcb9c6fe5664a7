/** Delivery on a database of its own and a faulty mail server; as many deliveries as a test wants. */

import { type Mongo, openMongo } from '@offer-ads/platform/mongo/mongo';
import { type Clock, systemClock } from '@offer-ads/platform/process/clock';
import { startWhenStoresServe } from '@offer-ads/platform/process/start-when-stores-serve';
import { createLogger } from '@offer-ads/platform/telemetry/logging';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { silentLogger } from '@offer-ads/testing/logger';
import { createTestMongo } from '@offer-ads/testing/stores/mongo';
import { openBouncesStore } from '../src/bounces-store.ts';
import { contactsStore } from '../src/contacts-store.ts';
import { startDelivery } from '../src/deliver.ts';
import type { Notification } from '../src/domain/announcement.ts';
import type { Contact } from '../src/domain/contact.ts';
import type { Bounce } from '../src/domain/delivery/bounce.ts';
import {
  type Addressed,
  type NotificationsStore,
  openNotificationsStore,
} from '../src/notifications-store.ts';
import { openMailer } from '../src/smtp/mailer.ts';
import { type FaultySmtp, startFaultySmtp } from './smtp/faulty-smtp.ts';

export type DeliveryUnderTest = AsyncDisposable & {
  readonly mongoUrl: string;
  smtp: FaultySmtp;
  /** Stops the mail server; the list of accepted mails stays. */
  readonly takeDown: () => Promise<void>;
  readonly bringBack: () => Promise<void>;
  readonly store: () => Promise<NotificationsStore>;
  readonly put: (...notifications: readonly Notification[]) => Promise<void>;
  /** Stores the organisation of `aMail`. */
  readonly learn: (contact: Contact) => Promise<void>;
  readonly documents: () => Promise<readonly Addressed[]>;
  readonly bounces: () => Promise<readonly Bounce[]>;
  readonly collection: () => ReturnType<typeof collectionOf>;
  /** Like another process: it has its own connections. */
  readonly deliver: (o?: {
    readonly clock?: Clock;
    /** Replaces the clock of the database. */
    readonly storeClock?: Clock;
    readonly mongoUrl?: string;
    readonly perSecond?: number;
    readonly connections?: number;
    readonly renewEveryMs?: number;
  }) => Promise<RunningDelivery>;
};

type RunningDelivery = AsyncDisposable & {
  readonly wake: () => void;
  /** Completed runs of its loop. */
  readonly runs: () => Promise<number>;
  /** The lines of its log. */
  readonly log: readonly string[];
};

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

export async function setUpDelivery(): Promise<DeliveryUnderTest> {
  await using opening = new AsyncDisposableStack();
  const database = await createTestMongo();
  opening.defer(() => database.dispose());
  const mongo = opening.use(await open(database.url));
  const store = await openNotificationsStore(mongo);
  const smtp = await startFaultySmtp();
  const opened = opening.move();
  const test: DeliveryUnderTest = {
    mongoUrl: database.url,
    smtp,
    takeDown: async () => {
      await test.smtp[Symbol.asyncDispose]();
    },
    bringBack: async () => {
      const { port, taken } = test.smtp;
      test.smtp = await startFaultySmtp(port, taken);
    },
    store: () => openNotificationsStore(mongo),
    put: (...notifications) => mongo.transaction((session) => store.add(session, notifications, new Date())),
    learn: async (contact) => {
      await mongo.transaction((session) => contactsStore(mongo).save(session, contact, Date.now()));
    },
    documents: () => collectionOf(mongo).find().sort({ _id: 1 }).toArray(),
    bounces: async () => (await openBouncesStore(mongo)).list(100),
    collection: () => collectionOf(mongo),
    deliver: async ({ clock = systemClock, storeClock, mongoUrl, perSecond, connections = 4, ...o } = {}) => {
      const started = opened.use(new AsyncDisposableStack());
      const mongo = started.use(await open(mongoUrl ?? database.url));
      const mailer = started.use(
        openMailer({
          smtpUrl: test.smtp.url,
          from: 'Offers <offers@ads.example>',
          connections,
          perSecond,
        }),
      );
      const metrics = createMetrics('test');
      const log: string[] = [];
      const destination = { write: (line: string) => void log.push(line) };
      const logger = createLogger({ service: 'notifier', level: 'info', destination });
      const notifications = await openNotificationsStore(mongo, storeClock);
      const delivery = started.use(
        startDelivery({
          connections,
          perSecond,
          notifications,
          bounces: await openBouncesStore(mongo),
          contacts: contactsStore(mongo),
          mailer,
          clock,
          logger,
          metrics,
          ...o,
        }),
      );
      const runs = async () => {
        const counted = await metrics.registry.getMetricsAsJSON();
        const values = counted.find(({ name }) => name === 'loop_runs_total')?.values ?? [];
        const done = values.find(({ labels }) => labels.loop === 'delivery' && labels.outcome === 'done');
        return done?.value ?? 0;
      };
      return { wake: delivery.wake, runs, log, [Symbol.asyncDispose]: () => started.disposeAsync() };
    },
    [Symbol.asyncDispose]: async () => {
      // Stops the deliveries before their mail server.
      await opened.disposeAsync();
      await test.smtp[Symbol.asyncDispose]();
    },
  };
  return test;
}

function open(url: string): Promise<Mongo> {
  return startWhenStoresServe(() => openMongo({ url, logger: silentLogger, metrics: createMetrics('test') }));
}

function collectionOf(mongo: Mongo) {
  return mongo.connection.collection<Addressed>('notifications');
}
