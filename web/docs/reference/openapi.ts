/** The part of OpenAPI that our descriptions use, and examples made from its schemas. */

export type Schema = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
};
export type Parameter = {
  readonly $ref?: string;
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
};
type Content = Readonly<Record<string, { readonly schema: Schema }>>;
export type Reply = { readonly $ref?: string; readonly description: string; readonly content?: Content };
export type Operation = {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, Reply>>;
};
type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;
export type OpenApi = {
  readonly info: { readonly title: string; readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Paths;
  readonly webhooks?: Paths;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
};

/** An operation with its place in the description. */
export type Call = Operation & { readonly method: string; readonly path: string };

export function callsOf(paths: Paths): Call[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) =>
      Object.assign({ method: method.toUpperCase(), path }, operation),
    ),
  );
}

/** Follows a reference to a component. */
export function resolved<Part extends { readonly $ref?: string }>(document: OpenApi, part: Part): Part {
  if (part.$ref === undefined) return part;
  const [, , kind = '', name = ''] = part.$ref.split('/');
  const component = document.components[kind]?.[name];
  if (component === undefined) throw new Error(`the description has no ${part.$ref}`);
  return component as Part;
}

export function parametersOf(document: OpenApi, call: Call, place: Parameter['in']): Parameter[] {
  return (call.parameters ?? [])
    .map((parameter) => resolved(document, parameter))
    .filter((parameter) => parameter.in === place);
}

/** Its media type, and the schema of its only content. */
export function contentOf(
  part: { readonly content?: Content } | undefined,
): { readonly media: string; readonly schema: Schema } | undefined {
  const [first] = Object.entries(part?.content ?? {});
  return first && { media: first[0], schema: first[1].schema };
}

/** Stands for the bytes of a picture. */
export const picture: unique symbol = Symbol('picture');

/** @param of a request has its required fields alone, a reply those too that have an example */
export function exampleOf(document: OpenApi, given: Schema, of: 'request' | 'reply'): unknown {
  const schema = resolved(document, given);
  if (schema.examples !== undefined) return schema.examples[0];
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.format === 'binary') return picture;
  const kinds = [schema.type, ...(schema.anyOf ?? []).map(({ type }) => type)].flat();
  if (kinds.includes('null')) return null;
  const [first] = schema.anyOf ?? [];
  if (first !== undefined) return exampleOf(document, first, of);
  switch (kinds[0] ?? 'string') {
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {})
          .filter(([name, field]) => isShown(schema, name, field, of))
          .map(([name, field]) => [name, exampleOf(document, field, of)]),
      );
    case 'array':
      return schema.items === undefined ? [] : [exampleOf(document, schema.items, of)];
    case 'integer':
    case 'number':
      return schema.minimum ?? 1;
    case 'boolean':
      return true;
    default:
      return schema.format === 'date-time' ? '2035-06-01T12:00:00.000Z' : 'text';
  }
}

function isShown(schema: Schema, name: string, field: Schema, of: 'request' | 'reply'): boolean {
  if (schema.required?.includes(name) === true || field.format === 'binary') return true;
  return of === 'reply' && field.examples !== undefined;
}
