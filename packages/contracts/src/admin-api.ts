/**
 * The internal admin routes: what the platform team's tool asks of the services that own things, under `/admin`, each
 * with the service's own credential. A refusal is a 4xx with `{message}`.
 */
import { z } from 'zod';
import {
  invoice,
  invoicesQuery,
  lowBalanceRequest,
  statementPeriod,
  withPeriodInOrder,
} from './billing-api.ts';
import { isBilledCurrency } from './currencies.ts';
import { zonedDateTime } from './date-time.ts';
import { role } from './gateway-events.ts';
import { callsQuery, line, tradingName } from './portal-organisation-api.ts';
import {
  categoryId,
  country,
  currency,
  instant,
  interestId,
  milliseconds,
  minorUnits,
  mode,
  offerId,
  offerStatuses,
  organisationId,
  paymentMethod,
  personId,
} from './primitives.ts';

const name = line(200);
const email = z.email().max(254);

// ---- gateway: organisations, people, terms

/** POST /admin/organisations */
export const registration = z.object({ name, tradingName, country, currency, adminEmail: email });

/** The facts of an organisation that every reply about one has. */
export const organisationSummary = z.object({
  id: organisationId,
  name: z.string(),
  tradingName: z.string(),
  country,
  currency,
  adminEmail: z.string().nullable(),
});
export type OrganisationSummary = z.infer<typeof organisationSummary>;

/** Why somebody did it, for the audit log of the service; the admin tool has no option for it. */
const reason = line(500).optional();
/** POST /admin/organisations/{id}/disable and /enable, POST /admin/offers/{id}/disable and /enable */
export const switchRequest = z.object({ reason });

/** GET /admin/organisations? : those registered last come first; `before` is the `nextBefore` of the page before. */
export const organisationsQuery = z.object({
  /** Part of a name, of a trading name or of a person's address, in any case; or an id. */
  search: z.string().trim().min(1).max(200).optional(),
  enabled: z
    .enum(['true', 'false'])
    .transform((word) => word === 'true')
    .optional(),
  before: z.coerce.number().pipe(z.int().positive()).optional(),
  limit: z.coerce.number().pipe(z.int().min(1).max(1_000)).default(100),
});
export type OrganisationsQuery = z.infer<typeof organisationsQuery>;
const quota = z.object({ perPerson: z.int(), perOrganisation: z.int() });
/** GET /admin/organisations/{id} */
export const organisationDetails = organisationSummary.extend({
  enabled: z.boolean(),
  termsAccepted: z.boolean(),
  quotas: z.object({ TEST: quota, LIVE: quota }),
});
export type OrganisationDetails = z.infer<typeof organisationDetails>;
export const organisationsReply = z.object({
  organisations: z.array(organisationDetails),
  nextBefore: z.int().nullable(),
});
export type OrganisationsReply = z.infer<typeof organisationsReply>;

/** GET /admin/organisations/{id}/terms : the latest versions, newest first, and whether the organisation accepted each. */
export const organisationTermsReply = z.object({
  terms: z.array(
    z.object({
      version: z.string(),
      publishedAt: instant,
      acceptedAt: instant.nullable(),
      /** An address; null when the platform team accepted for the organisation. */
      acceptedBy: z.string().nullable(),
    }),
  ),
});
export type OrganisationTermsReply = z.infer<typeof organisationTermsReply>;

const mostOffers = z.int().nonnegative().max(1_000_000);
/** POST /admin/organisations/{id}/quota; a limit that is left out stays. */
export const quotaChange = z.object({
  mode,
  perPerson: mostOffers.optional(),
  perOrganisation: mostOffers.optional(),
  reason,
});

/** POST /admin/organisations/{id}/people */
export const invitation = z.object({ email, role: role.default('developer') });
/** POST /admin/organisations/{id}/people/disable, /enable and /invitation (sent again) */
export const personNamed = z.object({ email });
/** POST /admin/organisations/{id}/people/role */
export const roleChange = z.object({ email, role });
/** GET /admin/organisations/{id}/people */
export const peopleReply = z.object({
  people: z.array(z.object({ id: personId, email: z.string(), role, enabled: z.boolean() })),
});
export type PeopleReply = z.infer<typeof peopleReply>;

