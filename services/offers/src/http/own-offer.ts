/** The offer that a request names, if the caller has it, and the time by which the caller's offers live. */
import { callerOf } from '@offer-ads/platform/calls/caller-context';
import { requestFacts } from '@offer-ads/platform/http/request';
import type { Request } from 'express';
import type { OffersContext } from '../context.ts';
import type { Offer } from '../domain/offer.ts';
import { parseId } from '../domain/offer-id.ts';
import { findListedOffer, type ListedOffer } from '../listing/listing-store.ts';
import { findForPortal, type OfferWithFigures } from '../listing/portal-listing-store.ts';
import { findOffer, findOfferOrDeleted, type OfferReference } from '../offers-store.ts';
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

export async function findOwnOffer(o: OffersContext, req: Request): Promise<Offer | null> {
  const reference = referenceOf(req);
  return reference && findOffer(o.postgres, reference);
}

/** The portal shows deleted offers too; to the public API they do not exist. */
export async function findOwnOrDeleted(o: OffersContext, req: Request): Promise<Offer | null> {
  const reference = referenceOf(req);
  return reference && findOfferOrDeleted(o.postgres, reference);
}

/** With what the listing shows of it. */
export async function findOwnListedOffer(o: OffersContext, req: Request): Promise<ListedOffer | null> {
  const reference = referenceOf(req);
  return reference && findListedOffer(o.postgres, reference);
}

/** The same with its figures, for the portal, which shows deleted offers too. */
export async function findOwnForPortal(o: OffersContext, req: Request): Promise<OfferWithFigures | null> {
  const reference = referenceOf(req);
  return reference && findForPortal(o.postgres, reference);
}

/** When the request arrived, in the time of the caller's offers. */
export function nowOf(o: Pick<OffersContext, 'postgres'>, req: Request): Promise<Date> {
  return nowIn(o.postgres, callerOf(req), requestFacts(req).receivedAt);
}
