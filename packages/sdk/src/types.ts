/** Requests and replies, with the names of the API reference. */

/** TEST and LIVE are separate: a key works in only one mode. */
export type Mode = 'TEST' | 'LIVE';

/** A `Date`, or ISO 8601 with a zone, such as `2035-06-01T12:00:00Z`. */
export type Instant = Date | string;

export type Gender = 'Male' | 'Female' | 'Non-binary' | 'All';

export type OfferStatus = 'Awaiting Payment' | 'Active' | 'Scheduled' | 'Paused' | 'Ended';

export type Category = { readonly category_id: number; readonly category_name: string };
export type Categories = { readonly categories: readonly Category[] };

export type Interest = { readonly interest_id: number; readonly interest_name: string };
export type Interests = { readonly interests: readonly Interest[] };

export type EstimateRequest = {
  /** Now or later; at most 60 seconds in the past. */
  readonly start_datetime: Instant;
  readonly end_datetime: Instant;
  /** Latitude, longitude. */
  readonly location: readonly [latitude: number, longitude: number];
  /** Miles, 5 to 30. */
  readonly radius: number;
  /** Omitted, empty or containing `All`: every gender. */
  readonly gender?: readonly Gender[] | null | undefined;
  /** Ids of interests; the offer reaches members with at least one of them. Omitted or empty: no filter. */
  readonly interests?: readonly number[] | null | undefined;
  /** Filled in from the key. */
  readonly environment?: Mode | 'test' | 'live' | null | undefined;
  /** True: the reply has a `quote_id`, with which an offer can be created at this price. */
  readonly quote?: boolean | null | undefined;
};

export type PriceEstimate = {
  readonly return_code: 'S1';
  /** The same number as `ad_units`; kept for older integrations. */
  readonly price_estimate: number;
  /** The size of the offer; not money. */
  readonly ad_units: number;
  /** 0: the offer cannot be created as specified. */
  readonly matching_users: number;
  readonly ad_unit_price: number | null;
  /** Net of VAT; null when the currency cannot be billed. */
  readonly estimated_cost: number | null;
  readonly currency: string;
  readonly exchange_rate_per_gbp: number | null;
  readonly exchange_rate_date: string | null;
  /** Only with `quote`. Null if there is no price to hold: `estimated_cost` is null, or `matching_users` is 0. */
  readonly quote_id?: string | null | undefined;
  /** The creation must arrive before. Null without a `quote_id`. */
  readonly quote_expiry_datetime?: string | null | undefined;
  /** What is probably not meant. */
  readonly warnings?: readonly string[] | undefined;
};

/**
 * The bytes of a JPG, PNG or GIF of at most 5 MB. A `Blob` (`openAsBlob` of node:fs reads the file while it is sent) is best. A stream is
 * read to its end before it is sent.
 */
export type Picture =
  | Blob
  | Uint8Array
  | ArrayBuffer
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array>;

/** Of a group, by file names: 1 to 20, of 5 MB together. */
export type Pictures = Readonly<Record<string, Picture>>;

export type CreateOfferRequest = {
  readonly category_id: number;
  /** Up to 40 characters. */
  readonly title: string;
  /** Up to 500 characters. */
  readonly description: string;
  readonly terms_and_conditions?: string | null | undefined;
  /** The business name that members see. Omitted or empty: the trading name. */
  readonly advertised_name?: string | null | undefined;
  readonly url: string;
  /** Required unless `image_offer_id` is given. */
  readonly image?: Picture | null | undefined;
  /** Instead of `image`: an offer of yours in this mode, whose picture the new offer gets too. */
  readonly image_offer_id?: number | null | undefined;
  /** Latitude, longitude. */
  readonly location: readonly [latitude: number, longitude: number];
  /** Miles, 5 to 30. */
  readonly radius: number;
  readonly gender?: readonly Gender[] | null | undefined;
  readonly interests?: readonly number[] | null | undefined;
  /** Now or later; at most 60 seconds in the past. */
  readonly start_datetime: Instant;
  /** At least 60 seconds after the start. */
  readonly expiry_datetime: Instant;
  /** `E`: by card, with a payment link. `B`: from the prepaid balance. */
  readonly payment_method: 'E' | 'B';
  /** Filled in from the key. */
  readonly environment?: Mode | null | undefined;
  /** The most that it may cost, a group all its offers together, net of VAT and in your billing currency. */
  readonly max_cost?: number | null | undefined;
  /** From an estimate with `quote`: the offer costs what that estimate says, or is refused with `E1`. */
  readonly quote_id?: string | null | undefined;
};

