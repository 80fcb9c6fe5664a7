/** Adjusts the JSON Schema that zod generates. */

type Written = {
  minimum?: number | undefined;
  maximum?: number | undefined;
  prefixItems?: unknown[] | undefined;
  maxItems?: number | undefined;
  items?: unknown;
};

/** Removes keywords that zod adds and the contract does not need, so that the document is easier to read. */
export function withoutNoise({ jsonSchema }: { jsonSchema: Written }): void {
  // JavaScript's safe-integer range, in every integer.
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  // "No further items in the tuple": `maxItems` says this already.
  if (jsonSchema.items === false && jsonSchema.prefixItems?.length === jsonSchema.maxItems)
    delete jsonSchema.items;
}
