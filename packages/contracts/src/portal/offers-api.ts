/**
 * What the portal gets about offers beyond the public API, under `/portal/api/{mode}`: prices, single offers, Scheduled ones, charts,
 * previews of credits, and simulated traffic in TEST mode. The caller context names the organisation. A refusal is `{message}`; 404 for
 * offers of other organisations or of the other mode.
 */
import { z } from 'zod';
import {
  analyticsInterval,
  checkOptionalPeriod,
  checkPeriod,
  dayRange,
  disabledReason,
  offerChange as keysChange,
  listedOffer,
  listQuery,
  listReply,
  MAX_BEST,
  MAX_POINTS,
  traffic,
  utcInstant,
} from '../public/api.ts';
import { groupChangeReply, groupReply } from '../public/groups-api.ts';
import { MAX_TAG, TAG, usualLinkTags } from '../values/link-tags.ts';
import { offerTexts } from '../values/offer-texts.ts';
import { EXAMINED_OFFERS, MAX_OFFERS_AT_ONCE, offerSorts } from '../values/offers-list.ts';
import {
  currency,
  GREATEST_ID,
  groupId,
  minorUnits,
  offerId,
  offerStatus,
  paymentMethod,
  personId,
  quoteId,
} from '../values/primitives.ts';
import { timeZone } from '../values/time-zone.ts';

const spendMinor = minorUnits.meta({
  description: 'What was paid less what was credited, net of VAT, in minor units.',
});

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
        'Null unless the offer was deleted. Its `offer_status` is what it was then. Its picture is removed 30 days later.',
    }),
    credited_minor: minorUnits.nullable().meta({
      description:
        'Of one offer that was deleted: what its Unused Time gives back in all, net, in minor units. Else null.',
    }),
    review_waiting_datetime: utcInstant.nullable().meta({
      description:
        'Of a disabled offer: since when it waits for the platform team to look at it again. Null: it does not wait.',
    }),
    group_id: groupId.nullable().meta({ description: 'Null: the offer belongs to no group.' }),
    place_label: z.string().nullable().meta({ description: 'The name of its place in the group.' }),
    group_offers: z
      .int()
      .nullable()
      .meta({ description: 'How many offers of its group are not deleted. Null: it belongs to no group.' }),
    ...traffic,
    spend_minor: spendMinor,
    trading_name: z
      .string()
      .meta({ description: 'Members read it where the offer has no `advertised_name`.' }),
    matching_users: z.int().meta({ description: 'How many members matched when it was created.' }),
    ran_seconds: z.int().nonnegative().meta({
      description: 'How long it ran so far, without the time in which it was paused, disabled or not paid.',
    }),
  })
  .meta({ id: 'PortalOffer' });
export type PortalOffer = z.infer<typeof portalOffer>;

/** GET /portal/api/{mode}/offers: as in the public API, with prices and figures, more filters, a search and sorts, and the mode in the path. */
export const portalListQuery = listQuery.extend({
  environment: listQuery.shape.environment
    .optional()
    .meta({ description: 'If sent, it must be the mode of the path.' }),
  offer_status: z
    .enum(['awaiting_payment', 'scheduled', 'active', 'paused', 'ended', 'deleted'])
    .optional()
    .meta({
      description: 'Case-insensitive. Without it, all but deleted offers.',
    }),
  status: z
    .literal('disabled')
    .optional()
    .meta({ description: 'Only offers that an admin of the platform has disabled.' }),
  search: z
    .string()
    .max(offerTexts.title.atMost)
    .optional()
    .meta({
      description: `A part of the title, or the number of an offer. Each page searches ${EXAMINED_OFFERS.toLocaleString('en-GB')} offers: while \`has_more\` is true, older ones may match, even if the page is empty.`,
    }),
  sort: z.enum(offerSorts).default('newest').optional().meta({
    description:
      '`ending_soon` leaves out offers that have ended. The others are in descending order, by sums over the whole life of the offer.',
  }),
});
export const portalListReply = listReply
  .extend({
    data: z.array(portalOffer),
    only_newest: z.boolean().meta({
      description: `Sorted by a figure: whether only the newest ${EXAMINED_OFFERS.toLocaleString('en-GB')} offers that fit were sorted, because there are more.`,
    }),
  })
  .meta({ id: 'PortalOfferPage' });