/** What members see of an offer. What is left out stays. At least one field besides `environment`. */
export type UpdateOfferRequest = {
  readonly category_id?: number | undefined;
  /** Up to 40 characters. */
  readonly title?: string | undefined;
  /** Up to 500 characters. */
  readonly description?: string | undefined;
  /** Empty or null: removes them. */
  readonly terms_and_conditions?: string | null | undefined;
  /** Empty or null: the trading name is shown. */
  readonly advertised_name?: string | null | undefined;
  readonly url?: string | undefined;
  readonly image?: Picture | undefined;
  /** The key's mode. */
  readonly environment?: Mode | undefined;
};

export type CreatedOffer =
  | {
      readonly return_code: 'S1';
      readonly offer_id: number;
      readonly status: 'Awaiting Payment';
      readonly payment_url: string;
      /** The currency of the card payment. */
      readonly currency: string;
    }
  | {
      readonly return_code: 'S1';
      readonly offer_id: number;
      readonly status: 'Scheduled' | 'Active';
      readonly payment_url: null;
    };

export type Offer = {
  readonly offer_id: number;
  readonly title: string;
  /** The category's name. */
  readonly category: string;
  readonly description: string;
  readonly terms_and_conditions: string;
  /** Null when the trading name is shown. */
  readonly advertised_name: string | null;
  readonly url: string;
  /** Signed URL of the picture; it expires. */
  readonly image: string;
  readonly latitude: number;
  readonly longitude: number;
  readonly radius: number;
  /** Empty: every gender. */
  readonly gender: readonly string[];
  readonly interests: readonly Interest[];
  readonly start_datetime: string;
  readonly expiry_datetime: string;
  readonly creation_datetime: string;
  readonly offer_status: OfferStatus;
  /** Whether the platform has disabled the offer. */
  readonly status: 'enabled' | 'disabled';
};

export type OfferAction = 'pay' | 'pause' | 'resume' | 'edit' | 'delete';

export type OneOffer = Offer & {
  /** The payment link; null unless the offer awaits payment. */
  readonly payment_url: string | null;
  /** Why the platform disabled the offer; null while it is enabled. */
  readonly disabled_reason: string | null;
  /** How many members matched when it was created: as many as its price counts. */
  readonly matching_users: number;
  /** Null: the offer belongs to no group. */
  readonly group_id: number | null;
  /** The label of its place in the group. */
  readonly place_label: string | null;
  /** What can be done now. */
  readonly actions: readonly OfferAction[];
};

export type ListOffersRequest = {
  /** Offers per page: 1 to 100; default: 20. */
  readonly limit?: number | undefined;
  /** `next_cursor` of an earlier page. */
  readonly cursor?: string | undefined;
  readonly offer_status?: 'awaiting_payment' | 'active' | 'paused' | 'ended' | undefined;
  readonly created_after?: Instant | undefined;
  readonly created_before?: Instant | undefined;
  /** Filled in from the key. */
  readonly environment?: Mode | 'test' | 'live' | undefined;
};

export type OfferPage = {
  readonly data: readonly Offer[];
  readonly pagination: {
    readonly limit: number;
    readonly count: number;
    readonly has_more: boolean;
    readonly next_cursor: string | null;
  };
};

/** A place of an offer group: one offer. */
export type Place = {
  readonly latitude: number;
  readonly longitude: number;
  /** A name for you, of at most 80 characters. Members do not see it. */
  readonly label?: string | null | undefined;
};

export type GroupEstimateRequest = Omit<EstimateRequest, 'location' | 'quote'> & {
  /** 1 to 20. */
  readonly places: readonly Place[];
};

export type GroupEstimate = Pick<
  PriceEstimate,
  'return_code' | 'ad_unit_price' | 'currency' | 'exchange_rate_per_gbp' | 'exchange_rate_date'
> & {
  /** Of all places together. */
  readonly ad_units: number;
  /** The price of all offers, net of VAT. */
  readonly estimated_cost: number | null;
  /** In the order of the request. */
  readonly places: readonly (Pick<
    PriceEstimate,
    'ad_units' | 'matching_users' | 'estimated_cost' | 'warnings'
  > & { readonly label: string | null })[];
};

