/** The bodies of webhooks as JSON Schemas, for the generated documents. */
import { z } from 'zod';
import { withoutNoise } from '../public/json-schema.ts';
import { type WebhookType, webhookBody } from './webhook-types.ts';

/** @returns the JSON Schema (draft 2020-12) of the body of a webhook. */
export function webhookJsonSchema(type: WebhookType): object {
  const schema = z.toJSONSchema(webhookBody(type), {
    override: (written) => {
      withoutNoise(written);
      // Receivers must accept unknown fields: a release may add some.
      if (written.jsonSchema.additionalProperties === false) delete written.jsonSchema.additionalProperties;
    },
  });
  return { $id: `webhook.${type}.json`, ...schema };
}
