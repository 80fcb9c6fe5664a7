/**
 * The public API as zod schemas: requests and replies. Source: the API specification, parts "Resources" and "Endpoints". Decisions 18a
 * (forms and formats) and 19 (bodies of refusals) settle what it leaves open.
 */
import { z } from 'zod';
import { transactionKind } from '../internal/billing-api.ts';
import { faultOfDays, MAX_DAYS } from '../values/day-range.ts';
import { keyAccess } from '../values/key-rights.ts';
import { offerActions } from '../values/offer-actions.ts';
import { offerLimits, pageLimits } from '../values/offer-limits.ts';
import { eachFormText, formTexts, listedTexts, whenEmptied } from '../values/offer-text-schemas.ts';
import { openEnum } from '../values/open-enum.ts';
import { currency, groupId, mode, offerId, offerStatus, quoteId } from '../values/primitives.ts';
import { radiusMiles } from '../values/radius.ts';
import { timeZone } from '../values/time-zone.ts';

export const utcInstant = z.string().meta({ format: 'date-time', description: 'ISO 8601, UTC.' });
const startInstant = utcInstant.meta({
  description: `Now or later; at most ${offerLimits.startGraceSeconds} seconds in the past.`,
  // Far in the future, so that a request copied from the reference works.
  examples: ['2035-06-01T12:00:00Z'],
});
const exampleEnd = '2035-06-03T12:00:00Z';

const says = (message: string) => z.string().meta({ examples: [message] });

/** Of zod-openapi. Its types are not known everywhere where this file is compiled. */
type Overridden = { readonly jsonSchema: Record<string, unknown> };

// ---- refusals (decision 19, bodies of refusals)

/** Every refusal that has a code. `code` repeats the HTTP status. */
export const refusal = z
  .object({
    return_code: z.string().regex(/^E[1-9]$/),
    status: z.literal('Error'),
    code: z.int().min(200).max(599),
    message: z.string(),
  })
  .meta({
    id: 'Refusal',
    examples: [{ return_code: 'E1', status: 'Error', code: 400, message: 'title is missing' }],
    description: 'A refusal with a code; its meaning is scoped to the endpoint.',
  });
export type Refusal = z.infer<typeof refusal>;

/** Refusals without a code: 401, 404, 405, 409, 422, 429, 500 and 503. */
export const plainMessage = z
  .object({ message: z.string() })
  .meta({ id: 'Message', description: 'A reply that is only a message.' });

/** A 401 has a code when the key has no recorded mode, its organisation is not approved for LIVE mode, or the offer is not the caller's. */
export const unauthorised = z.union([plainMessage, refusal]).meta({ id: 'Unauthorised' });

// ---- catalogue

export const category = z
  .object({ category_id: z.int(), category_name: z.string() })
  .meta({ id: 'Category' });
export const categoriesReply = z.object({ categories: z.array(category) }).meta({ id: 'Categories' });
export type CategoriesReply = z.infer<typeof categoriesReply>;

export const interest = z
  .object({ interest_id: z.int(), interest_name: z.string() })
  .meta({ id: 'Interest' });
export const interestsReply = z.object({ interests: z.array(interest) }).meta({ id: 'Interests' });
export type InterestsReply = z.infer<typeof interestsReply>;

// ---- price estimate

export const requestedGender = z.enum(['Male', 'Female', 'Non-binary', 'All']);
const radius = radiusMiles.meta({ description: 'Miles.', examples: [10] });
const location = z.tuple([z.number().min(-90).max(90), z.number().min(-180).max(180)]).meta({
  description: 'Latitude (-90 to 90), longitude (-180 to 180).',
  examples: [[51.5074, -0.1278]],
  // Generators of clients do not know `prefixItems`, by which a tuple is described, and drop coordinates.
  override: ({ jsonSchema }: Overridden) => {
    delete jsonSchema.prefixItems;
    jsonSchema.items = { type: 'number' };
  },
});
const genders = z
  .array(requestedGender)
  .meta({ description: 'Omitted, empty or containing `All`: every gender.' });