export type CreateGroupRequest = Omit<CreateOfferRequest, 'location' | 'quote_id' | 'image'> & {
  /** One for all, or several by file names: each place then has `image` or `image_offer_id`. */
  readonly image?: Picture | Pictures | null | undefined;
  /** 1 to 20. */
  readonly places: readonly GroupPlace[];
};

/** Values of its own replace those of the form. */
export type GroupPlace = Place &
  Partial<Omit<CreateOfferRequest, 'image' | 'location' | 'payment_method' | 'environment'>> & {
    /** The file name of its picture. */
    readonly image?: string | undefined;
  };

export type CreatedGroup = {
  readonly return_code: 'S1';
  readonly group_id: number;
  /** In the order of the places. */
  readonly offers: readonly {
    readonly offer_id: number;
    readonly status: 'Awaiting Payment' | 'Scheduled' | 'Active';
    readonly label: string | null;
  }[];
  /** For all offers, by card; null from the balance. */
  readonly payment_url: string | null;
  readonly currency: string;
};

export type OfferGroup = {
  readonly group_id: number;
  readonly title: string;
  readonly currency: string;
  /** The payment link; null unless the group awaits payment. */
  readonly payment_url: string | null;
  /** Without deleted ones. */
  readonly offers: readonly {
    readonly offer_id: number;
    readonly label: string | null;
    readonly latitude: number;
    readonly longitude: number;
    readonly offer_status: OfferStatus;
    readonly status: 'enabled' | 'disabled';
    /** Net of VAT. */
    readonly cost: number;
    readonly views: number;
    readonly clicks: number;
  }[];
  /** Views, clicks and money count deleted offers too. */
  readonly totals: {
    readonly offers: number;
    /** How many members are shown now. */
    readonly live: number;
    readonly views: number;
    readonly clicks: number;
    /** What was paid less what was credited, net of VAT. */
    readonly spent: number;
  };
};

export type GroupChange = {
  readonly return_code: 'S1';
  readonly results: readonly {
    readonly offer_id: number;
    readonly done: boolean;
    /** As for a single offer: what was done, or why it was not. */
    readonly message: string;
  }[];
};

export type UpdatedOffer = { readonly return_code: 'S1'; readonly message: string };
export type PausedOffer = { readonly return_code: 'S1'; readonly message: string };
export type ResumedOffer = { readonly return_code: 'S2'; readonly message: string };
export type DeletedOffer = { readonly return_code: 'S1'; readonly message: string };

export type AnalyticsInterval = '24h' | '7d' | '30d' | '60d' | '90d' | 'all';

export type Analytics = {
  readonly offer_id: number;
  readonly interval: AnalyticsInterval;
  readonly start_datetime: string;
  readonly end_datetime: string;
  readonly status: OfferStatus;
  readonly metrics: { readonly views: number; readonly clicks: number };
};

/** `interval`, which ends now, or the first and the last day, such as `2026-06-30`: at most 366 days of UTC. */
export type SeriesRequest = {
  readonly interval?: AnalyticsInterval | undefined;
  readonly from?: string | undefined;
  /** Included. */
  readonly to?: string | undefined;
  /** The length of a point. Where that would give more than 200 points, they are longer. */
  readonly granularity: 'hour' | 'day';
};

export type AnalyticsSeries = Omit<Analytics, 'interval'> & {
  /** Null for the days of `from` and `to`. */
  readonly interval: AnalyticsInterval | null;
  readonly granularity: 'hour' | 'day';
  /** The length of a point: at least the granularity. */
  readonly bucket_seconds: number;
  /** Oldest first, without gaps, in UTC. Their sums are `metrics`. */
  readonly points: readonly {
    readonly start_datetime: string;
    readonly views: number;
    readonly clicks: number;
  }[];
};

/** The sums over all offers of a group, deleted ones too. */
export type GroupSeries = Omit<AnalyticsSeries, 'offer_id' | 'status'> & { readonly group_id: number };

export type CreditEstimate = {
  readonly return_code: 'S1';
  readonly offer_id: number;
  readonly status: OfferStatus;
  readonly currency: string;
  /** The price of the offer, net of VAT. */
  readonly cost: number;
  /** What a deletion would credit to the balance, net of VAT. */
  readonly estimated_credit: number;
  /** The credit of an Active offer decreases every second. */
  readonly as_of_datetime: string;
};