/** POST /admin/terms: plain text or Markdown; a version that is published without its text has none for ever. */
export const termsVersion = z.object({
  version: line(50),
  text: z
    .string()
    .refine((text) => text.trim() !== '', 'must not be empty')
    .refine((text) => Array.from(text).length <= 100_000, 'must have at most 100,000 characters')
    .refine((text) => text.isWellFormed() && !text.includes('\0'), 'must be well-formed Unicode without NUL')
    .nullish()
    .transform((text) => text ?? null),
});

// ---- gateway: keys and calls

/** At most what one replica answers; null: no limit but that of the client IP. */
const requestsPerMinute = z.int().min(1).max(100_000).nullable();
/** POST /admin/keys. Mode null: as keys were before modes were recorded. */
export const keyWish = z.object({
  // As far as identities go in the store.
  organisationId: organisationId.max(2 ** 31 - 1),
  mode: mode.nullable(),
  expiresAt: zonedDateTime.nullish().transform((at) => at ?? null),
  /** Whose key it is; the organisation's first admin when nobody is named. */
  personEmail: z.email().optional(),
  name: line(100).default('API key'),
  requestsPerMinute: requestsPerMinute.default(null),
});
/** POST /admin/keys/{id}/limit */
export const keyLimit = z.object({ requestsPerMinute });
/** GET /admin/organisations/{id}/calls? : as people of the organisation ask, in longer pages. */
export const callLogPage = callsQuery.extend({
  limit: z.coerce.number().int().min(1).max(1_000).default(100),
});

// ---- billing

/** GET /admin/balances? */
export const balanceQuery = z.object({
  organisationId: z.coerce.number().pipe(organisationId),
  mode,
  currency,
});
/** Typed by hand, and never taken back: far above what anybody pays, and far below what a balance can hold. */
const LARGEST_TOP_UP_MINOR = 99_999_999_999_999n;

/** POST /admin/balances/top-up */
export const topUpRequest = z.object({
  organisationId,
  mode,
  currency: currency.refine(isBilledCurrency, 'is not a billed currency'),
  amountMinor: minorUnits
    .transform(BigInt)
    .refine((amount) => amount > 0n, 'must be above zero')
    .refine((amount) => amount <= LARGEST_TOP_UP_MINOR, `must be at most ${LARGEST_TOP_UP_MINOR}`),
  /** Names the payment behind the top-up; sent again, it is not booked again. It stands on the statement. */
  reference: line(200),
});
/** The reply to both. */
export const balanceStanding = z.object({ organisationId, mode, currency, balanceMinor: minorUnits });
export type BalanceStanding = z.infer<typeof balanceStanding>;

/** GET /admin/balances/statement? and its reply: as the organisation's own statement, in longer pages. */
export const adminStatementQuery = withPeriodInOrder(
  z.object({
    ...balanceQuery.shape,
    ...statementPeriod.shape,
    limit: z.coerce.number().pipe(z.int().min(1).max(1_000)).default(100),
  }),
);
/** GET /admin/balances/threshold? takes a `balanceQuery`, PUT this; the reply is the organisation's own. */
export const lowBalanceOrder = z.object({
  organisationId,
  mode,
  currency: currency.refine(isBilledCurrency, 'is not a billed currency'),
  ...lowBalanceRequest.shape,
});

/** GET /admin/invoices?; the reply is the organisation's own. */
export const adminInvoicesQuery = invoicesQuery.extend({
  organisationId: balanceQuery.shape.organisationId,
  mode,
});
/** GET /admin/invoices/{number}: the facts of any organisation's. */
export const adminInvoice = invoice.extend({
  organisationId,
  /** As the document names it; null while billing has not heard of the organisation. */
  organisationName: z.string().nullable(),
  cause: z.string().meta({ description: 'Names the transaction of the ledger.' }),
});
export type AdminInvoice = z.infer<typeof adminInvoice>;

/** GET /admin/ledger/check */
export const ledgerCheckReply = z.object({
  ok: z.boolean(),
  transactions: z.int().nonnegative(),
  problems: z.array(z.string()),
});
export type LedgerCheckReply = z.infer<typeof ledgerCheckReply>;

// ---- offers

