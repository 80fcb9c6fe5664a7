/** How zod's schemas are written as JSON Schema. */

type Bounds = { minimum?: number | undefined; maximum?: number | undefined };

/** zod writes JavaScript's safe-integer range into every integer; it says nothing about the contract, so it goes. */
export function withoutSafeIntegerBounds({ jsonSchema }: { jsonSchema: Bounds }): void {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
}