export type OfferResults = {
  readonly offer_id: number;
  readonly status: OfferStatus;
  readonly currency: string;
  /** How many members matched when it was created. */
  readonly matching_users: number;
  /** The price of the offer, net of VAT. */
  readonly cost: number;
  /** What was paid less what was credited, net of VAT. */
  readonly spent: number;
  readonly views: number;
  readonly clicks: number;
  /** `spent` divided by the counts; null where there are none. */
  readonly cost_per_click: number | null;
  readonly cost_per_thousand_views: number | null;
  /** From the start to the expiry. */
  readonly bought_seconds: number;
  /** Without the time in which it was paused, disabled or not paid. */
  readonly ran_seconds: number;
};

/** `interval`, which ends now (`7d` when nothing is sent), or the first and the last day: at most 366. */
export type ResultsRequest = {
  readonly interval?: Exclude<AnalyticsInterval, 'all'> | undefined;
  readonly from?: string | undefined;
  /** Included. */
  readonly to?: string | undefined;
  /** Whose days they are, such as `Europe/London`; default: UTC. */
  readonly time_zone?: string | undefined;
};

type ResultsOfPeriod = {
  readonly views: number;
  readonly clicks: number;
  /** Prices less credits, as booked in the period. Null: too many bookings to add them up at once. */
  readonly spent: number | null;
};

export type Results = {
  /** Null for days. */
  readonly interval: Exclude<AnalyticsInterval, 'all'> | null;
  readonly time_zone: string;
  readonly start_datetime: string;
  readonly end_datetime: string;
  readonly currency: string;
  readonly current: ResultsOfPeriod;
  /** Of the period before, of the same length. */
  readonly before: ResultsOfPeriod;
  readonly bucket_seconds: number;
  readonly points: AnalyticsSeries['points'];
  /** Those with the most views in the period. */
  readonly best_offers: readonly {
    readonly offer_id: number;
    readonly title: string;
    readonly place_label: string | null;
    readonly views: number;
    readonly clicks: number;
  }[];
};

export type OfferChange = {
  readonly change_id: number;
  /** More may be added. */
  readonly what:
    | 'created'
    | 'edited'
    | 'paused'
    | 'resumed'
    | 'extended'
    | 'review_requested'
    | 'deleted'
    | 'disabled'
    | 'enabled';
  readonly changed_datetime: string;
  /** `this_key`: the key of the request. `person`: somebody in the portal. */
  readonly by: 'this_key' | 'other_key' | 'person' | 'platform';
  /** Of an edit: the fields that were changed. */
  readonly fields: readonly string[];
  /** Of an extension: the offer that follows. */
  readonly following_offer_id: number | null;
};

/** Newest first. */
export type OfferChanges = {
  readonly data: readonly OfferChange[];
  readonly pagination: OfferPage['pagination'];
};

type SpendingLimit = {
  readonly limit: number;
  /** What may still be ordered until `resets_datetime`. Card payments count with VAT. */
  readonly left: number;
  readonly resets_datetime: string;
};

export type Key = {
  readonly environment: Mode;
  readonly currency: string;
  /** `no-spending`: not with method `B`; a person pays by the link. */
  readonly access: 'full' | 'no-spending' | 'read-only';
  /** By UTC day and calendar month; null: no limit. */
  readonly spending_limits: { readonly day: SpendingLimit | null; readonly month: SpendingLimit | null };
};

export type Balance = {
  readonly environment: Mode;
  readonly currency: string;
  /** Compare it with `estimated_cost`. */
  readonly balance: number;
};

/** Of a page of entries of the balance, or of changes of an offer. */
export type PageRequest = {
  /** How many: 1 to 100; default: 20. */
  readonly limit?: number | undefined;
  /** `next_cursor` of an earlier page. */
  readonly cursor?: string | undefined;
};

export type BalanceEntry = {
  readonly booking_datetime: string;
  /** More kinds may be added. */
  readonly kind:
    | 'offer-charge'
    | 'offer-card-payment'
    | 'group-card-payment'
    | 'unused-time-credit'
    | 'card-top-up'
    | 'platform-top-up'
    | 'play-money'
    | 'card-refund'
    | 'card-refund-failed'
    | 'card-dispute'
    | 'card-dispute-won'
    | 'card-settlement'
    | 'card-settlement-returned';
  /** Unique: quote it to support. */
  readonly cause: string;
  /** Null for an entry that belongs to no offer. */
  readonly offer_id: number | null;
  readonly title: string | null;
  /** Positive: added to the balance. 0 for a card payment, which does not change it. */
  readonly amount: number;
  readonly balance_after: number;
  /** The amounts through the card provider: positive if paid, negative if returned. */
  readonly card: { readonly net: number; readonly vat: number } | null;
};

