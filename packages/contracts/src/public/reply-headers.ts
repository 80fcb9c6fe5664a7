/** Replies and their headers, as the API descriptions state them (decision 21, rate limits). */
import { z } from 'zod';
import type { ZodOpenApiRequestBodyObject, ZodOpenApiResponseObject } from 'zod-openapi';

const header = (id: string, schema: z.ZodType, description: string) =>
  schema.meta({ description, header: { id } });

const requestId = header('RequestId', z.string(), 'Identifies the request in all logs; quote it to support.');

/** Of every reply to a request that a limit has counted. */
export const replyHeaders = z.object({
  'X-RateLimit-Limit': header(
    'Limit',
    z.int(),
    'Requests allowed per window. Where two limits count a request: of the one with fewer requests left.',
  ),
  'X-RateLimit-Remaining': header('Remaining', z.int(), 'Requests left in the current window.'),
  'X-RateLimit-Reset': header('Reset', z.int(), 'Seconds until the limit is full again.'),
  'RateLimit-Policy': header(
    'RateLimitPolicy',
    z.string().meta({ examples: ['"ip";q=60;w=60'] }),
    'All limits that count the request: the requests (`q`) that each allows in a window of `w` seconds. In the form of draft-ietf-httpapi-ratelimit-headers-11.',
  ),
  RateLimit: header(
    'RateLimitState',
    z.string().meta({ examples: ['"ip";r=59;t=60'] }),
    'For each of these limits, the requests that are left (`r`) and the seconds until it is full again (`t`).',
  ),
  'X-Request-Id': requestId,
});

export const uncountedReplyHeaders = z.object({ 'X-Request-Id': requestId });

export const retryAfter = { 'Retry-After': header('RetryAfter', z.int(), 'Seconds to wait.') };

export const sessionCookie = {
  'Set-Cookie': header('SessionCookie', z.string(), 'The session: HttpOnly, SameSite=Strict, Path=/.'),
};

export const replayed = {
  'Idempotent-Replayed': z.literal('true').optional().meta({ description: 'Present on a replay.' }),
};

/**
 * @param schema of a JSON body; null: there is none
 * @param more headers of this reply, beyond those that every reply has
 */
export function reply(
  description: string,
  schema: z.ZodType | null,
  more: z.ZodRawShape = {},
  always: z.ZodObject = replyHeaders,
): ZodOpenApiResponseObject {
  return {
    description,
    headers: always.extend(more),
    ...(schema !== null && { content: { 'application/json': { schema } } }),
  };
}

export const jsonRequest = (schema: z.ZodType): ZodOpenApiRequestBodyObject => ({
  required: true,
  content: { 'application/json': { schema } },
});
