/** Announcements on a database of their own, without a broker and a mail server: the mails to send stay in the database. */
import { eventType } from '@offer-ads/contracts/events/event-declaration';
import type { OrganisationFacts } from '@offer-ads/contracts/events/gateway';
import type { OutgoingEvent } from '@offer-ads/platform/messaging/events';
import { prepareMongoInbox } from '@offer-ads/platform/messaging/mongo-inbox';
import { type Mongo, openMongo } from '@offer-ads/platform/mongo/mongo';
import { startWhenStoresServe } from '@offer-ads/platform/process/start-when-stores-serve';
import { createLogger } from '@offer-ads/platform/telemetry/logging';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { type TestClock, testClock } from '@offer-ads/testing/clock';
import { silentLogger } from '@offer-ads/testing/logger';
import { createTestMongo } from '@offer-ads/testing/stores/mongo';
import { announcer, learnContact } from '../src/announce.ts';
import { announcements } from '../src/domain/announcements.ts';
import { openNotificationsStore } from '../src/notifications-store.ts';
import { type Notifier, notifierOn } from '../src/notifier.ts';

type Stored = {
  _id: string;
  state: string;
  recipient?: string;
  problem?: string;
  message?: { text: string };
};

/** Only what comes in one tick is stored together, so that a test does not wait. */
const gatherMs = 1;

type Hear = (event: OutgoingEvent) => Promise<void>;

export type AnnouncingUnderTest = AsyncDisposable & {
  readonly notifier: Notifier;
  readonly mongo: Mongo;
  readonly clock: TestClock;
  readonly log: readonly string[];
  /** Handles an event as if the broker had delivered it. */
  readonly hear: Hear;
  /** Another process, with some stores replaced. */
  readonly as: (changes: Partial<Notifier>) => { readonly hear: Hear };
  readonly stored: () => Promise<readonly Stored[]>;
  /** The recipients of the notifications in this state, sorted. */
  readonly recipients: (state?: string) => Promise<readonly string[]>;
  /** Deletes all stored data. */
  readonly forget: () => Promise<void>;
};

export async function setUpAnnouncing(): Promise<AnnouncingUnderTest> {
  await using opened = new AsyncDisposableStack();
  const database = await createTestMongo();
  opened.defer(() => database.dispose());
  const mongo = opened.use(
    await startWhenStoresServe(() =>
      openMongo({ url: database.url, logger: silentLogger, metrics: createMetrics('test') }),
    ),
  );
  await prepareMongoInbox(mongo);
  const clock = testClock();
  const log: string[] = [];
  const destination = { write: (line: string) => void log.push(line) };
  const notifier = notifierOn({
    mongo,
    clock,
    notifications: await openNotificationsStore(mongo, clock),
    logger: createLogger({ service: 'notifier', level: 'trace', destination }),
    wakeDelivery: () => {},
    config: {
      PORTAL_URL: 'https://ads.example/portal',
      UNSUBSCRIBE_SECRET: 'an-unsubscribe-secret-that-only-tests-ever-use-0',
    },
  });
  const stored = () => mongo.connection.collection<Stored>('notifications').find().sort({ _id: 1 }).toArray();
  const running = opened.move();
  return {
    notifier,
    mongo,
    clock,
    log,
    stored,
    hear: hearing(notifier),
    as: (changes) => ({ hear: hearing({ ...notifier, ...changes }) }),
    recipients: async (state) =>
      (await stored())
        .filter((one) => state === undefined || one.state === state)
        .map(({ recipient }) => recipient ?? 'nobody')
        .toSorted((one, other) => one.localeCompare(other)),
    forget: async () => {
      for (const name of ['notifications', 'contacts', 'inbox', 'preferences'])
        await mongo.connection.collection(name).deleteMany({});
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

function hearing(notifier: Notifier): Hear {
  const announce = announcer(notifier, gatherMs);
  return async (event) => {
    const { id, time, subject, subjectVersion, data } = event;
    const received = { id, time: new Date(time), subject, subjectVersion };
    const announcement = announcements.find(({ declaration }) => event.type === eventType(declaration));
    if (announcement === undefined)
      await learnContact(notifier, { ...received, data: data as OrganisationFacts });
    else await announce(announcement, { ...received, data });
  };
}
