/** Announcements on a database of their own, without a broker and a mail server: the mails to send stay in the database. */
import { eventType } from '@offer-ads/contracts/events/event-declaration';
import { allEvents } from '@offer-ads/contracts/events/events';
import {
  OrganisationChanged,
  type OrganisationFacts,
  OrganisationRegistered,
} from '@offer-ads/contracts/events/gateway';
import type { OutgoingEvent } from '@offer-ads/platform/messaging/events';
import { prepareMongoInbox } from '@offer-ads/platform/messaging/mongo-inbox';
import { testClock } from '@offer-ads/testing/clock';
import { learnContact } from '../src/announce.ts';
import { hear } from '../src/consumers.ts';
import { openNotificationsStore } from '../src/notifications-store.ts';
import { type Notifier, notifierOn } from '../src/notifier.ts';
import { notTooOld, readableLogger, setUpStore } from './test-store.ts';

type Stored = {
  _id: string;
  state: string;
  recipient?: string;
  problem?: string;
  message?: { text: string };
};

const organisationEvents = new Set([OrganisationRegistered, OrganisationChanged].map(eventType));

export async function setUpAnnouncing() {
  const store = await setUpStore();
  const { mongo } = store;
  await prepareMongoInbox(mongo);
  const clock = testClock(notTooOld);
  const log: string[] = [];
  const notifier = notifierOn({
    mongo,
    clock,
    notifications: await openNotificationsStore(mongo, clock),
    queueWebhooks: async () => {},
    logger: readableLogger(log),
    wakeDelivery: () => {},
    config: {
      PORTAL_URL: 'https://ads.example/portal',
      UNSUBSCRIBE_SECRET: 'an-unsubscribe-secret-that-only-tests-ever-use-0',
    },
  });
  const stored = () => mongo.connection.collection<Stored>('notifications').find().sort({ _id: 1 }).toArray();
  return {
    notifier,
    mongo,
    clock,
    log,
    stored,
    /** Handles events as if the broker had delivered them. */
    ...hearingAs(notifier),
    /** Another process, with some stores replaced. */
    as: (changes: Partial<Notifier>) => hearingAs({ ...notifier, ...changes }),
    /** The recipients of the notifications in this state, sorted. */
    recipients: async (state?: string) =>
      (await stored())
        .filter((one) => state === undefined || one.state === state)
        .map(({ recipient }) => recipient ?? 'nobody')
        .toSorted((one, other) => one.localeCompare(other)),
    /** Deletes all stored data. */
    forget: async () => {
      for (const name of ['notifications', 'contacts', 'inbox', 'preferences'])
        await mongo.connection.collection(name).deleteMany({});
    },
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

function hearingAs(notifier: Notifier) {
  const heardOf = ({ id, type, time, data }: OutgoingEvent) => {
    const declaration = allEvents.find((one) => eventType(one) === type);
    if (declaration === undefined) throw new Error(`${type} is not declared`);
    return { declaration, id, time: new Date(time), data, trace: {} };
  };
  return {
    hear: async (event: OutgoingEvent): Promise<void> => {
      const { id, type, subjectVersion, data } = event;
      if (organisationEvents.has(type))
        await learnContact(notifier, { id, subjectVersion, data: data as OrganisationFacts });
      else await hear(notifier, [heardOf(event)]);
    },
    hearTogether: (batch: readonly OutgoingEvent[]) => hear(notifier, batch.map(heardOf)),
  };
}
