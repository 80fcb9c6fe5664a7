/**
 * The administration of an organisation by its own people, under `/portal/api`. All paths need a signed-in person; each shape names the
 * allowed roles. A refusal is `{message}`: 403 for the role, 404 for what does not belong to the organisation.
 */
import { z } from 'zod';
import { billingDetails, role } from '../events/gateway.ts';
import {
  MAX_ADDRESS_LINES,
  MAX_CHARACTERS_OF_ADDRESS_LINE,
  MAX_CHARACTERS_OF_PURCHASE_ORDER,
} from '../values/billing-details.ts';
import { zonedDateTime } from '../values/date-time.ts';
import { keyRights, newKeyRights } from '../values/key-rights.ts';
import { enteredMailAddress } from '../values/mail-address.ts';
import { savedPlaceLimits } from '../values/offer-limits.ts';
import { offerTexts } from '../values/offer-texts.ts';
import {
  country,
  currency,
  GREATEST_ID,
  instant,
  latitude,
  longitude,
  mode,
  organisationId,
  personId,
} from '../values/primitives.ts';
import { radiusMiles } from '../values/radius.ts';
import { faultsOfShownName, showsNothing, turnsReading } from '../values/shown-name.ts';
import { timeZone } from '../values/time-zone.ts';

/** Text of one line for people. Lengths count code points (decision 18a, forms and formats). */
const readable = (atMost: number) =>
  z
    .string()
    .trim()
    .min(1, 'must not be empty')
    // The rule above reports the empty text.
    .refine((text) => text === '' || !showsNothing(text), 'must not be empty')
    .refine((text) => Array.from(text).length <= atMost, `must have at most ${atMost} characters`)
    .refine((text) => text.isWellFormed(), 'must be well-formed Unicode');

/** One line of text for lists, mails and the database. */
export const line = (atMost: number) =>
  readable(atMost).refine(
    (text) => !/[\p{Cc}\u2028\u2029]/u.test(text) && !turnsReading(text),
    'must not contain line breaks or control characters',
  );

/** Members see it when an offer has no advertised name, so the same rules apply (specification, Create). */
export const tradingName = readable(offerTexts.advertisedName.atMost).superRefine((text, context) => {
  for (const message of faultsOfShownName(text)) context.addIssue({ code: 'custom', message });
});

const email = enteredMailAddress;
const who = z.string().nullable().meta({ description: 'An email address; null: the platform team.' });

// ---- organisation

const quota = z.object({ perPerson: z.int().nonnegative(), perOrganisation: z.int().nonnegative() });
/** GET /portal/api/organisation: every role. */
export const organisationReply = z.object({
  id: organisationId,
  name: z.string(),
  tradingName: z.string(),
  country,
  currency,
  registeredAt: instant,
  /** Most offers that may be neither deleted nor Ended (decision 17, quota of offers). */
  quotas: z.object({ TEST: quota, LIVE: quota }),
  /** Whether the terms that hold are accepted; otherwise no offer can be created. */
  termsAccepted: z.boolean(),
  termsDueAt: instant.nullable().meta({
    description:
      'When new terms begin to hold, which are not accepted yet: from then on no offer can be created. Null: there are none.',
  }),
  timeZone: timeZone.nullable().meta({
    description: 'Whose days charts show. Null: none was chosen, and UTC is used.',
  }),
});
export type OrganisationReply = z.infer<typeof organisationReply>;

/** PATCH /portal/api/organisation: Admin. The reply is the organisation. */
export const organisationChange = z.object({ tradingName });

/** PUT /portal/api/organisation/time-zone: Admin. The reply is the organisation. */
export const timeZoneChange = z.object({ timeZone });

// ---- saved places

export const savedPlaceWish = z.object({
  name: line(savedPlaceLimits.nameAtMost).meta({
    description: 'Unique in the organisation, in upper and lower case alike.',
  }),
  latitude,
  longitude,
  radiusMiles: radiusMiles.nullable().meta({ description: 'Null: that of the offer.' }),
});
export type SavedPlaceWish = z.infer<typeof savedPlaceWish>;
export const savedPlace = savedPlaceWish.extend({ id: z.int().positive() });
export type SavedPlace = z.infer<typeof savedPlace>;
/** GET /portal/api/places: Marketer, Admin. By name; the same in both modes. */
export const savedPlaces = z.object({ places: z.array(savedPlace) });
export type SavedPlaces = z.infer<typeof savedPlaces>;

// ---- billing details

/** GET /portal/api/organisation/billing-details: Admin. An address may be a person's, so only those who see invoices read it. */
export const billingDetailsReply = billingDetails;
export type BillingDetailsReply = z.infer<typeof billingDetailsReply>;