const interestIds = z.array(z.int().positive()).meta({
  description:
    'Ids from GET /interests. A user matches with at least one of them. Omitted or empty: no interest filter.',
  examples: [[1, 2]],
});

export const estimateRequest = z
  .object({
    start_datetime: startInstant,
    end_datetime: utcInstant.meta({ description: 'After the start.', examples: [exampleEnd] }),
    location,
    radius,
    gender: genders.optional(),
    interests: interestIds.optional(),
    environment: z
      .enum(['TEST', 'LIVE', 'test', 'live'])
      .optional()
      .meta({
        description: "Defaults to the key's mode; if sent it must be the key's mode. Lower case works too.",
        // `TEST` and `test` would become one name in generated clients, and the generators fail.
        override: { enum: ['TEST', 'LIVE'] },
      }),
    quote: z.boolean().optional().meta({
      description: 'True: the reply has a `quote_id`, with which an offer can be created at this price.',
    }),
  })
  .meta({ id: 'PriceEstimateRequest' });

export const estimateReply = z
  .object({
    return_code: z.literal('S1'),
    price_estimate: z.number().meta({ description: 'Ad Units, not money. Kept for older integrations.' }),
    ad_units: z.number().meta({ description: 'The same number as `price_estimate`.' }),
    matching_users: z
      .int()
      .nonnegative()
      .meta({ description: 'Number of users that the offer would reach.' }),
    ad_unit_price: z.number().nullable().meta({ description: 'Price of one Ad Unit, 6 decimal places.' }),
    estimated_cost: z
      .number()
      .nullable()
      .meta({ description: 'The price of the offer in money, net of VAT.' }),
    currency: z.string().meta({ description: "The organisation's billing currency." }),
    exchange_rate_per_gbp: z
      .number()
      .nullable()
      .meta({ description: 'Units of `currency` per pound; 1 for GBP.' }),
    exchange_rate_date: z.iso.date().nullable().meta({ description: 'Null for GBP.' }),
    quote_id: quoteId.nullable().optional().meta({
      description:
        'Only with `quote`. Send it with the creation, which then costs exactly `estimated_cost`. Null if there is no price to hold: `estimated_cost` is null, or `matching_users` is 0.',
    }),
    quote_expiry_datetime: utcInstant.nullable().optional().meta({
      description: 'Only with `quote`. The creation must arrive before. Null without a `quote_id`.',
    }),
    warnings: z
      .array(z.string())
      .optional()
      .meta({ description: 'For people: what is probably not meant. Left out when there is nothing.' }),
  })
  .meta({ id: 'PriceEstimate' });
export type EstimateReply = z.infer<typeof estimateReply>;

// ---- create

/** In JSON Schema. Linters want each required property to be named here too. */
const having = (...fields: string[]) => ({
  properties: Object.fromEntries(fields.map((field) => [field, {}])),
  required: fields,
});

/** One of the two. Generators of clients make several types of a `oneOf`; they pass over this. */
export const eitherImage = {
  not: having('image', 'image_offer_id'),
  if: having('image'),
  else: having('image_offer_id'),
};