const adminOfferStatus = z.enum([...offerStatuses, 'Deleted']);
/** An offer of any organisation, as the platform's own people see it. */
export const adminOffer = z.object({
  id: offerId,
  organisationId,
  mode,
  createdBy: personId.nullable(),
  title: z.string(),
  status: adminOfferStatus,
  enabled: z.boolean(),
  paymentMethod,
  currency,
  netMinor: minorUnits,
  vatMinor: minorUnits,
  paymentUrl: z.string().nullable(),
  createdAt: instant,
  startAt: instant,
  expiryAt: instant,
  paidAt: instant.nullable(),
  paymentAppliedAt: instant.nullable(),
  pausedSince: instant.nullable(),
  disabledSince: instant.nullable(),
  deletedAt: instant.nullable(),
  unusedMs: milliseconds,
  scheduledMs: milliseconds,
  version: z.int(),
  /** Of the cleaned picture: moderation's `cleanHash`. */
  imageHash: z.string(),
});
export type AdminOffer = z.infer<typeof adminOffer>;
/** GET /admin/offers/{id}, and the reply to /disable and /enable */
export const adminOfferReply = adminOffer.extend({
  description: z.string(),
  termsAndConditions: z.string(),
  advertisedName: z.string(),
  url: z.string(),
  /** Beside what analytics show, what was filtered (decision 50). */
  traffic: z.object({
    views: z.number(),
    clicks: z.number(),
    viewsRepeated: z.number(),
    clicksRepeated: z.number(),
    viewsAutomated: z.number(),
    clicksAutomated: z.number(),
  }),
});
export type AdminOfferReply = z.infer<typeof adminOfferReply>;

/** GET /admin/offers? : those of an organisation in a mode that are not deleted, newest first. */
export const adminOffersQuery = z.object({
  organisationId: z.coerce.number().pipe(organisationId.max(2 ** 31 - 1)),
  mode,
  cursor: z.string().max(100).optional(),
  limit: z.coerce.number().pipe(z.int().min(1).max(100)).default(20),
});
export const adminOffersReply = z.object({ offers: z.array(adminOffer), nextCursor: z.string().nullable() });
export type AdminOffersReply = z.infer<typeof adminOffersReply>;

/** GET /admin/images/{hash}/offers : the latest that show the picture and are not deleted. /admin/images/{hash} is the picture. */
export const imageNamed = z.object({
  hash: z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits'),
});
export const imageOffersReply = z.object({ offers: z.array(adminOffer) });
export type ImageOffersReply = z.infer<typeof imageOffersReply>;

/** As far as ids go in the store. */
const greatestId = 2 ** 31 - 1;
const category = z.object({
  categoryId: categoryId.max(greatestId),
  categoryName: line(100),
  active: z.boolean().default(true),
  /** Null: every organisation may use it. */
  organisationIds: z.array(organisationId.max(greatestId)).max(1_000).nullable().default(null),
});
const interest = z.object({
  interestId: interestId.max(greatestId),
  interestName: line(100),
  active: z.boolean().default(true),
});
/** Far more than people can choose from; what they choose from travels as one event. */
const mostEntries = 5_000;

/** PUT /admin/catalogue: the whole of it; what it does not name becomes inactive. */
export const catalogueReplacement = z.object({
  /** The version that it is meant to replace: 409 when there is another by then. Left out, it replaces any. */
  version: z.int().nonnegative().optional(),
  categories: z
    .array(category)
    .max(mostEntries)
    .refine(...eachOnce('categoryId')),
  interests: z
    .array(interest)
    .max(mostEntries)
    .refine(...eachOnce('interestId')),
});
export type CatalogueReplacement = z.infer<typeof catalogueReplacement>;
/** GET /admin/catalogue, and the reply to its replacement: everything that there ever was, as it was named then. */
export const catalogueReply = z.object({
  version: z.int().nonnegative(),
  categories: z.array(category.extend({ categoryName: z.string() })),
  interests: z.array(interest.extend({ interestName: z.string() })),
});
export type Catalogue = z.infer<typeof catalogueReply>;

function eachOnce<K extends string>(id: K) {
  const isEachOnce = (entries: readonly Record<K, number>[]) =>
    new Set(entries.map((entry) => entry[id])).size === entries.length;
  return [isEachOnce, `must name each ${id} once`] as const;
}

// ---- pricing

/** POST /admin/members/generate */
export const memberGeneration = z.object({
  count: z.int().min(1).max(100_000_000),
  seed: z.int().nonnegative(),
});

