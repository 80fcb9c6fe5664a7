/** `GET /v1/events`: the events of the last 30 days, newest first, delivered or not. */
import { z } from 'zod';
import type { Event } from './objects.ts';
import { pageSize, text, wholeNumber } from './parameters.ts';
import { renderList } from './rendering.ts';
import { invalid, ok, type Reply } from './replies.ts';

const KEPT_SECONDS = 30 * 24 * 60 * 60;

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
  (wanted) => eventTypes.some((type) => type === wanted),
  'The simulator has no events of this type',
);

/** The parameters that billing sends. */
export const eventListParameters = z.strictObject({
  created: z.strictObject({ gte: wholeNumber.optional(), lt: wholeNumber.optional() }).optional(),
  limit: pageSize.optional(),
  starting_after: text.optional(),
  types: z.array(wantedType).max(20, 'You may pass up to 20 types').optional(),
});
type EventListParameters = z.infer<typeof eventListParameters>;

/** @param all in the order in which they happened */
export function listEvents(
  all: readonly Event[],
  asked: EventListParameters,
  o: { readonly livemode: boolean; readonly nowSeconds: number },
): Reply {
  const { types, limit = 10, starting_after: after } = asked;
  const { gte: from = 0, lt: to = Number.POSITIVE_INFINITY } = asked.created ?? {};
  const newestFirst = all
    .filter(({ livemode, created }) => livemode === o.livemode && created > o.nowSeconds - KEPT_SECONDS)
    .toReversed();
  const place = after === undefined ? -1 : newestFirst.findIndex(({ id }) => id === after);
  if (after !== undefined && place === -1)
    return invalid(`No such event: '${after}'`, { code: 'resource_missing', param: 'starting_after' });
  const found = newestFirst
    .slice(place + 1)
    .filter(({ type, created }) => (types?.includes(type) ?? true) && created >= from && created < to);
  return ok(renderList('/v1/events', found.slice(0, limit), found.length > limit));
}
