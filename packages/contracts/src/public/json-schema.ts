/** Adjusts the JSON Schema that zod generates. */
import { z } from 'zod';

type Written = {
  minimum?: number | undefined;
  maximum?: number | undefined;
  additionalProperties?: unknown;
};

/** Removes keywords that zod adds and the contract does not need, so that the document is easier to read. */
export function withoutNoise({ jsonSchema, io }: { jsonSchema: Written; io?: 'input' | 'output' }): void {
  // JavaScript's safe-integer range, in every integer.
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  // Replies may get more fields at any time (decision 125, changes of the API): a generated client must not refuse them.
  if (io === 'output') delete jsonSchema.additionalProperties;
}

/** Of a message (draft 2020-12). Those who get it must accept unknown fields: a release may add some. */
export function messageSchema(schema: z.ZodType): object {
  return z.toJSONSchema(schema, {
    override: (written) => {
      withoutNoise(written);
      if (written.jsonSchema.additionalProperties === false) delete written.jsonSchema.additionalProperties;
    },
  });
}
