/**
 * Sightengine, model nudity-2.1. A picture is of one intensity, so that what it says of several adds up
 * (https://sightengine.com/docs/advanced-nudity-detection-model-2.1).
 */
import { z } from 'zod';
import { type HostedService, UnexpectedAnswer } from './hosted-service.ts';

const version = '2.1';
const share = z.number().min(0).max(1);
/** Of the milder intensities, which are swimwear and the like, nothing is asked. */
const intensities = z.object({
  sexual_activity: share,
  sexual_display: share,
  erotica: share,
  very_suggestive: share,
});
const answer = z.discriminatedUnion('status', [
  z.object({ status: z.literal('success'), nudity: intensities }),
  z.object({ status: z.literal('failure'), error: z.object({ type: z.string() }) }),
]);

export function sightengine(o: {
  readonly url?: string | undefined;
  readonly apiUser: string;
  readonly apiSecret: string;
}): HostedService {
  return {
    identity: { name: 'sightengine-nudity', version },
    request: async (jpeg) => {
      const form = new FormData();
      form.set('models', `nudity-${version}`);
      form.set('api_user', o.apiUser);
      form.set('api_secret', o.apiSecret);
      form.set('media', new Blob([new Uint8Array(jpeg)], { type: 'image/jpeg' }), 'picture.jpg');
      // Written out here: fetch would read the form while it sends it, and a call that is given up meanwhile would throw
      // where nobody can catch it.
      const written = new Response(form);
      const headers = { 'content-type': written.headers.get('content-type') ?? '' };
      const body = new Uint8Array(await written.arrayBuffer());
      return { url: `${o.url ?? 'https://api.sightengine.com'}/1.0/check.json`, headers, body };
    },
    scores: (body) => {
      const found = answer.parse(body);
      if (found.status === 'failure') throw new UnexpectedAnswer(`failure of type ${found.error.type}`);
      const { nudity } = found;
      const explicit = Math.min(1, nudity.sexual_activity + nudity.sexual_display + nudity.erotica);
      return { explicit, suggestive: Math.min(1, explicit + nudity.very_suggestive), labels: nudity };
    },
    problem: (body) => (body as { error?: { type?: unknown } } | null)?.error?.type,
  };
}