export type PortalListReply = z.infer<typeof portalListReply>;

/** GET /portal/api/{mode}/offer-groups/{group_id} */
export const portalGroup = groupReply
  .pick({ group_id: true, title: true, currency: true, payment_url: true })
  .extend({
    payment_method: paymentMethod,
    cost_minor: minorUnits.meta({ description: 'The price of all its offers, net of VAT, in minor units.' }),
    vat_minor: minorUnits.meta({ description: 'VAT on top of their card payment, in minor units.' }),
    offers: z.array(portalOffer).meta({ description: 'In the order of the places, deleted ones too.' }),
    totals: groupReply.shape.totals.omit({ spent: true }).extend({ spend_minor: spendMinor }),
  })
  .meta({ id: 'PortalOfferGroup' });
export type PortalGroup = z.infer<typeof portalGroup>;

/** POST /portal/api/{mode}/offer-groups/check: the form of POST /offer-groups is right, and each offer would cost this. */
export const groupCheckReply = z
  .object({
    currency,
    offers: z
      .array(
        z.object({
          cost_minor: minorUnits.meta({ description: 'Net of VAT, in minor units.' }),
          matching_users: z.int().nonnegative(),
          quote_id: quoteId.nullable().meta({ description: 'Holds the price. Null if its place has one.' }),
        }),
      )
      .meta({ description: 'In the order of the places.' }),
  })
  .meta({ id: 'OfferGroupCheck' });
export type GroupCheckReply = z.infer<typeof groupCheckReply>;

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
    credited_minor: minorUnits.meta({
      description:
        'Credited before, for example for time before the payment. A deletion does not credit it again.',
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
    offer_id: offerId.nullable().meta({
      description: 'The created offer, even if it was deleted later; the first one of a group.',
    }),
    group_id: groupId.nullable().meta({ description: 'The created offer group.' }),
  })
  .meta({ id: 'Creation' });
export type CreationReply = z.infer<typeof creationReply>;

/** POST /portal/api/{mode}/offers/pause and /resume: the same command for many offers, each by itself. */
export const bulkRequest = z.object({
  offer_ids: z
    .array(offerId.max(GREATEST_ID))
    .min(1)
    .max(MAX_OFFERS_AT_ONCE)
    .refine((ids) => new Set(ids).size === ids.length, 'must not contain an offer twice'),
});
export const bulkReply = z
  .object({
    results: groupChangeReply.shape.results.meta({ description: 'In the order of the request.' }),
  })
  .meta({ id: 'BulkResult' });
export type BulkReply = z.infer<typeof bulkReply>;

/** GET /portal/api/{mode}/results?days=&time_zone=, or with from= and to= instead of days= */
export const resultsQuery = z
  .object({
    days: z
      .enum(['7', '30'])
      .optional()
      .meta({ description: 'The last days until now; 7 where nothing is sent.' }),
    ...dayRange,
    time_zone: timeZone.default('UTC').optional(),
  })
  .superRefine(({ days, ...range }, context) => checkOptionalPeriod({ interval: days, ...range }, context));
const resultsOfPeriod = z.object({
  ...traffic,
  spend_minor: spendMinor
    .nullable()
    .meta({ description: 'As booked in the period. Null: too many bookings to add them up at once.' }),
});
export const resultsReply = z
  .object({
    days: z.int().positive(),
    time_zone: timeZone,
    start_datetime: utcInstant,
    end_datetime: utcInstant,
    currency,
    offers: z
      .object({
        active: z.int(),
        scheduled: z.int(),
        paused: z.int(),
        awaiting_payment: z.int(),
        disabled: z.int().meta({
          description: 'Disabled by the platform team, so no member sees them. They are in no other count.',
        }),
        are_more: z.boolean().meta({
          description: `Whether there are more: only ${EXAMINED_OFFERS.toLocaleString('en-GB')} offers are counted.`,
        }),
        total: z
          .enum(['none', 'some'])
          .meta({ description: 'Whether the organisation has any offer that is not deleted.' }),
      })
      .meta({ description: 'Offers that have not ended, by their status now.' }),
    current: resultsOfPeriod,
    before: resultsOfPeriod.meta({ description: 'The same for the period before, of the same length.' }),
    points: z
      .array(z.object({ start_datetime: utcInstant, ...traffic }))
      .max(MAX_POINTS)
      .meta({
        description: 'Days of the time zone, or weeks and several weeks where days would be too many.',
      }),
    bucket_seconds: z.int().positive(),
    best: z
      .array(
        z.object({
          offer_id: offerId,
          title: z.string(),
          place_label: z.string().nullable(),
          offer_status: offerStatus,
          status: z.enum(['enabled', 'disabled']),
          ...traffic,
          spend_minor: spendMinor.meta({ description: 'Of the whole life of the offer.' }),
        }),
      )
      .max(MAX_BEST)
      .meta({
        description:
          'The offers with the most views in the period, with their views and clicks in it. Chosen among the 100 offers that ran in the period and have the most views in all.',
      }),
  })
  .meta({ id: 'Results' });