/** POST /admin/members/check */
export const membersCheckRequest = z.object({ repair: z.boolean().default(false) });
/** How the audience index of the replica that answers compares with MongoDB. Numbers only: ids of members are personal. */
export const membersCheckReply = z.object({
  /** Nothing differs, or no longer. */
  ok: z.boolean(),
  /** Who counts by MongoDB, and by the index. */
  members: z.int().nonnegative(),
  indexed: z.int().nonnegative(),
  /** Count by MongoDB alone, by the index alone, and by both but differently. */
  missing: z.int().nonnegative(),
  surplus: z.int().nonnegative(),
  different: z.int().nonnegative(),
  repaired: z.int().nonnegative(),
  /** False: so many differ that it was not looked any further. */
  complete: z.boolean(),
});
export type MembersCheck = z.infer<typeof membersCheckReply>;

/** GET /admin/rates : as the replica that answers has them. */
export const ratesReply = z.object({
  /** The newest fixing in use; null: there is none, and only pounds can be billed. */
  date: z.string().nullable(),
  /** Fixings that should exist by now and are not there; out of date from 2 on, and 30 stands for that many or more. */
  missingFixings: z.int().nonnegative(),
  outOfDate: z.boolean(),
  /** Of the billed currencies, as callers are shown them; null: the currency cannot be billed now. */
  perGbp: z.array(z.object({ currency, rate: z.string().nullable() })),
  /** What came of the last look at the feed, if it was not taken; a fixing that jumps waits for a person. */
  refused: z
    .object({
      at: instant,
      reason: z.enum(['unreachable', 'malformed', 'wrong-date', 'older', 'jump']),
      problem: z.string(),
      /** Of the fixing that jumps, and the currencies that do. */
      jump: z
        .object({
          date: z.string(),
          currencies: z.array(
            z.object({ currency, lastPerEuro: z.string().nullable(), perEuro: z.string() }),
          ),
        })
        .nullable(),
    })
    .nullable(),
});
export type RatesReply = z.infer<typeof ratesReply>;

/** POST /admin/rates/refresh */
export const ratesRefresh = z.object({
  /** The date of the fixing in which a currency may have moved by more than 20 %, because somebody has made sure that it did. */
  acceptJump: z.iso.date().optional(),
  reason,
});

// ---- every service that consumes events

/** GET /admin/parked?limit= */
export const parkedPage = z.object({ limit: z.coerce.number().int().min(1).max(1_000).default(100) });
export const parkedReply = z.object({
  parked: z.array(
    z.object({
      id: z.string(),
      type: z.string().nullable(),
      subject: z.string().nullable(),
      reason: z.string(),
      attempts: z.int().nonnegative(),
      /** ISO 8601; null when the broker itself parked it, after repeated crashes. */
      parkedAt: z.string().nullable(),
      body: z.string(),
    }),
  ),
});
export type ParkedMessage = z.infer<typeof parkedReply>['parked'][number];
/** POST /admin/parked/replay and /drop */
export const parkedSelection = z.object({
  ids: z.union([z.literal('all'), z.array(z.string()).min(1)]),
  reason,
});

// ---- every service that publishes events

/** POST /admin/events/republish: those that happened from `from` on and before `to`, if that is given. */
export const republishRequest = z.object({
  from: zonedDateTime,
  to: zonedDateTime.optional(),
  /** As the first reply of a selection said, which is taken in several. */
  upTo: z
    .string()
    .regex(/^\d{1,18}$/)
    .transform(BigInt)
    .optional(),
});
/** 0: there are no more. */
export const republishReply = z.object({ republished: z.int().nonnegative(), upTo: z.string() });
export type RepublishReply = z.infer<typeof republishReply>;

/** Who bears what the card provider took back: the organisation's prepaid balance, or the platform. */
const bearer = z.enum(['platform', 'balance']);
const settlement = z.object({
  borneBy: bearer,
  reason: z.string(),
  decidedBy: z.string(),
  settledAt: instant,
  /** The provider has returned the money since, and whoever bore it got it back. */
  givenBack: z.boolean(),
});

/** POST /admin/card-problems/settle: a person's decision, one for each refund or dispute; the same again is the first. */
export const settleRequest = z.object({
  id: z.string().min(1).max(200),
  borneBy: bearer,
  reason: line(500),
});
export const settleReply = settlement.extend({
  id: z.string(),
  kind: z.enum(['refund', 'dispute']),
  mode,
  amountMinor: minorUnits,
  currency: z.string(),
});
export type CardSettled = z.infer<typeof settleReply>;

