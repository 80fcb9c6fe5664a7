/** The internal admin routes of the gateway: organisations, people, terms, keys and calls (general rules: api.ts). */

import { z } from 'zod';
import { billingDetails, role } from '../events/gateway.ts';
import {
  callsQuery,
  expiresAt,
  type IssuedKeyReply,
  line,
  savedPlace,
  spendingLimits,
  tradingName,
} from '../portal/organisation-api.ts';
import { zonedDateTime } from '../values/date-time.ts';
import { newKeyRights } from '../values/key-rights.ts';
import { enteredMailAddress } from '../values/mail-address.ts';
import {
  country,
  currency,
  GREATEST_ID,
  instant,
  mode,
  organisationId,
  personId,
} from '../values/primitives.ts';
import { reason, trueOrFalse } from './api.ts';

const name = line(200);
const email = enteredMailAddress;

const isStorable = (text: string) => text.isWellFormed() && !text.includes('\0');

/** POST /admin/organisations */
export const registration = z.object({ name, tradingName, country, currency, adminEmail: email });

/** The facts of an organisation that are in every reply about it. */
export const organisationSummary = z.object({
  id: organisationId,
  name: z.string(),
  tradingName: z.string(),
  country,
  currency,
  adminEmail: z.string().nullable(),
});
export type OrganisationSummary = z.infer<typeof organisationSummary>;

/** GET /admin/organisations? : newest first; `before` is the `nextBefore` of the previous page. */
export const organisationsQuery = z.object({
  /**
   * An id, or part of a name, trading name or email address; upper and lower case are equal. An address that somebody has finds only those
   * who have it.
   */
  search: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .refine(isStorable, 'must be well-formed Unicode without NUL')
    .optional(),
  enabled: trueOrFalse.optional(),
  /** false: those that wait for their first approval. */
  approved: trueOrFalse.optional(),
  before: z.coerce.number().pipe(z.int().positive()).optional(),
  limit: z.coerce.number().pipe(z.int().min(1).max(1_000)).default(100),
});
export type OrganisationsQuery = z.infer<typeof organisationsQuery>;
/** POST /admin/organisations/{id}/withdraw-approval. The organisation reads the reason, in a mail and in the portal. */
export const withdrawalRequest = z.object({ reason: line(500) });
const quota = z.object({ perPerson: z.int(), perOrganisation: z.int() });
/** An organisation in lists, and the reply to every change of it. */
export const organisationDetails = organisationSummary.extend({
  enabled: z.boolean(),
  /** Null: it waits for POST /admin/organisations/{id}/approve. `by`: the name from the admin call, or the automatic reason. */
  approval: z.object({ at: instant, by: z.string() }).nullable(),
  /** Null: the approval was not withdrawn, or was given again. */
  withdrawal: z.object({ at: instant, reason: z.string() }).nullable(),
  termsAccepted: z.boolean(),
  quotas: z.object({ TEST: quota, LIVE: quota }),
});
export type OrganisationDetails = z.infer<typeof organisationDetails>;
/** GET /admin/organisations/{id} : only this reply has the address and the saved places. */
export const oneOrganisation = organisationDetails.extend({
  billingDetails,
  spendingLimits,
  savedPlaces: z.array(savedPlace),
});
export type OneOrganisation = z.infer<typeof oneOrganisation>;
export const organisationsReply = z.object({
  organisations: z.array(organisationDetails),
  nextBefore: z.int().nullable(),
});
export type OrganisationsReply = z.infer<typeof organisationsReply>;

/** An organisation has at most so many notes of staff. */
export const mostNotes = 200;
/** POST /admin/organisations/{id}/notes/add */
export const noteWish = z.object({
  text: z
    .string()
    .trim()
    .min(1, 'must not be empty')
    .refine((text) => Array.from(text).length <= 2_000, 'must have at most 2,000 characters')
    .refine(isStorable, 'must be well-formed Unicode without NUL'),
});
export const organisationNote = z.object({
  id: z.int().positive(),
  text: z.string(),
  writtenAt: instant,
  /** A name of the platform team. */
  writtenBy: z.string(),
});
export type OrganisationNote = z.infer<typeof organisationNote>;
/** GET /admin/organisations/{id}/notes : all, newest first */
export const notesReply = z.object({ notes: z.array(organisationNote) });
export type NotesReply = z.infer<typeof notesReply>;
// POST /admin/organisations/{id}/notes/{id}/delete: `switchRequest`

/** GET /admin/organisations/{id}/terms : the latest versions, newest first, and whether the organisation accepted each. */
export const organisationTermsReply = z.object({
  terms: z.array(
    z.object({
      version: z.string(),
      publishedAt: instant,
      acceptedAt: instant.nullable(),
      /** An email address; null when the platform team accepted for the organisation. */
      acceptedBy: z.string().nullable(),
    }),
  ),
});
export type OrganisationTermsReply = z.infer<typeof organisationTermsReply>;

const maxOffers = z.int().nonnegative().max(1_000_000);
/** POST /admin/organisations/{id}/quota; a missing limit stays as it is. */
export const quotaChange = z.object({
  mode,
  perPerson: maxOffers.optional(),
  perOrganisation: maxOffers.optional(),
  reason,
});

// POST /admin/organisations/{id}/spending-limits: `spendingLimitsChange`

/** POST /admin/organisations/{id}/people */
export const invitation = z.object({ email, role: role.default('developer') });
/** POST /admin/organisations/{id}/people/disable, /enable and /invitation (sends it again) */
export const personNamed = z.object({ email });
/** POST /admin/organisations/{id}/people/role */
export const roleChange = z.object({ email, role });
/** GET /admin/organisations/{id}/people */
export const peopleReply = z.object({
  people: z.array(
    z.object({
      id: personId,
      email: z.string(),
      role,
      enabled: z.boolean(),
      /** Invited by a colleague and not signed in yet: the person gets no other mails about the organisation until then. */
      awaited: z.boolean().optional(),
    }),
  ),
});
export type PeopleReply = z.infer<typeof peopleReply>;