const addressLine = line(MAX_CHARACTERS_OF_ADDRESS_LINE);
/** PUT /portal/api/organisation/billing-details: Admin. 200 with the details, which invoices show that are issued from now on. */
export const billingDetailsChange = z.object({
  address: z
    .array(z.string())
    .max(MAX_ADDRESS_LINES, `must have at most ${MAX_ADDRESS_LINES} lines`)
    .superRefine((lines, context) => {
      for (const [index, text] of lines.entries()) {
        const fault = addressLine.safeParse(text).error?.issues[0]?.message;
        if (fault !== undefined)
          context.addIssue({ code: 'custom', message: `line ${index + 1} ${fault}`, input: text });
      }
    })
    .transform((lines) => lines.map((text) => text.trim()))
    .meta({ description: 'Lines without name and country. An empty list removes the address.' }),
  vatNumber: line(40)
    .nullable()
    .meta({ description: "Checked by the form of VAT numbers in the organisation's country; null: none." }),
  purchaseOrder: line(MAX_CHARACTERS_OF_PURCHASE_ORDER).nullable(),
});

// ---- people

/** A person as admins see them. */
export const person = z.object({
  id: personId,
  email: z.string(),
  role,
  enabled: z.boolean(),
  invitedAt: instant,
  invitedBy: who,
  lastSignedInAt: instant.nullable().meta({ description: 'Null: the invitation is still open.' }),
  /** Keys still work after the role was lowered, but not while the person is disabled. */
  keysInForce: z.int().nonnegative(),
});
export type PortalPerson = z.infer<typeof person>;
/** GET /portal/api/people: Admin. */
export const peopleOfOrganisation = z.object({ people: z.array(person) });
export type PeopleOfOrganisation = z.infer<typeof peopleOfOrganisation>;

const authorIds = z
  .string()
  .regex(/^\d{1,9}(,\d{1,9}){0,99}$/, 'must be at most 100 ids with commas between them')
  .transform((ids) => ids.split(',').map(Number))
  .optional();
/** GET /portal/api/authors?people=3,4&keys=7: who may view offers. Names for the changes of an offer. */
export const authorsQuery = z.object({ people: authorIds, keys: authorIds });
export const authorsReply = z.object({
  people: z
    .array(z.object({ id: personId, email: z.string() }))
    .meta({ description: 'Without those who were erased.' }),
  keys: z.array(z.object({ id: z.int().positive(), lastFour: z.string() })),
});
export type AuthorsReply = z.infer<typeof authorsReply>;

/** POST /portal/api/people: Admin. 201 with the person, who gets a mail with a sign-in link. */
export const personInvitation = z.object({ email, role });
/** PATCH /portal/api/people/{id}: Admin. 200 with the person; 409 when no enabled admin would be left. */
export const personChange = z
  .object({ role: role.optional(), enabled: z.boolean().optional() })
  .refine((change) => change.role !== undefined || change.enabled !== undefined, 'must name role or enabled');
// POST /portal/api/people/{id}/invitation: Admin. No body; 200 with the person, 429 after a few invitations a day.

/** The roles whose people may order offers. */
export const orderingRole = role.extract(['admin', 'marketer']);
const limitsOfRole = keyRights.pick({ spendingPerDayMinor: true, spendingPerMonthMinor: true });
/** GET /portal/api/spending-limits: Admin. What each person of a role may order, in TEST and in LIVE mode each. */
export const spendingLimits = z.object({
  admin: limitsOfRole,
  marketer: limitsOfRole,
} satisfies Record<z.infer<typeof orderingRole>, unknown>);
export type SpendingLimits = z.infer<typeof spendingLimits>;
/** PUT /portal/api/spending-limits: Admin. The limits of one role; 200 with those of all roles, in force at once. */
export const spendingLimitsChange = limitsOfRole.extend({ role: orderingRole });
export type SpendingLimitsChange = z.infer<typeof spendingLimitsChange>;

// ---- terms

/** GET /portal/api/terms: every role. */
export const termsReply = z.object({
  /** Null: no version was ever published. */
  latest: z
    .object({
      version: z.string(),
      /** Markdown. */
      text: z.string(),
      publishedAt: instant,
      holdsFrom: instant.nullable().meta({
        description:
          'From when on offers cannot be created without it; until then the version before is enough. Null: from its publication on.',
      }),
      acceptedAt: instant.nullable(),
      acceptedBy: who,
    })
    .nullable(),
  /** Newest first. */
  earlier: z.array(
    z.object({
      version: z.string(),
      publishedAt: instant,
      acceptedAt: instant.nullable(),
      acceptedBy: who,
    }),
  ),
});
export type TermsReply = z.infer<typeof termsReply>;
/** POST /portal/api/terms/acceptance: Admin. 200 with the terms; 409, which names the latest version, when it is another one. */
export const termsAcceptance = z.object({ version: z.string().min(1).max(50) });
/** GET /portal/api/terms/text?version= */
export const termsTextQuery = z.object({ version: line(50) });
export const termsTextReply = z.object({ version: z.string(), text: z.string() });
export type TermsTextReply = z.infer<typeof termsTextReply>;

