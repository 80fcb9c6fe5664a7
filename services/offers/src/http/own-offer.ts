/** The offer that a request names, if the caller has it, and the time by which the caller's offers live. */
import { callerOf } from '@offer-ads/platform/calls/caller-context';
import { requestFacts } from '@offer-ads/platform/http/request';
import type { Queryable } from '@offer-ads/platform/postgres/postgres';
import type { Request } from 'express';
import type { OffersContext } from '../context.ts';
import type { Offer } from '../domain/offer.ts';
import { parseId } from '../domain/offer-id.ts';
import { findGroup } from '../listing/portal-listing-store.ts';
import { findOfferOrDeleted, type OfferReference } from '../offers-store.ts';
import { nowIn } from '../test-clock/test-clock-store.ts';

/** When the request arrived, and its deadline. */
export function timingOf(req: Request) {
  const facts = requestFacts(req);
  return { receivedAt: facts.receivedAt, deadline: facts.deadline() };
}

/** The same with its caller, for work that asks other services. */
export function callOf(req: Request) {
  return { ...timingOf(req), caller: callerOf(req), requestId: requestFacts(req).requestId };
}

/** Null if the path contains no valid id; the answer is the same as for another organisation's offer (decision 20, offers not found). */
export function referenceOf(req: Request): OfferReference | null {
  const offerId = parseId(String(req.params.offer_id));
  const { organisationId, mode } = callerOf(req);
  return offerId === undefined ? null : { offerId, organisationId, mode };
}

/** @param find looks for the caller's offer in the way of the route: also for deleted ones, or with what the listing shows of it */
export async function findOwn<Found>(
  o: OffersContext,
  req: Request,
  find: (db: Queryable, reference: OfferReference) => Promise<Found | null>,
): Promise<Found | null> {
  const reference = referenceOf(req);
  return reference && find(o.postgres, reference);
}

/** The offer that a request names, or all offers of the group that it names, also deleted ones. */
export async function findOffersOf(o: OffersContext, req: Request): Promise<readonly Offer[]> {
  const { group_id: id } = req.params;
  if (id === undefined) return [await findOwn(o, req, findOfferOrDeleted)].filter((offer) => offer !== null);
  const groupId = parseId(String(id));
  return groupId === undefined ? [] : findGroup(o.postgres, callerOf(req), groupId);
}

/** When the request arrived, in the time of the caller's offers. */
export function nowOf(o: Pick<OffersContext, 'postgres'>, req: Request): Promise<Date> {
  return nowIn(o.postgres, callerOf(req), requestFacts(req).receivedAt);
}