/** POST /admin/terms: Markdown. The text of a version cannot be changed later. */
export const termsVersion = z.object({
  version: line(50),
  text: z
    .string()
    .refine((text) => text.trim() !== '', 'must not be empty')
    .refine((text) => Array.from(text).length <= 100_000, 'must have at most 100,000 characters')
    .refine(isStorable, 'must be well-formed Unicode without NUL'),
  /** From when on offers cannot be created without it; until then the version before is enough. Left out: at once. */
  holdsFrom: zonedDateTime.optional(),
  reason,
});
/** GET /admin/terms: the latest hundred versions, newest first. */
export const termsVersionsReply = z.object({
  versions: z.array(
    z.object({
      id: z.int().positive(),
      version: z.string(),
      publishedAt: instant,
      /** Null: from its publication on. */
      holdsFrom: instant.nullable(),
      /** How many organisations have accepted it. */
      accepted: z.int().nonnegative(),
    }),
  ),
  /** Enabled organisations, and their enabled admins: all must accept a new version again before it holds. */
  organisations: z.int().nonnegative(),
  admins: z.int().nonnegative(),
});
export type TermsVersionsReply = z.infer<typeof termsVersionsReply>;
/** GET /admin/terms/{id} */
export const termsVersionReply = z.object({
  id: z.int().positive(),
  version: z.string(),
  publishedAt: instant,
  text: z.string(),
});
export type TermsVersionReply = z.infer<typeof termsVersionReply>;

/**
 * POST /admin/people/erase: a person by address or by id. Erased is the address, with all memberships of it in every organisation. A
 * repetition finds what is left.
 */
export const personErasure = z.object({
  person: z.union([z.object({ email }), z.object({ id: personId.max(GREATEST_ID) })]),
  /** True: only says what would be erased. */
  dryRun: z.boolean(),
  reason,
});
export const personErasureReply = z.object({
  /** Null: only an id was given, and the person with this id was erased before. */
  email: z.string().nullable(),
  /** One for each organisation of the address that was not erased before. */
  memberships: z.array(
    z.object({
      personId,
      organisationId,
      organisationName: z.string(),
      role,
      /** Without the person, nobody is an enabled admin of the organisation. */
      isLastAdmin: z.boolean(),
    }),
  ),
  /** How many rows were erased, or with `dryRun` would be. */
  sessions: z.int(),
  links: z.int(),
  signUps: z.int(),
  /** Events with the address, of the last 14 days. Null: a dry run does not look for them. */
  events: z.int().nullable(),
});
export type PersonErasureReply = z.infer<typeof personErasureReply>;

/** At most what one replica can serve; null: only the limit of the client IP applies. */
const requestsPerMinute = z.int().min(1).max(100_000).nullable();
/** POST /admin/keys. Mode null: like keys from before modes were recorded. */
export const keyWish = z.object({
  // The largest id of the store.
  organisationId: organisationId.max(GREATEST_ID),
  mode: mode.nullable(),
  expiresAt,
  /** The owner of the key; the organisation's first admin if left out. */
  personEmail: email.optional(),
  name: line(100).default('API key'),
  requestsPerMinute: requestsPerMinute.default(null),
  rights: newKeyRights.optional(),
});
// POST /admin/keys/{id}/rights: `keyRightsChange`
const placementRequestsPerMinute = z.int().min(1).max(1_000_000);
/** POST /admin/placement-keys. The default limit is a thousand requests a second. */
export const placementKeyWish = z.object({
  mode,
  expiresAt,
  name: line(100).default('Placement key'),
  requestsPerMinute: placementRequestsPerMinute.default(60_000),
  reason,
});
/** POST /admin/placement-keys/{id}/roll. The old key works for this long beside the new one; 0: it stops at once. */
export const placementKeyRoll = z.object({ overlapHours: z.int().min(0).max(168).default(0), reason });
/** POST /admin/placement-keys/{id}/disable */
export const placementKeyDisabling = z.object({ reason });
/** POST /admin/placement-keys/{id}/limit */
export const placementKeyLimit = z.object({ requestsPerMinute: placementRequestsPerMinute, reason });
/** A placement key in lists, without its secret, and the reply to /disable and /limit */
export const placementKey = z.object({
  id: z.int().positive(),
  mode,
  name: z.string(),
  lastFour: z.string(),
  createdAt: instant,
  expiresAt: instant.nullable(),
  disabledAt: instant.nullable(),
  /** Up to ten minutes before the last use. */
  lastUsedAt: instant.nullable(),
  /** The key that this one replaced. */
  rolledFrom: z.int().positive().nullable(),
  requestsPerMinute: z.int().positive(),
});
export type PlacementKey = z.infer<typeof placementKey>;
/** GET /admin/placement-keys: the latest 500, newest first */
export const placementKeysReply = z.object({ keys: z.array(placementKey) });
export type PlacementKeysReply = z.infer<typeof placementKeysReply>;
/** The reply to POST /admin/placement-keys and to /roll. Only these contain the key. */
export type IssuedPlacementKeyReply = IssuedKeyReply;
/** POST /admin/keys/{id}/limit */
export const keyLimit = z.object({ requestsPerMinute });
/** GET /admin/organisations/{id}/calls? : the organisation's own query with longer pages. */
export const callLogPage = callsQuery.extend({
  limit: z.coerce.number().int().min(1).max(1_000).default(100),
});
