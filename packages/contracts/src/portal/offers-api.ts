/**
 * What the portal gets about offers beyond the public API, under `/portal/api/{mode}`: prices, single offers, Scheduled ones, charts,
 * previews of credits, and simulated traffic in TEST mode. The caller context names the organisation. A refusal is `{message}`; 404 for
 * offers of other organisations or of the other mode.
 */
import { z } from 'zod';
import {
  analyticsInterval,
  disabledReason,
  listedOffer,
  listQuery,
  listReply,
  MAX_POINTS,
  utcInstant,
} from '../public/api.ts';
import { currency, minorUnits, offerId, offerStatus, paymentMethod } from '../values/primitives.ts';

/** GET /portal/api/{mode}/offers/{offer_id} */
export const portalOffer = listedOffer
  .extend({
    category_id: z.int(),
    payment_method: paymentMethod,
    payment_url: z
      .url()
      .nullable()
      .meta({ description: 'The payment page for the card payment; null unless the offer awaits payment.' }),
    paid_datetime: utcInstant.nullable(),
    disabled_reason: disabledReason,
    currency,
    cost_minor: minorUnits.meta({ description: 'The price, net of VAT, in minor units.' }),
    vat_minor: minorUnits.meta({ description: 'VAT on top of a card payment, in minor units.' }),
    deleted_datetime: utcInstant.nullable().meta({
      description:
        'When the offer was deleted. The listing has no deleted offers. `offer_status` is what it was then.',
    }),
    credited_minor: minorUnits.nullable().meta({
      description:
        'Of a deleted offer: what its Unused Time gives back in all, net, in minor units. Else null.',
    }),
  })
  .meta({ id: 'PortalOffer' });
export type PortalOffer = z.infer<typeof portalOffer>;

/** GET /portal/api/{mode}/offers: as in the public API, with prices, a filter for Scheduled offers, and the mode in the path. */
export const portalListQuery = listQuery.extend({
  environment: listQuery.shape.environment
    .optional()
    .meta({ description: 'If sent, it must be the mode of the path.' }),
  offer_status: z
    .enum(['awaiting_payment', 'scheduled', 'active', 'paused', 'ended'])
    .optional()
    .meta({ description: 'Case-insensitive.' }),
  status: z
    .literal('disabled')
    .optional()
    .meta({ description: 'Only offers that an admin of the platform has disabled.' }),
});
export const portalListReply = listReply
  .extend({ data: z.array(portalOffer) })
  .meta({ id: 'PortalOfferPage' });
export type PortalListReply = z.infer<typeof portalListReply>;

/** GET /portal/api/{mode}/offers/{offer_id}/credit: what a deletion at this moment would credit to the balance. */
export const offerCreditReply = z
  .object({
    offer_id: offerId,
    offer_status: offerStatus,
    currency,
    cost_minor: minorUnits,
    credit_minor: minorUnits.meta({
      description: 'Net, in minor units; 0 for an offer that awaits payment or has ended.',
    }),
    as_of_datetime: utcInstant.meta({
      description:
        'The time for which the credit was computed. The credit of an Active offer decreases every second.',
    }),
  })
  .meta({ id: 'OfferCredit' });
export type OfferCreditReply = z.infer<typeof offerCreditReply>;

/** GET /portal/api/{mode}/creations/{idempotency_key}: the outcome of a POST of an offer whose reply was lost. */
export const creationReply = z
  .object({
    state: z.enum(['created', 'under_way', 'none']).meta({
      description:
        '`none`: nothing was created or charged with this key so far. The key can be used, unless the first request is still on its way.',
    }),
    offer_id: offerId.nullable().meta({ description: 'The created offer, even if it was deleted later.' }),
  })
  .meta({ id: 'Creation' });
export type CreationReply = z.infer<typeof creationReply>;

const traffic = { views: z.int().nonnegative(), clicks: z.int().nonnegative() };

/** GET /portal/api/{mode}/offers/{offer_id}/analytics/series?interval= */
export const seriesQuery = z.object({ interval: analyticsInterval });
export const seriesReply = z
  .object({
    offer_id: offerId,
    interval: analyticsInterval,
    start_datetime: utcInstant,
    end_datetime: utcInstant,
    offer_status: offerStatus,
    metrics: z
      .object(traffic)
      .meta({ description: 'The sums over all points: the same as in analytics for this period.' }),
    bucket_seconds: z.int().positive().meta({ description: 'An hour, a day, a week, or several weeks.' }),
    points: z
      .array(z.object({ start_datetime: utcInstant, ...traffic }))
      .max(MAX_POINTS)
      .meta({
        description:
          'Without gaps. Hours, days and weeks (from Monday) are in UTC. The first point begins with the interval, and the last point ends with it.',
      }),
  })
  .meta({ id: 'AnalyticsSeries' });
export type SeriesReply = z.infer<typeof seriesReply>;

const MAX_SIMULATED = 1_000;
/** POST /portal/api/test/offers/{offer_id}/simulated-traffic: adds views and clicks that count like those of members. Only in TEST mode. */
export const simulatedTraffic = z
  .object({
    views: z.int().min(1).max(MAX_SIMULATED),
    clicks: z.int().min(0).max(MAX_SIMULATED),
  })
  .refine(({ views, clicks }) => clicks <= views, {
    path: ['clicks'],
    error: 'must not be more than views, because every click needs a view',
  });
/** Its reply: the offer's total views and clicks. */
export const simulatedTrafficReply = z
  .object({ offer_id: offerId, metrics: z.object(traffic) })
  .meta({ id: 'SimulatedTraffic' });
export type SimulatedTrafficReply = z.infer<typeof simulatedTrafficReply>;