/** GET /admin/card-problems: what the card provider did with money and a person has to look at, the latest first. */
export const cardProblemsQuery = z.object({ limit: z.coerce.number().int().min(1).max(500).default(100) });
export const cardProblemsReply = z.object({
  /** Refunds made at the provider, and disputes. */
  reversals: z.array(
    z.object({
      id: z.string(),
      kind: z.enum(['refund', 'dispute']),
      mode,
      amountMinor: minorUnits,
      currency: z.string(),
      /** The provider's words. */
      status: z.string(),
      reason: z.string().nullable(),
      heardAt: z.string(),
      /** Whether the money has left, and whether it has come back. */
      taken: z.boolean(),
      returned: z.boolean(),
      /** Null while the payment that it is of is not known. */
      organisationId: organisationId.nullable(),
      offerId: z.int().nullable(),
      topUpId: z.int().nullable(),
      /** Whether the ledger has all of it. */
      booked: z.boolean(),
      /** Null while nobody has decided who bears it. */
      settlement: settlement.nullable(),
    }),
  ),
  /** Payments that could not be applied: money arrived that is nobody's. */
  payments: z.array(
    z.object({
      eventId: z.string(),
      mode,
      problem: z.string(),
      heardAt: z.string(),
      sessionId: z.string().nullable(),
      amountMinor: minorUnits.nullable(),
      currency: z.string().nullable(),
      offerId: z.int().nullable(),
      topUpId: z.int().nullable(),
    }),
  ),
});
export type CardProblemsReply = z.infer<typeof cardProblemsReply>;

// ---- notifier

/**
 * `waiting`: nobody is known to whom it could go. `failed`: parked with the reason. `suppressed`: a server has said that nobody
 * is at the address.
 */
export const notificationState = z.enum(['waiting', 'pending', 'sending', 'sent', 'failed', 'suppressed']);
export type NotificationState = z.infer<typeof notificationState>;

/** GET /admin/notifications? : the latest first. Never what they say, which holds links that open doors. */
export const notificationsQuery = z.object({
  state: notificationState.optional(),
  organisationId: z.coerce.number().pipe(organisationId).optional(),
  /** In any case. */
  recipient: z.string().min(1).max(254).optional(),
  since: zonedDateTime.optional(),
  limit: z.coerce.number().int().min(1).max(1_000).default(100),
});
export type NotificationsQuery = z.infer<typeof notificationsQuery>;
const notificationSummary = z.object({
  /** Its cause and its recipient. */
  id: z.string(),
  state: notificationState,
  event: z.string(),
  /** Null: it is for somebody who has no organisation yet. */
  organisationId: organisationId.nullable(),
  recipient: z.string().nullable(),
  subject: z.string().nullable(),
  createdAt: instant,
  attempts: z.int().nonnegative(),
  /** Null when no attempt is to come. */
  nextAttemptAt: instant.nullable(),
  settledAt: instant.nullable(),
  problem: z.string().nullable(),
});
export type NotificationSummary = z.infer<typeof notificationSummary>;
export const notificationsReply = z.object({ notifications: z.array(notificationSummary) });

/** GET /admin/notifications/one? and POST /admin/notifications/resend, which answers with it as it then is. */
export const notificationNamed = z.object({ id: z.string().min(1).max(1_000) });
export const notificationReply = notificationSummary.extend({
  /** As its mail carries it at every attempt; null while it waits. */
  messageId: z.string().nullable(),
  expiresAt: instant.nullable(),
  /** What came of its attempts, the latest last. */
  history: z.array(
    z.object({
      at: instant,
      state: notificationState,
      problem: z.string().nullable(),
      /** The server's words when it took the mail. */
      reply: z.string().nullable(),
      /** The server may have taken it all the same, so the next attempt may have made it two. */
      uncertain: z.boolean(),
    }),
  ),
  resends: z.array(z.object({ at: instant, by: z.string() })),
});
export type NotificationShown = z.infer<typeof notificationReply>;

/** GET /admin/bounces?limit= : addresses at which a server said that nobody is, the latest first. */
export const bouncesQuery = z.object({ limit: z.coerce.number().int().min(1).max(1_000).default(100) });
export const bouncesReply = z.object({
  bounces: z.array(
    z.object({
      address: z.string(),
      refusals: z.int().positive(),
      lastRefusedAt: instant,
      /** Until then mails to it are suppressed. */
      heededUntil: instant,
      problem: z.string(),
    }),
  ),
});
export type BouncesReply = z.infer<typeof bouncesReply>;
/** POST /admin/bounces/forget, which answers with the address. */
export const bounceNamed = z.object({ address: z.string().min(1).max(254) });