/** The multipart form of POST /offers, only for the OpenAPI document: offers reads the parts as a stream. */
export const createOfferForm = z
  .object({
    category_id: z
      .int()
      .positive()
      .meta({ description: 'From GET /categories.', examples: [1] }),
    ...formTexts,
    url: z
      .string()
      .max(offerLimits.url)
      .meta({
        format: 'uri',
        description: 'http or https, without user information. The limit holds for its escaped form too.',
        examples: ['https://example.com/two-for-one'],
      }),
    image: z
      .file()
      .optional()
      .meta({
        description:
          `JPG, PNG or GIF, at most ${offerLimits.imageMegabytes} MB; 1080x1080 px recommended. Required unless \`image_offer_id\` is sent. In TEST mode two published test pictures have a fixed ` +
          'verdict, whatever they show: `always-allowed.png` passes moderation, `always-refused.jpg` is refused with `E2`.',
      }),
    'location[]': location,
    radius,
    'gender[]': genders.optional(),
    'interests[]': interestIds.optional(),
    start_datetime: startInstant,
    expiry_datetime: utcInstant.meta({
      description: `At least ${offerLimits.shortestSeconds} seconds after the start.`,
      examples: [exampleEnd],
    }),
    payment_method: z
      .enum(['E', 'B'])
      .meta({ description: '`E` payment link by card, `B` prepaid balance.' }),
    environment: z.enum(['TEST', 'LIVE']).meta({ description: "Must be the key's mode." }),
    quote_id: quoteId.optional().meta({
      description:
        'From an estimate with `quote`. The offer then costs what that estimate says. Refused with `E1` when the quote has expired, or when place, radius, time, gender or interests differ from the estimate.',
    }),
    max_cost: z
      .number()
      .nonnegative()
      .optional()
      .meta({
        description:
          'The most that it may cost, a group all its offers together, net of VAT and in your billing currency. Refused with `E1` when the cost is higher.',
        examples: [60],
      }),
    image_offer_id: offerId.optional().meta({
      description:
        'Instead of `image`: an offer of yours in this mode, whose picture the new offer gets too. A deleted one is good for 30 days.',
    }),
  })
  .meta({
    id: 'CreateOfferForm',
    override: eitherImage,
  });

// ---- update

/** The multipart form of PATCH /offers/{offer_id} and PATCH /offer-groups/{group_id}. */
export const updateOfferForm = createOfferForm
  .pick({
    category_id: true,
    ...eachFormText,
    url: true,
    image: true,
    environment: true,
  })
  .partial()
  .extend({
    image: z
      .file()
      .optional()
      .meta({ description: `As in a creation: JPG, PNG or GIF, at most ${offerLimits.imageMegabytes} MB.` }),
  })
  .meta({
    id: 'UpdateOfferForm',
    examples: [{ title: 'Three for two' }],
    // Something to change, besides `environment`.
    override: {
      minProperties: 1,
      if: { not: having('environment') },
      else: { minProperties: 2 },
    },
    description: `At least one field besides \`environment\`. What is left out stays. A${whenEmptied.slice(1)}.`,
  });

export const updateReply = z
  .object({ return_code: z.literal('S1'), message: says('Offer has been updated') })
  .meta({ id: 'Updated' });
export type UpdateReply = z.infer<typeof updateReply>;

/** `createReply` as one object, in JSON Schema. */
const createdOffer = {
  type: 'object',
  properties: {
    return_code: { type: 'string', const: 'S1' },
    offer_id: { type: 'integer' },
    status: { type: 'string', enum: ['Awaiting Payment', 'Scheduled', 'Active'] },
    payment_url: {
      type: ['string', 'null'],
      format: 'uri',
      description: 'The payment link of method `E`; null for method `B`.',
    },
    currency: {
      type: 'string',
      description: 'The currency in which the card is charged; only for method `E`.',
    },
  },
  required: ['return_code', 'offer_id', 'status', 'payment_url'],
} as const;

export const createReply = z
  .union([
    z.object({
      return_code: z.literal('S1'),
      offer_id: z.int(),
      status: z.literal('Awaiting Payment'),
      payment_url: z.url(),
      currency: z.string(),
    }),
    z.object({
      return_code: z.literal('S1'),
      offer_id: z.int(),
      status: z.enum(['Scheduled', 'Active']),
      payment_url: z.null(),
    }),
  ])
  .meta({
    id: 'CreatedOffer',
    // One object, because generators of clients make a type called "Null" of a field that can only be null.
    override: ({ jsonSchema }: Overridden) => {
      delete jsonSchema.anyOf;
      Object.assign(jsonSchema, createdOffer);
    },
  });
export type CreateReply = z.infer<typeof createReply>;

// ---- list

