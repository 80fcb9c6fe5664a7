/** The mails of a turn: in the store, or as events in the queue; all of them of the size of "offer paid". */
import { allEvents } from '@offer-ads/contracts/events/events';
import type { OrganisationFacts } from '@offer-ads/contracts/events/gateway';
import { OfferPaymentApplied } from '@offer-ads/contracts/events/offers';
import { connectBroker } from '@offer-ads/platform/messaging/broker/broker';
import { newEvent } from '@offer-ads/platform/messaging/events';
import { openMongo } from '@offer-ads/platform/mongo/mongo';
import { createLogger } from '@offer-ads/platform/telemetry/logging';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import type { Notification } from '../../services/notifier/src/domain/announcement.ts';
import { openNotificationsStore } from '../../services/notifier/src/notifications-store.ts';

/** Put or published together. */
const batch = 500;
const quiet = () => ({
  logger: createLogger({ service: 'bench', level: 'silent' }),
  metrics: createMetrics('bench'),
});

export function mail(number: number): Notification {
  const recipient = `reader-${number}@cafe.example`;
  const lines = (count: number) =>
    `${'Paid on 1 June 2026 at 12:00 UTC by card. '.repeat(2)}\n`.repeat(count);
  return {
    id: `bench/${number} to ${recipient}`,
    eventName: 'OfferPaymentApplied',
    organisationId: 1,
    recipient,
    message: {
      subject: `Offer paid: “Two for one ${number}”`,
      text: lines(9),
      html: `<p>${lines(50)}</p>`,
    },
  };
}

export async function fillStore(o: { mongoUrl: string }, count: number): Promise<void> {
  await using mongo = await openMongo({ url: o.mongoUrl, ...quiet() });
  const store = await openNotificationsStore(mongo);
  for (let done = 0; done < count; done += batch) {
    const mails = Array.from({ length: Math.min(batch, count - done) }, (_, index) => mail(done + index));
    await mongo.transaction((session) => store.add(session, mails, new Date()));
  }
}

export async function dropDatabase(url: string): Promise<void> {
  await using mongo = await openMongo({ url, ...quiet() });
  await mongo.connection.dropDatabase();
}

const people: OrganisationFacts['people'] = [
  { personId: 1, email: 'ann@cafe.example', role: 'admin', enabled: true },
];
const organisation: OrganisationFacts = {
  organisationId: 1,
  name: 'Corner Cafe Ltd',
  tradingName: 'Corner Cafe',
  country: 'GB',
  currency: 'GBP',
  enabled: true,
  people,
};

/** Each event is of an offer of its own, and becomes one mail to the only admin. */
export async function fillQueue(o: { mongoUrl: string; rabbitmqUrl: string }, count: number): Promise<void> {
  await using mongo = await openMongo({ url: o.mongoUrl, ...quiet() });
  const contacts = mongo.connection.collection<{ _id: number }>('contacts');
  await contacts.insertOne({ _id: 1, contact: organisation, subjectVersion: 1 } as { _id: number });
  await using broker = await connectBroker({
    url: o.rabbitmqUrl,
    service: 'admin',
    declarations: allEvents,
    ...quiet(),
  });
  for (let done = 0; done < count; done += batch) {
    const size = Math.min(batch, count - done);
    await broker.publish(Array.from({ length: size }, (_, index) => paymentApplied(done + index + 1)));
  }
}

function paymentApplied(offerId: number) {
  const at = new Date();
  return newEvent(OfferPaymentApplied, {
    subject: `offer/${offerId}`,
    subjectVersion: 1,
    at,
    data: {
      offerId,
      organisationId: 1,
      mode: 'LIVE',
      title: `Two for one ${offerId}`,
      startAt: at.toISOString(),
      expiryAt: new Date(at.getTime() + 604_800_000).toISOString(),
      currency: 'GBP',
      netMinor: '1000',
      vatMinor: '200',
      createdBy: 1,
      paymentMethod: 'E',
      paidAt: at.toISOString(),
      outcome: 'scheduled',
      unusedMs: 0,
      scheduledMs: 604_800_000,
    },
  });
}