export type ResultsReply = z.infer<typeof resultsReply>;

/** GET /portal/api/{mode}/offers/{offer_id}/changes?limit=&cursor= */
export const changesQuery = z.object({
  limit: z.coerce.number().pipe(z.int().min(1).max(200)).default(20),
  cursor: z.coerce
    .number()
    .int()
    .positive()
    .optional()
    .meta({ description: '`next_cursor` of the page before.' }),
});
export const offerChange = keysChange.extend({
  by: z
    .discriminatedUnion('kind', [
      z.object({ kind: z.literal('person'), person_id: personId }),
      z.object({ kind: z.literal('api_key'), key_id: z.int().positive() }),
      z.object({ kind: z.literal('staff') }),
    ])
    .meta({ description: '`GET /authors` has the names. `staff`: the platform team.' }),
});
export type OfferChange = z.infer<typeof offerChange>;
export const changesReply = z
  .object({ data: z.array(offerChange), next_cursor: z.int().nullable() })
  .meta({ id: 'OfferChanges' });
export type ChangesReply = z.infer<typeof changesReply>;

const tag = z
  .string()
  .max(MAX_TAG)
  .regex(TAG, 'must be letters, digits and the signs . _ ~ - alone')
  .meta({ example: usualLinkTags.source });
/** GET and PUT /portal/api/link-tags, both answered with the setting. */
export const linkTagsSetting = z
  .strictObject({
    on: z.boolean().meta({ description: 'Whether the addresses of clicks get the tags.' }),
    source: tag,
    medium: tag,
  })
  .meta({ id: 'LinkTags' });
export type LinkTagsSetting = z.infer<typeof linkTagsSetting>;

/** GET /portal/api/{mode}/offers.csv: the query of the list, without paging and sorts. */
export const offersCsvQuery = portalListQuery.omit({ limit: true, cursor: true, sort: true }).extend({
  columns: z.literal('import').optional().meta({
    description:
      'The columns of a file that the portal imports, named like the fields of `POST /offers`. Otherwise those with figures.',
  }),
});
export const MAX_CSV_ROWS = 10_000;

/** GET /portal/api/{mode}/offers/{offer_id}/analytics/series?interval=&time_zone=, analytics.csv with the same query, and both of an offer group */
export const seriesQuery = z
  .object({
    interval: analyticsInterval.optional(),
    ...dayRange,
    time_zone: timeZone
      .default('UTC')
      .optional()
      .meta({ description: 'Whose days and weeks the points are.' }),
  })
  .superRefine(checkPeriod);
export const seriesReply = z
  .object({
    interval: analyticsInterval.nullable().meta({ description: 'Null for the days of `from` and `to`.' }),
    start_datetime: utcInstant,
    end_datetime: utcInstant,
    metrics: z.object(traffic).meta({ description: 'The sums over all points.' }),
    time_zone: timeZone,
    bucket_seconds: z.int().positive().meta({
      description:
        'The usual length of a point: an hour, a day, a week, or several weeks. A day on which the clocks change is an hour shorter or longer.',
    }),
    points: z
      .array(z.object({ start_datetime: utcInstant, ...traffic }))
      .max(MAX_POINTS)
      .meta({
        description:
          'Without gaps. Days and weeks (from Monday) are those of the time zone. Counts are kept by whole hours of UTC: where the zone is half an hour or 45 minutes off, a day begins with the first whole hour after midnight. The first point begins with the interval, and the last point ends with it.',
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