/** Of every list of the public API. */
export const pageQuery = {
  limit: z.int().min(1).max(pageLimits.most).default(pageLimits.standard).optional(),
  cursor: z.string().min(1).optional().meta({ description: '`next_cursor` of the previous page.' }),
};

export const listedOffer = z
  .object({
    offer_id: z.int(),
    ...listedTexts,
    category: z.string().meta({ description: 'Category name.' }),
    url: z.string(),
    image: z.url().meta({ description: 'Signed URL of the image; it expires.' }),
    latitude: z.number(),
    longitude: z.number(),
    radius: z.number().meta({ description: 'Miles.' }),
    gender: z.array(z.string()).meta({ description: 'Empty: every gender.' }),
    interests: z.array(interest),
    start_datetime: utcInstant,
    expiry_datetime: utcInstant,
    creation_datetime: utcInstant,
    offer_status: offerStatus,
    status: z.enum(['enabled', 'disabled']).meta({ description: 'Whether an admin has disabled the offer.' }),
  })
  .meta({ id: 'Offer' });
export type ListedOffer = z.infer<typeof listedOffer>;

export const listQuery = z.object({
  environment: z.enum(['test', 'live']).meta({ description: "Case-insensitive; must be the key's mode." }),
  ...pageQuery,
  offer_status: z
    .enum(['awaiting_payment', 'active', 'paused', 'ended'])
    .optional()
    .meta({ description: 'Case-insensitive.' }),
  created_after: utcInstant.optional().meta({ description: 'Created at or after this time.' }),
  created_before: utcInstant.optional().meta({ description: 'Created at or before this time.' }),
});

export const listReply = z
  .object({
    data: z.array(listedOffer),
    pagination: z.object({
      limit: z.int(),
      count: z.int(),
      has_more: z.boolean(),
      next_cursor: z.string().nullable(),
    }),
  })
  .meta({ id: 'OfferPage' });
export type ListReply = z.infer<typeof listReply>;

// ---- one offer

export const placeLabel = z.string().nullable().meta({ description: 'The label of its place.' });

/** GET /offers/{offer_id} */
export const disabledReason = z
  .string()
  .nullable()
  .meta({ description: 'Why the platform disabled the offer; null while it is enabled.' });

export const offerReply = listedOffer
  .extend({
    payment_url: z
      .url()
      .nullable()
      .meta({ description: 'The payment link; null unless the offer awaits payment.' }),
    disabled_reason: disabledReason,
    matching_users: z
      .int()
      .meta({ description: 'How many members matched when it was created: as many as its price counts.' }),
    group_id: groupId.nullable().meta({ description: 'Null: the offer belongs to no group.' }),
    place_label: placeLabel,
    actions: z.array(z.enum(offerActions).meta({ override: openEnum })).meta({
      description:
        'What can be done now: `pay` at the payment link, `pause`, `resume`, `edit` by `PATCH`, `delete`. More may be added.',
    }),
  })
  .meta({ id: 'OneOffer' });
export type OfferReply = z.infer<typeof offerReply>;

// ---- pause, resume, delete, analytics

export const pauseReply = z
  .object({ return_code: z.literal('S1'), message: says('Offer has been paused') })
  .meta({ id: 'Paused' });
export const resumeReply = z
  .object({ return_code: z.literal('S2'), message: says('Offer has been resumed') })
  .meta({ id: 'Resumed' });
export const deleteReply = z
  .object({ return_code: z.literal('S1'), message: says('Offer has been deleted') })
  .meta({ id: 'Deleted' });

export const analyticsIntervals = ['24h', '7d', '30d', '60d', '90d', 'all'] as const;
export const analyticsInterval = z.enum(analyticsIntervals);
export type AnalyticsInterval = z.infer<typeof analyticsInterval>;