// ---- keys

/** A key in lists, without its secret. */
export const apiKey = z.object({
  id: z.int().positive(),
  mode: mode
    .nullable()
    .meta({ description: 'Null: the key has no recorded mode and is refused; create a new key.' }),
  name: z.string(),
  lastFour: z.string(),
  createdBy: z.object({ id: personId, email: z.string(), role, enabled: z.boolean() }).meta({
    description:
      'The person who created or rolled the key. The key does not work while this person is disabled.',
  }),
  createdAt: instant,
  expiresAt: instant.nullable(),
  lastUsedAt: instant.nullable().meta({ description: 'Up to ten minutes before the last use.' }),
  disabledAt: instant.nullable(),
  disabledBy: who,
  requestsPerMinute: z
    .int()
    .positive()
    .nullable()
    .meta({ description: "The key's own limit, in addition to the limit of the client IP; null: none." }),
  rights: keyRights,
  rolledFrom: z.int().positive().nullable().meta({ description: 'The key that this one replaced.' }),
  standing: z.enum(['works', 'disabled', 'expired', 'owner-disabled']),
});
export type ApiKey = z.infer<typeof apiKey>;
/** GET /portal/api/keys: Developer, Admin. Active keys first, then the latest others; 500 at most. */
export const keysReply = z.object({ keys: z.array(apiKey) });
export type KeysReply = z.infer<typeof keysReply>;

export const expiresAt = zonedDateTime
  .nullish()
  .transform((at) => at ?? null)
  .meta({ description: 'ISO 8601 with a zone, in the future; null or left out: the key does not expire.' });
/** POST /portal/api/keys: Developer, Admin. Sent twice, it makes two keys. */
export const newKey = z.object({ mode, name: line(100), expiresAt, rights: newKeyRights.optional() });
/** PATCH /portal/api/keys/{id}/rights: Admin. The body is a `keyRightsChange`; in force when this answers. */
export const keyRightsReply = z.object({ id: z.int().positive(), rights: keyRights });
export type KeyRightsReply = z.infer<typeof keyRightsReply>;
/** The 201 of POST /portal/api/keys and the 200 of POST /portal/api/keys/{id}/roll. Only these replies contain the key. */
export const issuedKey = z.object({
  id: z.int().positive(),
  key: z.string(),
  lastFour: z.string(),
  mode,
  expiresAt: instant.nullable(),
});
export type IssuedKeyReply = z.infer<typeof issuedKey>;
/** POST /portal/api/keys/{id}/disable: Developer, Admin. 200; the key has stopped working. */
export const disabledKey = z.object({ id: z.int().positive(), disabledAt: instant });
export type DisabledKeyReply = z.infer<typeof disabledKey>;

// ---- calls

/** GET /portal/api/calls? : Developer, Admin. */
export const callsQuery = z.object({
  key_id: z.coerce.number().pipe(z.int().positive().max(GREATEST_ID)).optional(),
  mode: mode.optional(),
  /** As in the log, for example `POST /offers/{offer_id}/pause`. `POST /mcp`: with all tools. */
  route: line(100).optional(),
  /** A status or a class of them. */
  status: z
    .string()
    .regex(/^([1-5]\d\d|[2-5]xx)$/, 'must be a status such as 404, or 2xx, 3xx, 4xx or 5xx')
    .optional(),
  /** The `X-Request-Id` of a reply. */
  request_id: line(64).optional(),
  /** From this instant. */
  from: zonedDateTime.optional(),
  /** Before this instant. */
  to: zonedDateTime.optional(),
  cursor: z.string().max(200).optional(),
  limit: z.coerce.number().pipe(z.int().min(1).max(200)).default(50),
});
const call = z.object({
  keyId: z.int().positive(),
  mode: mode.nullable().meta({ description: 'That of the key. Null: a key without a recorded mode.' }),
  lastFour: z.string(),
  route: z.string(),
  status: z.int(),
  returnCode: z.string().nullable(),
  durationMs: z.int().nonnegative(),
  at: instant,
  requestId: z.string().meta({ description: 'The `X-Request-Id` of the reply.' }),
});
/** Newest first. A page may be short or even empty before the end: only a `nextCursor` of null marks the last page. */
export const callsReply = z.object({
  calls: z.array(
    call.extend({
      guideEntry: z
        .string()
        .nullable()
        .meta({ description: 'Of a refused call: the id of its entry on the page `/docs/errors`.' }),
    }),
  ),
  nextCursor: z.string().nullable(),
});
/** The same for the platform team. */
export type CallPage = { readonly calls: z.infer<typeof call>[]; readonly nextCursor: string | null };
export type CallsReply = z.infer<typeof callsReply>;
