/** Moderation's internal interface: verdicts for offers, and their review for the platform team under `/admin`. */
import { z } from 'zod';
import { line } from '../portal/organisation-api.ts';
import { zonedDateTime } from '../values/date-time.ts';
import { instant, mode, organisationId } from '../values/primitives.ts';

/**
 * POST /internal/verdicts with the image's bytes as `application/octet-stream`. Allowed: the picture comes back
 * auto-oriented and re-encoded without metadata, which is what members will see. Unreadable: not a whole JPEG, PNG or
 * GIF within the limits. `reason` and `problem` are told to the advertiser.
 */
export const verdictReply = z.discriminatedUnion('verdict', [
  z.object({
    verdict: z.literal('allowed'),
    contentHash: z.string(),
    contentType: z.enum(['image/jpeg', 'image/png', 'image/gif']),
    imageBase64: z.base64(),
  }),
  z.object({ verdict: z.literal('refused'), contentHash: z.string(), reason: z.string() }),
  z.object({ verdict: z.literal('unreadable'), problem: z.string() }),
]);
export type VerdictReply = z.infer<typeof verdictReply>;

// ---- review

/**
 * A picture by either of its names: the SHA-256 of the bytes that were uploaded, which is the verdict's `contentHash`,
 * or of the cleaned ones, with which the address of an offer's image begins.
 */
export const pictureName = z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits');
const word = z.enum(['allowed', 'refused']);
const share = z.number();

/** GET /admin/pictures? */
export const picturesQuery = z.object({
  verdict: word.optional(),
  /** Uploaded at or after this instant. */
  since: zonedDateTime.optional(),
  organisationId: z.coerce.number().pipe(organisationId).optional(),
  /** `true`: only those on which no decision of a person holds. Pages may then be shorter than `limit`. */
  undecided: z.literal('true').optional(),
  cursor: z.string().max(200).optional(),
  limit: z.coerce.number().pipe(z.int().min(1).max(500)).default(50),
});

/** What the last uploader was told. */
const upload = z.object({
  at: instant,
  organisationId,
  mode,
  verdict: word,
  /** Null when allowed. */
  reason: z.string().nullable(),
});
/** Those uploaded last come first. */
export const picturesReply = z.object({
  pictures: z.array(
    upload.extend({
      contentHash: pictureName,
      cleanHash: pictureName,
      /** What the next upload would be told; null: the model has not judged it as it is set now. */
      now: word.nullable(),
      /** The worst look, by the model as it is set now; null when it has not judged. */
      explicit: share.nullable(),
      suggestive: share.nullable(),
      uploads: z.int().positive(),
    }),
  ),
  nextCursor: z.string().nullable(),
});
export type PicturesReply = z.infer<typeof picturesReply>;

const rulingAction = z.enum(['allow', 'block', 'withdraw']);
const ruling = z.object({
  /** They count from 1, in the order in which they were made. */
  number: z.int().positive(),
  at: instant,
  author: z.string(),
  action: rulingAction,
  reason: z.string(),
  contentHash: pictureName,
});
export type RulingReply = z.infer<typeof ruling>;

/** GET /admin/rulings? : the decisions of people, latest first; `before` is the number that ended the page before. */
export const rulingsQuery = z.object({
  before: z.coerce.number().pipe(z.int().positive()).optional(),
  limit: z.coerce.number().pipe(z.int().min(1).max(500)).default(50),
});
export const rulingsReply = z.object({ rulings: z.array(ruling) });

/**
 * POST /admin/rulings: a person decides about a picture that is known by its name, or is given. Its author is the name of the credential. `withdraw` takes back
 * what was decided, and the model decides again. The reply is the picture's `pictureReply`.
 */
export const rulingRequest = z
  .object({
    action: rulingAction,
    reason: line(500),
    name: pictureName.optional(),
    imageBase64: z.base64().optional(),
  })
  .refine(({ name, imageBase64 }) => (name === undefined) !== (imageBase64 === undefined), {
    path: ['name'],
    error: 'must be given, or else imageBase64',
  });
export type RulingRequest = z.infer<typeof rulingRequest>;

/** GET /admin/pictures/{name} */
export const pictureReply = z.object({
  contentHash: pictureName,
  cleanHash: pictureName,
  /** What the next upload would be told, and the ruling by which, if it is one. */
  now: z.object({ verdict: word.nullable(), reason: z.string().nullable(), ruling: ruling.nullable() }),
  /** Whether a block would find changed copies, or this picture is too plain for that. */
  copiesRecognised: z.boolean(),
  /** Null for a picture that was never uploaded to an offer. */
  uploaded: z
    .object({
      type: z.enum(['jpeg', 'png', 'gif']),
      frames: z.int().positive(),
      uploads: z.int().positive(),
      firstAt: instant,
      last: upload,
    })
    .nullable(),
  /** Latest first, as are the rulings: those on the picture, and the one that holds. */
  verdicts: z.array(
    z.object({
      judgedAt: instant,
      model: z.object({ name: z.string(), version: z.string() }),
      thresholds: z.object({ explicit: share, suggestive: share }),
      /** Whether model and thresholds are those of now; others are no longer asked. */
      current: z.boolean(),
      verdict: word,
      reason: z.string().nullable(),
      /** Each look's scores, with the model's own words. */
      looks: z.array(z.object({ explicit: share, suggestive: share, labels: z.record(z.string(), share) })),
    }),
  ),
  rulings: z.array(ruling),
  /** Whether a small copy is kept for review. */
  copyKept: z.boolean(),
});
export type PictureReply = z.infer<typeof pictureReply>;

/** GET /admin/pictures/{name}/copy */
export const copyReply = z.object({ jpegBase64: z.base64() });