export const traffic = { views: z.int().nonnegative(), clicks: z.int().nonnegative() };
export const analyticsReply = z
  .object({
    offer_id: z.int(),
    interval: analyticsInterval,
    start_datetime: utcInstant,
    end_datetime: utcInstant,
    status: offerStatus,
    metrics: z.object(traffic),
  })
  .meta({ id: 'Analytics' });

/** The most offers that results name. */
export const MAX_BEST = 5;
/** The most points of a series: as many as a chart of a page's width can show. */
export const MAX_POINTS = 200;
export const granularities = ['hour', 'day'] as const;
const aDay = 'must be a day such as 2026-06-30';
/** The stores know no year 0, which the period before the first years would reach. */
const calendarDay = z.iso
  .date(aDay)
  .refine((day) => day >= '1000', aDay)
  .meta({ example: '2026-06-30' });
/** The days of a period that the caller chooses. */
export const dayRange = {
  from: calendarDay
    .optional()
    .meta({ description: `The first day; with \`to\`. At most ${MAX_DAYS} days, and not in the future.` }),
  to: calendarDay.optional().meta({
    description: 'The last day, which is included; with `from`. If it is not over, the period ends now.',
  }),
};

type Period = { interval?: unknown; from?: string | undefined; to?: string | undefined };

/** Checks that a query has either an interval or the two days. */
export function checkPeriod(query: Period, context: z.RefinementCtx): void {
  const hasDays = query.from !== undefined || query.to !== undefined;
  const fault =
    hasDays === (query.interval !== undefined)
      ? ({ path: 'interval', message: 'must be sent, or `from` and `to` instead of it' } as const)
      : faultOfDays(query);
  if (fault !== null) context.addIssue({ code: 'custom', path: [fault.path], message: fault.message });
}

/** The same for a query that may have neither. */
export function checkOptionalPeriod(query: Period, context: z.RefinementCtx): void {
  if ([query.interval, query.from, query.to].some((given) => given !== undefined))
    checkPeriod(query, context);
}

/** GET /offers/{offer_id}/analytics/series */
export const seriesQuery = z.object({
  interval: analyticsInterval.optional().meta({ description: 'Ends now. Or send `from` and `to`.' }),
  ...dayRange,
  granularity: z.enum(granularities).meta({
    description: `The length of a point. Where that would give more than ${MAX_POINTS} points, they are longer: a day, a week or several weeks.`,
  }),
});
export const analyticsSeriesReply = analyticsReply
  .extend({
    interval: analyticsInterval
      .nullable()
      .meta({ description: 'As requested; null for the days of `from` and `to`.' }),
    granularity: z.enum(granularities).meta({ description: 'As requested.' }),
    bucket_seconds: z
      .int()
      .positive()
      .meta({ description: 'The length of a point: at least the granularity.' }),
    points: z
      .array(z.object({ start_datetime: utcInstant, ...traffic }))
      .max(MAX_POINTS)
      .meta({
        description:
          'Oldest first, without gaps, in hours, days and weeks (from Monday) of UTC. The first point begins with the interval, the last ends with it. Their sums are `metrics`.',
      }),
  })
  .meta({ id: 'AnalyticsPoints' });
export type AnalyticsSeriesReply = z.infer<typeof analyticsSeriesReply>;

// ---- credit estimate

/** POST /offers/{offer_id}/credit-estimate */
export const creditEstimateReply = z
  .object({
    return_code: z.literal('S1'),
    offer_id: offerId,
    status: offerStatus,
    currency,
    cost: z.number().meta({ description: 'The price of the offer, net of VAT.' }),
    estimated_credit: z.number().meta({
      description:
        'What a deletion would credit to the balance, net of VAT. 0 for an offer that awaits payment or has ended.',
    }),
    as_of_datetime: utcInstant.meta({
      description: 'The time of the estimate. The credit of an Active offer decreases every second.',
    }),
  })
  .meta({ id: 'CreditEstimate' });
export type CreditEstimateReply = z.infer<typeof creditEstimateReply>;

// ---- results (decision 264, results of an offer)