/** Newest first. */
export type BalanceEntries = {
  readonly environment: Mode;
  readonly currency: string;
  readonly data: readonly BalanceEntry[];
  readonly pagination: OfferPage['pagination'];
};

/** By how much the clock moves, or where to. */
export type AdvanceRequest = { readonly advance_seconds: number } | { readonly now: string | Date };

/** The time of the organisation's TEST offers. */
export type TestClock = {
  readonly now: string;
  /** How far that is ahead of the real time. */
  readonly offset_seconds: number;
  /** `advancing`: starts and ends that have come are still being announced. */
  readonly status: 'ready' | 'advancing';
};

export type MemberGender = Exclude<Gender, 'All'>;

/** A member who may see offers: neither banned nor inactive. */
export type PlacementsRequest = {
  /** Where the member is now, in degrees. Used for this request, and then forgotten. */
  readonly latitude: number;
  readonly longitude: number;
  readonly gender: MemberGender;
  /** Ids of the member's interests. Omitted or empty: only offers without interests match. */
  readonly interests?: readonly number[] | undefined;
  /** A pseudonym of 1 to 64 characters, a new one for each member and day (UTC); never an id. With it, offers take turns. */
  readonly viewer?: string | undefined;
  /** How many offers at most: 1 to 20; default: 3. */
  readonly wanted?: number | undefined;
  /** Ids of categories to leave out, at most 100. */
  readonly without_categories?: readonly number[] | undefined;
  /** Ids of offers to leave out, at most 500. */
  readonly without_offers?: readonly number[] | undefined;
  /** Widths in pixels in which the page can use the picture, 1 to 4. Omitted: no `image_renditions`. */
  readonly image_widths?: readonly (160 | 320 | 640 | 1080)[] | undefined;
};

/** The picture in one width; for `srcset`: `${url} ${width}w`. */
export type ImageRendition = {
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  /** Signed URL; it expires with `image`. */
  readonly url: string;
};

export type Placement = {
  readonly offer_id: number;
  readonly title: string;
  readonly description: string;
  /** Empty if there are none. */
  readonly terms_and_conditions: string;
  /** The business name to show. */
  readonly advertised_name: string;
  readonly category: Category;
  /** Signed URL of the picture, good for a day at least. */
  readonly image: string;
  /** In the widths of `image_widths`, the narrowest first, and never enlarged. Only with `image_widths`. */
  readonly image_renditions?: readonly ImageRendition[] | undefined;
  /** Counts a click and leads to the page of the offer. Good for a day. */
  readonly click_url: string;
  /** For `views()`, when the member has seen the offer. Good for a day. */
  readonly view_token: string;
};
/** In the order in which to show them. */
export type Placements = { readonly placements: readonly Placement[] };

export type Views = {
  /** Genuine tokens that have not expired, also those that were sent before. */
  readonly accepted: number;
  /** Places, from 0, of the other tokens. Do not send these again. */
  readonly refused: readonly number[];
};

/** A type of event that a webhook can be limited to. */
export type EventType =
  | 'offer.created'
  | 'offer.updated'
  | 'offer.paid'
  | 'offer.activated'
  | 'offer.paused'
  | 'offer.resumed'
  | 'offer.disabled'
  | 'offer.enabled'
  | 'offer.ended'
  | 'offer.deleted'
  | 'balance.credited'
  | 'balance.topped_up'
  | 'balance.low';

export type WebhookRequest = {
  /** An https address on the public internet. */
  readonly url: string;
  readonly description?: string | null | undefined;
  /** Omitted or null: all types, also those that are added later. */
  readonly event_types?: readonly EventType[] | null | undefined;
  /** Messages are also signed with `v1a`, which `public_key` verifies. */
  readonly ed25519?: boolean | undefined;
};

