/** Moderation's internal interface: verdicts and renditions for the offers service, and the platform team's review of verdicts under `/admin`. */
import { z } from 'zod';
import { renditionWidths } from '../pictures/renditions.ts';
import { line } from '../portal/organisation-api.ts';
import { zonedDateTime } from '../values/date-time.ts';
import { instant, mode, organisationId } from '../values/primitives.ts';

/** The body of a reply that is not JSON. */
const pictureReplyBody = z.object({
  contentType: z.enum(['image/jpeg', 'image/png', 'image/gif']),
  bytes: z.custom<Uint8Array>((bytes) => bytes instanceof Uint8Array),
});

/**
 * POST /internal/verdicts with the image's bytes as `application/octet-stream`. Allowed: the body of the reply is the picture itself,
 * auto-oriented and re-encoded without metadata; members see this one. The other verdicts are JSON. Unreadable: not a complete JPEG, PNG
 * or GIF within the limits. The advertiser sees `reason` and `problem`.
 */
export const verdictReply = z.union([
  pictureReplyBody.transform((picture) => ({ verdict: 'allowed' as const, ...picture })),
  z.object({ verdict: z.literal('refused'), reason: z.string() }),
  z.object({ verdict: z.literal('unreadable'), problem: z.string() }),
]);
export type VerdictReply = z.infer<typeof verdictReply>;

/**
 * GET /internal/verdicts/{clean_hash}: whether a cleaned picture that is stored may be shown in another offer too. People may have blocked it,
 * or its upload may be judged otherwise today.
 */
export const storedVerdictReply = z.union([
  z.object({ verdict: z.literal('allowed') }),
  z.object({ verdict: z.literal('refused'), reason: z.string() }),
]);
export type StoredVerdictReply = z.infer<typeof storedVerdictReply>;

/**
 * POST /internal/renditions? with a cleaned picture as `application/octet-stream`. The body of the reply is the picture in this width
 * (`renditionSize`), of the same type; a GIF stays animated. The picture must be wider.
 */
export const renditionQuery = z.object({ width: z.coerce.number().pipe(z.literal(renditionWidths)) });
export const renditionReply = pictureReplyBody;

// ---- review

/**
 * A picture has two names: the SHA-256 of the uploaded bytes (`contentHash`), and the SHA-256 of the cleaned bytes (`cleanHash`; the
 * address of an offer's image begins with it). Both are accepted.
 */
export const pictureName = z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits');
const word = z.enum(['allowed', 'refused']);
const share = z.number();

/** GET /admin/pictures? */
export const picturesQuery = z.object({
  verdict: word.optional(),
  /** Of the last upload. */
  mode: mode.optional(),
  /** Uploaded at or after this instant. */
  since: zonedDateTime.optional(),
  organisationId: z.coerce.number().pipe(organisationId).optional(),
  /** `true`: only pictures without a valid decision of a person. Pages may then be shorter than `limit`. */
  undecided: z.literal('true').optional(),
  cursor: z.string().max(200).optional(),
  limit: z.coerce.number().pipe(z.int().min(1).max(500)).default(50),
});

/** The result that the last uploader got. */
const upload = z.object({
  at: instant,
  organisationId,
  mode,
  verdict: word,
  /** Null when allowed. */
  reason: z.string().nullable(),
});
/** Last uploaded first. */
export const picturesReply = z.object({
  pictures: z.array(
    upload.extend({
      contentHash: pictureName,
      cleanHash: pictureName,
      /** The result for the next upload; null: the model has not judged the picture with its current settings. */
      now: word.nullable(),
      /** The worst score of the model with its current settings; null when it has not judged. */
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
  /** Numbered from 1 in the order of the decisions. */
  number: z.int().positive(),
  at: instant,
  author: z.string(),
  action: rulingAction,
  reason: z.string(),
  contentHash: pictureName,
});
export type RulingReply = z.infer<typeof ruling>;

/** GET /admin/rulings? : the decisions of people, latest first; `before` is the last number of the previous page. */
export const rulingsQuery = z.object({
  before: z.coerce.number().pipe(z.int().positive()).optional(),
  limit: z.coerce.number().pipe(z.int().min(1).max(500)).default(50),
});
export const rulingsReply = z.object({ rulings: z.array(ruling) });

/**
 * POST /admin/rulings: a person decides about a picture, given by its name or by its bytes. The author is the name of the credential.
 * `withdraw` takes the decision back, and the model decides again. The reply is the picture's `pictureReply`.
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
  /** Of the latest upload's cleaned bytes. */
  cleanHash: pictureName,
  /** Of earlier uploads, when the encoder wrote other bytes; offers of that time have these. */
  earlierCleanHashes: z.array(pictureName),
  /** The result for the next upload, and the ruling that causes it, if any. */
  now: z.object({ verdict: word.nullable(), reason: z.string().nullable(), ruling: ruling.nullable() }),
  /** Whether a block also finds changed copies; false when the picture is too plain for that. */
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
  /** Latest first, like the rulings. */
  verdicts: z.array(
    z.object({
      judgedAt: instant,
      model: z.object({ name: z.string(), version: z.string() }),
      thresholds: z.object({ explicit: share, suggestive: share }),
      /** Whether model and thresholds are the current ones; older verdicts are not used. */
      current: z.boolean(),
      verdict: word,
      reason: z.string().nullable(),
      /** The scores of each examined frame, with the model's own labels. */
      looks: z.array(z.object({ explicit: share, suggestive: share, labels: z.record(z.string(), share) })),
    }),
  ),
  rulings: z.array(ruling),
  /** Whether a small copy is stored for review. */
  copyKept: z.boolean(),
});
export type PictureReply = z.infer<typeof pictureReply>;

/** GET /admin/pictures/{name}/copy */
export const copyReply = z.object({ jpegBase64: z.base64() });