const costPer = (what: string) => `\`spent\` divided by ${what}, rounded. Null where there are none.`;
/** GET /offers/{offer_id}/results */
export const offerResultsReply = z
  .object({
    offer_id: offerId,
    status: offerStatus,
    currency,
    matching_users: offerReply.shape.matching_users,
    cost: creditEstimateReply.shape.cost,
    spent: z.number().meta({ description: 'What was paid less what was credited, net of VAT.' }),
    ...traffic,
    cost_per_click: z
      .number()
      .nullable()
      .meta({ description: costPer('clicks') }),
    cost_per_thousand_views: z
      .number()
      .nullable()
      .meta({ description: costPer('thousands of views') }),
    bought_seconds: z.int().positive().meta({ description: 'From the start to the expiry.' }),
    ran_seconds: z.int().nonnegative().meta({
      description: 'How long it ran so far, without the time in which it was paused, disabled or not paid.',
    }),
  })
  .meta({ id: 'OfferResults' });
export type OfferResultsReply = z.infer<typeof offerResultsReply>;

/** GET /results */
export const resultsQuery = z.object({
  interval: analyticsInterval
    .exclude(['all'])
    .optional()
    .meta({ description: 'Ends now; `7d` when nothing is sent. Or send `from` and `to`.' }),
  ...dayRange,
  time_zone: timeZone
    .default('UTC')
    .optional()
    .meta({ description: 'Whose days `from`, `to` and the points are, such as `Europe/London`.' }),
});
const resultsOfPeriod = z.object({
  ...traffic,
  spent: z.number().nullable().meta({
    description:
      'Prices less credits, net of VAT, as booked in the period. Null: too many bookings to add them up at once.',
  }),
});
export const resultsReply = z
  .object({
    interval: resultsQuery.shape.interval.unwrap().nullable().meta({ description: 'Null for days.' }),
    time_zone: timeZone,
    start_datetime: utcInstant,
    end_datetime: utcInstant,
    currency,
    current: resultsOfPeriod,
    before: resultsOfPeriod.meta({ description: 'The same for the period before, of the same length.' }),
    bucket_seconds: z.int().positive().meta({ description: 'The usual length of a point.' }),
    points: analyticsSeriesReply.shape.points.meta({
      description:
        'Oldest first, without gaps: days of the time zone, or weeks where days would be too many.',
    }),
    best_offers: z
      .array(z.object({ offer_id: offerId, title: z.string(), place_label: placeLabel, ...traffic }))
      .max(MAX_BEST)
      .meta({ description: 'Those with the most views in the period, without deleted ones.' }),
  })
  .meta({ id: 'Results' });
export type ResultsReply = z.infer<typeof resultsReply>;

// ---- changes (decision 265, who changed an offer)

export const changeOfOffer = z.enum([
  'created',
  'edited',
  'paused',
  'resumed',
  'extended',
  'review_requested',
  'deleted',
  'disabled',
  'enabled',
]);
export type ChangeOfOffer = z.infer<typeof changeOfOffer>;
/** GET /offers/{offer_id}/changes */
export const changesQuery = z.object(pageQuery);
export const offerChange = z.object({
  change_id: z.int(),
  what: changeOfOffer.meta({ description: 'More may be added.', override: openEnum }),
  changed_datetime: utcInstant,
  by: z.enum(['this_key', 'other_key', 'person', 'platform']).meta({
    description:
      '`this_key`: the key of the request. `person`: somebody in the portal, which shows who. `platform`: the platform team.',
    override: openEnum,
  }),
  fields: z.array(z.string()).meta({ description: 'Of an edit: the fields that were changed.' }),
  following_offer_id: offerId.nullable().meta({ description: 'Of an extension: the offer that follows.' }),
});
export const changesReply = z
  .object({ data: z.array(offerChange), pagination: listReply.shape.pagination })
  .meta({ id: 'OfferChangePage' });
export type ChangesReply = z.infer<typeof changesReply>;

// ---- key

