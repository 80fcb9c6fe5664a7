type WithEnum = { enum?: unknown[] | undefined; 'x-extensible-enum'?: unknown };

/** For values to which more may be added: generated clients refuse a value that is not in an `enum`. */
export function openEnum({ jsonSchema }: { jsonSchema: WithEnum }): void {
  jsonSchema['x-extensible-enum'] = jsonSchema.enum;
  delete jsonSchema.enum;
}
