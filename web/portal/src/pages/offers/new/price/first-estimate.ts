/** The request for an estimate, and the one with which the form begins. The first script uses it, so it needs no library. */
import type { EstimateReply } from '@offer-ads/contracts/public/api';
import type { GroupEstimateReply } from '@offer-ads/contracts/public/groups-api';
import type { Reply } from '../../../../../../ui/calls/call.ts';
import type { Portal } from '../../../../portal.ts';
import { readTab } from '../../../../tab-storage.ts';
import { type Draft, draftAt, estimateKey, estimateRequest, readDraft } from '../draft.ts';
import { firstTarget } from '../places/first-place.ts';

/** @param scope of the portal: each organisation and mode has a draft of its own */
export function placeOfDraft(scope: Portal['scope']): string {
  return `offer-draft ${scope.join(' ')}`;
}

/** The draft of an earlier visit, or null. */
export function readKeptDraft(scope: Portal['scope']): Draft | null {
  return readDraft(readTab(placeOfDraft(scope)));
}

/** On these an estimate depends: the draft, and by how much the test clock is ahead. */
export function keyOf(draft: Draft, aheadSeconds: number): string {
  return `${estimateKey(draft)} ${aheadSeconds}`;
}

type Asking = { readonly now: Date; readonly quote?: boolean; readonly signal?: AbortSignal };

/** The estimate of the whole order. `places`: each of several. */
export type Estimated = EstimateReply & { readonly places?: GroupEstimateReply['places'] };

export async function askEstimate(
  draft: Draft,
  { api, mode }: Portal,
  { now, quote = false, signal }: Asking,
): Promise<Reply<Estimated>> {
  const request = estimateRequest(draft, now);
  if (request === null) throw new Error('the draft has no place or no period');
  const how = signal === undefined ? {} : { signal };
  if (!('places' in request))
    return api.send<EstimateReply>('POST', `/${mode}/offers/price-estimate`, {
      json: quote ? { ...request, quote } : request,
      ...how,
    });
  const reply = await api.send<GroupEstimateReply>('POST', `/${mode}/offer-groups/price-estimate`, {
    json: request,
    ...how,
  });
  if (!reply.ok) return reply;
  const { body } = reply;
  const members = body.places.reduce((sum, place) => sum + place.matching_users, 0);
  return { ...reply, body: { ...body, price_estimate: body.ad_units, matching_users: members } };
}

/** The draft with which the form begins; null if it can have no price, or the person may not ask for one. */
export function firstDraft(portal: Portal): Draft | null {
  const draft = readKeptDraft(portal.scope) ?? draftAt(firstTarget(portal));
  return portal.may('offers') && estimateRequest(draft, new Date()) !== null ? draft : null;
}

/** In one organisation and mode the same key has the same price; in another one it may not. */
export function estimateQueryKey(
  { scope }: Portal,
  key: string,
): readonly [...Portal['scope'], 'estimate', string] {
  return [...scope, 'estimate', key];
}

export type FirstEstimate = {
  readonly queryKey: ReturnType<typeof estimateQueryKey>;
  readonly reply: Promise<Reply<Estimated>>;
};

/** It does not wait for the test clock. If the clock was moved, this estimate is wrong or refused, and another is made. */
export function askFirstEstimate(portal: Portal): FirstEstimate | null {
  const draft = firstDraft(portal);
  if (draft === null) return null;
  const queryKey = estimateQueryKey(portal, keyOf(draft, 0));
  return { queryKey, reply: askEstimate(draft, portal, { now: new Date() }) };
}
