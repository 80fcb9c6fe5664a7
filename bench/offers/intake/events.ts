/** Events as the community platform and billing publish them. Views wait in the queue of offers until it starts. */
import { OfferClicked, OfferViewed } from '@offer-ads/contracts/events/community';
import { type Broker, connectBroker } from '@offer-ads/platform/messaging/broker/broker';
import { newEvent, type OutgoingEvent } from '@offer-ads/platform/messaging/events';
import { createLogger } from '@offer-ads/platform/telemetry/logging';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';

/** The offers of the views, and whether views have viewers. */
export type Traffic = { readonly offers: number; readonly viewers: number | undefined };

/** Published and confirmed together. */
const BATCH = 1_000;
/** Batches under way at once. */
const AT_ONCE = 4;

export function connect(url: string): Promise<Broker> {
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
  let begun = 0;
  async function publishBatches(): Promise<void> {
    while (begun < count) {
      const size = Math.min(BATCH, count - begun);
      begun += size;
      await broker.publish(Array.from({ length: size }, () => view(traffic, new Date())));
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, publishBatches));
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