const leftOfLimit = z
  .object({
    limit: z.number(),
    left: z.number().meta({
      description: 'What may still be ordered until `resets_datetime`. Card payments count with VAT.',
    }),
    resets_datetime: utcInstant,
  })
  .nullable();
/** GET /key */
export const keyReply = z
  .object({
    environment: mode,
    currency,
    access: keyAccess.meta({
      description:
        '`read-only`: reads, and asks for estimates. `no-spending`: creates and changes too, but not with method `B`; a person pays by the link.',
    }),
    spending_limits: z
      .object({ day: leftOfLimit, month: leftOfLimit })
      .meta({ description: 'By UTC day and calendar month; null: no limit.' }),
  })
  .meta({ id: 'Key' });
export type KeyReply = z.infer<typeof keyReply>;

// ---- balance

/** GET /balance */
export const balanceReply = z
  .object({
    environment: mode.meta({ description: "The key's mode." }),
    currency,
    balance: z.number().meta({ description: 'The prepaid balance. Compare it with `estimated_cost`.' }),
  })
  .meta({ id: 'Balance' });
export type BalanceReply = z.infer<typeof balanceReply>;

/** GET /balance/entries */
export const entriesQuery = z.object({
  ...pageQuery,
});
export const balanceEntry = z
  .object({
    booking_datetime: utcInstant,
    kind: transactionKind.meta({
      description: 'What was booked. More kinds may be added.',
      override: openEnum,
    }),
    cause: z.string().meta({ description: 'Identifies the entry: unique. Quote it to support.' }),
    offer_id: offerId.nullable().meta({ description: 'Null for an entry that belongs to no offer.' }),
    title: z.string().nullable().meta({ description: "The offer's title." }),
    amount: z.number().meta({
      description: 'Positive: added to the balance. 0 for a card payment, which does not change it.',
    }),
    balance_after: z.number().meta({ description: 'The balance after the entry.' }),
    card: z.object({ net: z.number(), vat: z.number() }).nullable().meta({
      description:
        'The amounts through the card provider: positive if paid, negative if returned. Null if there are none.',
    }),
  })
  .meta({ id: 'BalanceEntry' });
export const entriesReply = z
  .object({
    environment: mode.meta({ description: "The key's mode." }),
    currency,
    data: z.array(balanceEntry),
    pagination: listReply.shape.pagination,
  })
  .meta({ id: 'BalanceEntries' });
export type EntriesReply = z.infer<typeof entriesReply>;

// ---- test clock (decision 216, test clock)

/** Two years: enough for any offer of a test. */
export const MOST_AHEAD_SECONDS = 2 * 366 * 86_400;
/** POST /test/clock: one of the two. */
const advanceBy = z
  .object({
    advance_seconds: z
      .int()
      .min(1)
      .max(MOST_AHEAD_SECONDS)
      .meta({ description: 'By how much the test clock moves forward.' }),
  })
  .meta({ id: 'AdvanceBy' });
const advanceTo = z
  .object({
    now: utcInstant.meta({
      description: 'Where the test clock moves to: an instant after its present time.',
    }),
  })
  .meta({ id: 'AdvanceTo' });
export const advanceRequest = z
  .union([advanceBy, advanceTo])
  .meta({ id: 'Advance', examples: [{ advance_seconds: 3_600 }] });
export const testClockStatus = z.enum(['ready', 'advancing']);
/** GET, POST and DELETE /test/clock */
export const testClockReply = z
  .object({
    now: utcInstant.meta({ description: 'The present time of the TEST offers.' }),
    offset_seconds: z.int().min(0).max(MOST_AHEAD_SECONDS).meta({
      description: 'How far that is ahead of the real time. 0 until the first advance.',
    }),
    status: testClockStatus.meta({
      description:
        '`advancing` while starts and ends that have come are still being announced to webhooks and mails. The status of offers is right at once.',
    }),
  })
  .meta({ id: 'TestClock' });
export type TestClockReply = z.infer<typeof testClockReply>;