export type Webhook = {
  readonly webhook_id: string;
  readonly environment: Mode;
  readonly url: string;
  readonly description: string | null;
  readonly event_types: readonly EventType[] | null;
  readonly ed25519: boolean;
  readonly public_key: string | null;
  readonly status: 'enabled' | 'disabled';
  readonly disabled_reason: 'requested' | 'failing' | 'gone' | 'platform' | null;
  readonly failing_since_datetime: string | null;
  /** Until then messages are also signed with the secret before the latest one. */
  readonly previous_secret_expiry_datetime: string | null;
  readonly creation_datetime: string;
};

export type Webhooks = {
  readonly webhooks: readonly Webhook[];
  /** Addresses and networks from which messages come; null: they may change. */
  readonly sender_addresses: readonly string[] | null;
};

/** `secret` is shown once. */
export type WebhookWithSecret = Webhook & { readonly secret: string };

export type DeletedWebhook = { readonly webhook_id: string; readonly message: string };

export type MessageStatus = 'pending' | 'delivered' | 'failed' | 'missed';

export type WebhookMessage = {
  /** The `webhook-id` header. */
  readonly message_id: string;
  readonly event_type: string;
  readonly status: MessageStatus;
  readonly creation_datetime: string;
  readonly next_attempt_datetime: string | null;
  readonly body: { readonly [field: string]: unknown };
  /** The latest ten, the last one last. */
  readonly attempts: readonly {
    readonly attempt_datetime: string;
    readonly duration_ms: number;
    /** Null: there was no answer; then `problem` says why. */
    readonly http_status: number | null;
    readonly answer: string | null;
    readonly problem: string | null;
  }[];
};

export type MessagesRequest = {
  /** Messages per page: 1 to 100; default: 20. */
  readonly limit?: number | undefined;
  /** `next_cursor` of an earlier page. */
  readonly cursor?: string | undefined;
  readonly status?: MessageStatus | undefined;
};

/** The latest first. */
export type WebhookMessages = {
  readonly data: readonly WebhookMessage[];
  readonly pagination: OfferPage['pagination'];
};

export type ResendRequest = {
  /** Messages that were made at this moment or later. */
  readonly since: string | Date;
  /** Also those that were delivered. */
  readonly include_delivered?: boolean | undefined;
};

export type Resent = {
  readonly resent: number;
  /** There are more: call again with this moment as `since`. */
  readonly next_since: string | null;
};

type EventOf<Type extends string, Data> = {
  readonly type: Type;
  readonly timestamp: string;
  readonly data: Data;
};
type OfferFacts = {
  readonly environment: Mode;
  readonly offer_id: number;
  readonly title: string;
  readonly start_datetime: string;
  readonly expiry_datetime: string;
};
/** Amounts are minor units as digits: `"1250"` is 12.50. */
type BalanceFacts = {
  readonly environment: Mode;
  readonly currency: string;
  readonly balance_minor: string;
};

/** What a webhook says. A release may add types: ignore those that you do not know. */
export type WebhookEvent =
  | EventOf<'offer.created', OfferFacts & { readonly payment_method: 'E' | 'B'; readonly paid: boolean }>
  | EventOf<
      'offer.paid',
      OfferFacts & {
        readonly payment_method: 'E' | 'B';
        readonly currency: string;
        readonly net_minor: string;
        readonly vat_minor: string;
        readonly outcome: 'active' | 'scheduled' | 'ended' | 'deleted';
      }
    >
  | EventOf<'offer.updated', OfferFacts & { readonly changed_fields: readonly string[] }>
  | EventOf<'offer.activated', OfferFacts>
  | EventOf<'offer.paused', OfferFacts>
  | EventOf<'offer.resumed', OfferFacts>
  | EventOf<'offer.disabled', OfferFacts & { readonly reason: string }>
  | EventOf<'offer.enabled', OfferFacts>
  | EventOf<'offer.ended', OfferFacts & { readonly paid: boolean }>
  | EventOf<'offer.deleted', OfferFacts & { readonly paid: boolean }>
  | EventOf<
      'balance.credited',
      BalanceFacts & { readonly amount_minor: string; readonly offer_id: number; readonly title: string }
    >
  | EventOf<
      'balance.topped_up',
      BalanceFacts & {
        readonly amount_minor: string;
        readonly vat_minor: string;
        readonly method: 'card' | 'platform';
      }
    >
  | EventOf<'balance.low', BalanceFacts & { readonly threshold_minor: string }>
  | EventOf<'webhook.test', { readonly environment: Mode; readonly webhook_id: string }>;
