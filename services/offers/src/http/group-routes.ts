/** Reading and changing an offer group as a whole (decision 270, offer groups), for the public API and the portal. */
import type { PortalGroup } from '@offer-ads/contracts/portal/offers-api';
import type { GroupChangeReply, GroupReply } from '@offer-ads/contracts/public/groups-api';
import { amountInJson } from '@offer-ads/contracts/values/currencies';
import { sum } from '@offer-ads/contracts/values/sum';
import { callerOf } from '@offer-ads/platform/calls/caller-context';
import type { Request } from 'express';
import type { OffersContext } from '../context.ts';
import { isLive, statusAt } from '../domain/offer.ts';
import { parseId } from '../domain/offer-id.ts';
import { deleteOffer } from '../lifecycle/delete-offer.ts';
import { findGroup, type OfferWithFigures } from '../listing/portal-listing-store.ts';
import { type Command, changeEach, commands } from './change-each.ts';
import { offerWithActions, portalOffer } from './listed-offers.ts';
import { nowOf } from './own-offer.ts';
import { groupReplies, portalReplies, type Reply } from './replies.ts';

type Group = {
  readonly groupId: number;
  /** In the order of the places, deleted ones too. */
  readonly all: readonly OfferWithFigures[];
  readonly offers: readonly OfferWithFigures[];
  readonly now: Date;
};

export async function showGroup(o: OffersContext, req: Request): Promise<Reply> {
  const group = await groupOf(o, req);
  const [first] = group?.offers ?? [];
  if (group === null || first === undefined) return groupReplies['not-found'];
  const { currency, title } = first;
  const shown = group.offers.map(offerWithActions(o, group.now));
  const { spendMinor, ...totals } = totalsOf(group);
  const body: GroupReply = {
    group_id: group.groupId,
    title,
    currency,
    payment_url: shown.find((offer) => offer.payment_url !== null)?.payment_url ?? null,
    offers: group.offers.map((offer) => ({
      offer_id: offer.offerId,
      label: offer.placeLabel,
      latitude: offer.latitude,
      longitude: offer.longitude,
      offer_status: statusAt(offer, group.now),
      status: offer.disabledSince === null ? 'enabled' : 'disabled',
      cost: amountInJson(offer.netMinor, currency),
      views: offer.views,
      clicks: offer.clicks,
    })),
    totals: { ...totals, spent: amountInJson(spendMinor, currency) },
  };
  return { status: 200, body };
}

export async function showGroupForPortal(o: OffersContext, req: Request): Promise<Reply> {
  const group = await groupOf(o, req);
  const [first] = group?.all ?? [];
  if (group === null || first === undefined) return portalReplies['not-found'];
  const offers = group.all.map((offer) => portalOffer(o, offer.deletedAt ?? group.now)(offer));
  const { spendMinor, ...totals } = totalsOf(group);
  const body: PortalGroup = {
    group_id: group.groupId,
    title: first.title,
    currency: first.currency,
    payment_method: first.paymentMethod,
    payment_url: offers.find((offer) => offer.payment_url !== null)?.payment_url ?? null,
    cost_minor: `${sum(group.all.map(({ netMinor }) => netMinor))}`,
    vat_minor: `${sum(group.all.map(({ vatMinor }) => vatMinor))}`,
    offers,
    totals: { ...totals, spend_minor: `${spendMinor}` },
  };
  return { status: 200, body };
}

export async function changeGroup<Refusal extends string>(
  o: OffersContext,
  req: Request,
  command: Command<Refusal>,
): Promise<Reply> {
  const group = await groupOf(o, req);
  if (group === null || group.offers.length === 0) return groupReplies['not-found'];
  const offerIds = group.offers.map(({ offerId }) => offerId);
  const body: GroupChangeReply = {
    return_code: 'S1',
    ...(await changeEach(o, req, offerIds, command)),
  };
  return { status: 200, body };
}

/**
 * Offers that await payment are deleted with the first of them, and so are all others with theirs: its outcome is that of all. Only where the
 * first of the others is gone meanwhile, each of them is deleted by itself.
 */
export async function deleteGroup(o: OffersContext, req: Request): Promise<Reply> {
  const { offers = [], now = new Date() } = (await groupOf(o, req)) ?? {};
  const unpaid = new Set(
    offers.filter((offer) => statusAt(offer, now) === 'Awaiting Payment').map(({ offerId }) => offerId),
  );
  const { change } = commands.delete;
  const first: { unpaid?: ReturnType<typeof change>; other?: ReturnType<typeof change> } = {};
  return changeGroup(o, req, {
    ...commands.delete,
    change: async (_, reference, call) => {
      const kind = unpaid.has(reference.offerId) ? 'unpaid' : 'other';
      first[kind] ??= deleteOffer(o, call, reference, { isForAll: true });
      const outcome = await first[kind];
      return outcome.ok || kind === 'unpaid' ? outcome : change(o, reference, call);
    },
  });
}

async function groupOf(o: OffersContext, req: Request): Promise<Group | null> {
  const groupId = parseId(String(req.params['group_id']));
  if (groupId === undefined) return null;
  const all = await findGroup(o.postgres, callerOf(req), groupId);
  const offers = all.filter(({ deletedAt }) => deletedAt === null);
  return { groupId, all, offers, now: await nowOf(o, req) };
}

function totalsOf({ all, offers, now }: Group) {
  const total = (figure: 'views' | 'clicks') => all.reduce((count, offer) => count + offer[figure], 0);
  return {
    offers: offers.length,
    live: offers.filter((offer) => isLive(offer, now)).length,
    views: total('views'),
    clicks: total('clicks'),
    spendMinor: sum(all.map(({ spendMinor }) => spendMinor)),
  };
}
