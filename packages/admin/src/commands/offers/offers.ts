/** Commands for offers, and for publishing views and clicks like the community platform. */
import { OfferClicked, OfferViewed } from '@offer-ads/contracts/events/community';
import { connectBroker } from '@offer-ads/platform/messaging/broker/broker';
import { newEvent, type OutgoingEvent } from '@offer-ads/platform/messaging/events';
import { createLogger } from '@offer-ads/platform/telemetry/logging';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { type Command, command, count, id, text } from '../../command.ts';
import type { Tools } from '../../tools.ts';

export const offerCommands: readonly Command[] = [
  command({
    name: 'offer show',
    summary: 'Show an offer of any organisation',
    options: { offer: id },
    operand: 'offer',
    run: ({ offer }, { call }) => call('offers', `GET /admin/offers/${offer}`),
  }),
  command({
    name: 'offer disable',
    summary: 'Disable an offer; the advertiser is told the reason, and the time counts as unused',
    options: { offer: id, reason: text },
    operand: 'offer',
    run: ({ offer, reason }, { call }) =>
      call('offers', `POST /admin/offers/${offer}/disable`, { json: { reason } }),
  }),
  command({
    name: 'offer enable',
    summary: 'Enable it again',
    options: { offer: id },
    operand: 'offer',
    run: ({ offer }, { call }) => call('offers', `POST /admin/offers/${offer}/enable`),
  }),
  command({
    name: 'placement neglected',
    summary: 'List offers that were shown less than half their fair share in the last 24 hours',
    options: {},
    run: (_, { call }) => call('offers', 'GET /admin/placements/neglected'),
  }),
  command({
    name: 'traffic record',
    summary: 'Publish views and clicks of an offer, as the community platform does',
    options: { offer: id, views: count.default(0), clicks: count.default(0) },
    run: async (o, tools) => {
      await publishTraffic(o, tools, new Date());
      return o;
    },
  }),
];

/** Events that are published and confirmed together. */
const BATCH_SIZE = 500;

async function publishTraffic(
  o: { offer: number; views: number; clicks: number },
  { settings, namespace }: Tools,
  at: Date,
): Promise<void> {
  await using broker = await connectBroker({
    url: settings.RABBITMQ_URL,
    service: 'admin',
    declarations: [OfferViewed, OfferClicked],
    logger: createLogger({ service: 'admin', level: 'silent' }),
    metrics: createMetrics('admin'),
    namespace,
  });
  const about = { subject: `offer/${o.offer}`, subjectVersion: 0, at };
  const instant = at.toISOString();
  const viewed = () => newEvent(OfferViewed, { ...about, data: { offerId: o.offer, viewedAt: instant } });
  const clicked = () => newEvent(OfferClicked, { ...about, data: { offerId: o.offer, clickedAt: instant } });
  for (const [total, make] of [[o.views, viewed] as const, [o.clicks, clicked] as const])
    for (let done = 0; done < total; done += BATCH_SIZE)
      await broker.publish(batch(Math.min(BATCH_SIZE, total - done), make));
}

function batch(size: number, make: () => OutgoingEvent): OutgoingEvent[] {
  return Array.from({ length: size }, make);
}
