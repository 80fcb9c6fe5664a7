/** Adjusts the JSON Schema that zod generates. */

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
