/**
 * POST /placements, called with the signed caller of a placement key: which offers a member sees now. The position is used and forgotten; it is
 * in no log, span or error.
 */
import { hash, randomInt } from 'node:crypto';
import { coarsePosition } from '@offer-ads/contracts/audience/coarse-position';
import {
  type Placement,
  type PlacementsRequest,
  placementsRequest,
} from '@offer-ads/contracts/community/placements-api';
import { renditionSizes } from '@offer-ads/contracts/pictures/renditions';
import type { Mode } from '@offer-ads/contracts/values/primitives';
import { sendJsonText } from '@offer-ads/platform/http/replies';
import { nameRoute, requestFacts } from '@offer-ads/platform/http/request';
import { jsonObjectOf } from '@offer-ads/platform/http/request-bodies';
import type { FastPath } from '@offer-ads/platform/http/server';
import { validInput } from '@offer-ads/platform/http/valid-input';
import type { OffersContext } from '../context.ts';
import { belowCap, choose, lackPerHour } from '../domain/placements/choice.ts';
import { listedAddressExpiry } from '../images/addresses.ts';
import { renditionName, sizeOf } from '../images/images.ts';
import type { FollowedOffers } from '../placements/follow-live-offers.ts';
import type { LiveOffer } from '../placements/live-offers.ts';
import type { ShowingsOfViewers } from '../placements/showings.ts';
import type { ViewerDay } from '../placements/showings-store.ts';
import { placementCallerVerifier } from './placement-caller.ts';

/** All lists at their greatest length. */
const MAX_BYTES = 32_768;
const path = '/placements';
/** Like Express: any case, and an optional slash at the end. */
const ofThisRoute = /^\/placements\/?(?:\?|$)/i;
/** What the card of an offer in memory has, as JSON. */
type CardField = Exclude<
  keyof Placement,
  'category' | 'image' | 'image_renditions' | 'click_url' | 'view_token'
>;
const nothingShown: ReadonlyMap<number, number> = new Map();

export type PlacementSettings = {
  /** The most showings of one offer to one viewer in a day. */
  readonly perViewerAndDay: number;
};

type Placing = Pick<OffersContext, 'tokens' | 'addresses' | 'clock' | 'contextSecret'> & {
  readonly followed: Pick<FollowedOffers, 'current'>;
  readonly showings: ShowingsOfViewers;
  readonly settings: PlacementSettings;
};

/** Served without express, which would take as long as the choice of the offers. */
export function placementsFastPath(o: Placing): FastPath {
  const callerOf = placementCallerVerifier(o);
  return (req) => {
    if (req.method !== 'POST' || !ofThisRoute.test(req.url ?? '')) return null;
    nameRoute(req, path);
    return async (res) => {
      const { mode } = callerOf(req);
      const asked = validInput(placementsRequest, await jsonObjectOf(req, MAX_BYTES));
      sendJsonText(res, 200, await placementsFor(o, mode, asked, requestFacts(req).receivedAt));
    };
  };
}

/** @returns the reply, as JSON */
async function placementsFor(o: Placing, mode: Mode, asked: PlacementsRequest, now: Date): Promise<string> {
  const { offers, names } = o.followed.current();
  const { gender, interests, wanted } = asked;
  const member = { ...coarsePosition(asked), gender, interests };
  const leftOut = { offers: new Set(asked.without_offers), categories: new Set(asked.without_categories) };
  const matching = offers
    .matching(mode, member, now)
    .filter(({ offerId, categoryId }) => !leftOut.offers.has(offerId) && !leftOut.categories.has(categoryId));
  const viewer = asked.viewer === undefined ? undefined : viewerOn(now, asked.viewer);
  const shown =
    viewer === undefined || matching.length === 0 ? nothingShown : await o.showings.shownTo(viewer);
  const shownToday = (offerId: number) => shown.get(offerId) ?? 0;
  const eligible = belowCap(matching, { cap: o.settings.perViewerAndDay, shownToday });
  const chosen = choose(eligible, {
    wanted,
    shownToday,
    lackPerHour: (offer) => lackPerHour(offer, now),
    seed: viewer?.seed ?? randomInt(2 ** 32),
  });
  o.showings.note(viewer && { ...viewer, shown }, { eligible, chosen, wanted });
  const imageExpiry = listedAddressExpiry(now);
  const renditionsOf = (image: string, widths: readonly number[]) => {
    const picture = sizeOf(image);
    return renditionSizes(picture, widths).map(({ width, height }) => {
      const name = width === picture.width ? image : renditionName(image, width);
      return { width, height, url: o.addresses.sign(name, imageExpiry) };
    });
  };
  const placementOf = ({ offerId, categoryId, image, card }: LiveOffer) => {
    const { clickUrl, viewToken } = o.tokens.make({ mode, offerId, viewer: asked.viewer, shownAt: now });
    const ofThisPlacement: Omit<Placement, CardField> = {
      category: { category_id: categoryId, category_name: names.get(categoryId) ?? '' },
      image: o.addresses.sign(image, imageExpiry),
      ...(asked.image_widths && { image_renditions: renditionsOf(image, asked.image_widths) }),
      click_url: clickUrl,
      view_token: viewToken,
    };
    return `${card.slice(0, -1)},${JSON.stringify(ofThisPlacement).slice(1)}`;
  };
  return `{"placements":[${chosen.map(placementOf).join()}]}`;
}

/** The key has 64 bits; the seed is a part of it. */
function viewerOn(now: Date, pseudonym: string): ViewerDay & { readonly seed: number } {
  const day = now.toISOString().slice(0, 10);
  const digest = hash('sha256', `${day} ${pseudonym}`, 'buffer');
  return { day, key: digest.readBigInt64BE(0).toString(), seed: digest.readInt32BE(0) };
}
