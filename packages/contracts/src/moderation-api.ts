/** Moderation's internal interface. */
import { z } from 'zod';

/**
 * POST /internal/verdicts with the image's bytes as `application/octet-stream`. Allowed: the picture comes back
 * auto-oriented and re-encoded without metadata, which is what members will see. Unreadable: not a whole JPEG, PNG or
 * GIF within the limits.
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
