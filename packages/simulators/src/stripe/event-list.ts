/** `GET /v1/events`: the events of the last 30 days, newest first, delivered or not. */
import { z } from 'zod';
import type { Event } from './objects.ts';
import { flag, pageSize, text, wholeNumber } from './parameters.ts';
import { renderList } from './rendering.ts';
import { invalid, ok, type Reply } from './replies.ts';

const KEPT_SECONDS = 30 * 24 * 60 * 60;

const interval = z.strictObject({
  gt: wholeNumber.optional(),
  gte: wholeNumber.optional(),
  lt: wholeNumber.optional(),
  lte: wholeNumber.optional(),
});

/** What billing subscribes to. */
const eventTypes: readonly Event['type'][] = [
  'checkout.session.async_payment_failed',
  'checkout.session.async_payment_succeeded',
  'checkout.session.completed',
  'checkout.session.expired',
  'refund.created',
  'refund.updated',
  'refund.failed',
  'charge.dispute.created',
  'charge.dispute.updated',
  'charge.dispute.closed',
  'charge.dispute.funds_withdrawn',
  'charge.dispute.funds_reinstated',
];
const wantedType = text.refine(
  (wanted) => eventTypes.some((type) => isKind(type, wanted)),
  'The simulator has no events of this type',
);

export const eventListParameters = z.strictObject({
  created: z.union([interval, wholeNumber.transform((at) => ({ gte: at, lte: at }))]).optional(),
  delivery_success: flag.optional(),
  ending_before: text.optional(),
  limit: pageSize.optional(),
  starting_after: text.optional(),
  type: wantedType.optional(),
  types: z.array(wantedType).max(20, 'You may pass up to 20 types').optional(),
});
type EventListParameters = z.infer<typeof eventListParameters>;

/** @param all in the order in which they happened */
export function listEvents(
  all: readonly Event[],
  asked: EventListParameters,
  o: {
    readonly livemode: boolean;
    readonly nowSeconds: number;
    readonly isDelivered: (id: string) => boolean;
  },
): Reply {
  const { type, types, limit = 10, starting_after: after, ending_before: before } = asked;
  if (type !== undefined && types !== undefined) {
    return invalid('You may pass either `type` or `types`, but not both.', { param: 'types' });
  }
  const matching = all
    .filter(({ livemode, created }) => livemode === o.livemode && created > o.nowSeconds - KEPT_SECONDS)
    .toReversed();
  for (const [param, id] of Object.entries({ starting_after: after, ending_before: before })) {
    if (id === undefined || matching.some((event) => event.id === id)) continue;
    return invalid(`No such event: '${id}'`, { code: 'resource_missing', param });
  }
  const from = after === undefined ? 0 : matching.findIndex(({ id }) => id === after) + 1;
  const to = before === undefined ? matching.length : matching.findIndex(({ id }) => id === before);
  const found = matching.slice(from, to).filter((event) => {
    const isOfType = (types ?? [type]).some((wanted) => wanted === undefined || isKind(event.type, wanted));
    const { delivery_success: delivered } = asked;
    const isAsDelivered = delivered === undefined || o.isDelivered(event.id) === delivered;
    return isOfType && isAsDelivered && isWithin(event.created, asked.created);
  });
  // A page that ends before an event is the one next to it.
  const page = before === undefined ? found.slice(0, limit) : found.slice(-limit);
  return ok(renderList('/v1/events', page, found.length > limit));
}

/** `refund.*` means all events of refunds. */
function isKind(type: Event['type'], wanted: string): boolean {
  return wanted.endsWith('*') ? type.startsWith(wanted.slice(0, -1)) : type === wanted;
}

function isWithin(at: number, bounds: z.infer<typeof interval> = {}): boolean {
  const { gt = -1, gte = 0, lt = Number.POSITIVE_INFINITY, lte = Number.POSITIVE_INFINITY } = bounds;
  return at > gt && at >= gte && at < lt && at <= lte;
}
