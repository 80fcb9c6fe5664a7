/**
 * Google Cloud Vision, SafeSearch. It tells likelihoods in words
 * (https://cloud.google.com/vision/docs/detecting-safe-search).
 */
import { z } from 'zod';
import { type HostedService, UnexpectedAnswer } from './hosted-service.ts';

/**
 * As far apart as can be: with the usual thresholds "likely" adult is explicit and "possible" is not, and only "very
 * likely" racy is too suggestive. UNKNOWN is missing, because a picture that nobody looked at has no verdict.
 */
const likelihoods = {
  VERY_UNLIKELY: 0,
  UNLIKELY: 0.25,
  POSSIBLE: 0.5,
  LIKELY: 0.75,
  VERY_LIKELY: 1,
} as const;
const likelihood = z
  .enum(Object.keys(likelihoods) as (keyof typeof likelihoods)[])
  .transform((word) => likelihoods[word]);

const answer = z.object({
  responses: z.tuple([
    z.object({
      error: z.object({ code: z.number() }).optional(),
      safeSearchAnnotation: z
        .object({ adult: likelihood, racy: likelihood, violence: likelihood })
        .optional(),
    }),
  ]),
});

export function safeSearch(o: { readonly url?: string | undefined; readonly apiKey: string }): HostedService {
  return {
    // Google keeps the latest stable model behind the name and does not tell when it changes.
    identity: { name: 'google-safesearch', version: 'builtin/stable' },
    request: async (jpeg) => ({
      url: `${o.url ?? 'https://vision.googleapis.com'}/v1/images:annotate`,
      // In a header, because addresses are written down everywhere on their way.
      headers: { 'content-type': 'application/json', 'x-goog-api-key': o.apiKey },
      body: JSON.stringify({
        requests: [
          {
            image: { content: jpeg.toString('base64') },
            features: [{ type: 'SAFE_SEARCH_DETECTION', model: 'builtin/stable' }],
          },
        ],
      }),
    }),
    scores: (body) => {
      const { error, safeSearchAnnotation: found } = answer.parse(body).responses[0];
      if (error !== undefined)
        throw new UnexpectedAnswer(`the picture was answered with error ${error.code}`);
      if (found === undefined) throw new UnexpectedAnswer('the picture was not annotated');
      const explicit = Math.max(found.adult, found.violence);
      return { explicit, suggestive: Math.max(explicit, found.racy), labels: found };
    },
    problem: (body) => (body as { error?: { status?: unknown } } | null)?.error?.status,
  };
}
