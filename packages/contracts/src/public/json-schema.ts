/** How zod's schemas are written as JSON Schema. */

type Written = {
  minimum?: number | undefined;
  maximum?: number | undefined;
  prefixItems?: unknown[] | undefined;
  maxItems?: number | undefined;
  items?: unknown;
};

/** Without what zod writes and the contract does not say: it only gets in a reader's way. */
export function withoutNoise({ jsonSchema }: { jsonSchema: Written }): void {
  // JavaScript's safe-integer range, in every integer.
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  // That a tuple has no further items, which `maxItems` says.
  if (jsonSchema.items === false && jsonSchema.prefixItems?.length === jsonSchema.maxItems)
    delete jsonSchema.items;
}
