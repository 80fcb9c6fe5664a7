/** Views as the community platform publishes them. They wait in the queue of offers until it starts. */
import { OfferClicked, OfferViewed } from '@offer-ads/contracts/events/community';
import { type Broker, connectBroker } from '@offer-ads/platform/messaging/broker/broker';
import { newEvent, type OutgoingEvent } from '@offer-ads/platform/messaging/events';
import { createLogger } from '@offer-ads/platform/telemetry/logging';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';

/** The offers of the views, and whether views have viewers. */
export type Traffic = { readonly offers: number; readonly viewers: number | undefined };

/** Published and confirmed together. */
const BATCH = 1_000;

function connect(url: string): Promise<Broker> {
  return connectBroker({
    url,
    service: 'admin',
    declarations: [OfferViewed, OfferClicked],
    logger: createLogger({ service: 'bench', level: 'silent' }),
    metrics: createMetrics('bench'),
  });
}

export async function fillQueue(url: string, count: number, traffic: Traffic): Promise<void> {
  await using broker = await connect(url);
  for (let done = 0; done < count; done += BATCH) {
    const size = Math.min(BATCH, count - done);
    await broker.publish(Array.from({ length: size }, () => view(traffic, new Date())));
  }
}

function view({ offers, viewers }: Traffic, at: Date): OutgoingEvent {
  const offerId = 1 + below(offers);
  const viewer = viewers === undefined ? {} : { viewer: `viewer-${below(viewers)}-of-today` };
  return newEvent(OfferViewed, {
    subject: `offer/${offerId}`,
    subjectVersion: 0,
    at,
    data: { offerId, viewedAt: at.toISOString(), ...viewer },
  });
}

function below(bound: number): number {
  return Math.floor(Math.random() * bound);
}
