/** Compares replies with the portal's OpenAPI document. */
import document from '@offer-ads/contracts/generated/portal-openapi.json' with { type: 'json' };
import { z } from 'zod';
import type { Reply } from '../gateway-under-test.ts';

type Schema = Parameters<typeof z.fromJSONSchema>[0];
type Described = { readonly content?: Record<string, { readonly schema: object }> };
type Operation = { readonly responses: Record<string, Described | { readonly $ref: string }> };
type Document = {
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { readonly schemas: object; readonly responses: Record<string, Described> };
};
const { paths, components } = document as unknown as Document;

const templates = Object.entries(paths).map(([path, operations]) => ({
  pattern: new RegExp(
    `^/portal/api${path.replace('{mode}', '(test|live)').replaceAll(/\{\w+\}/g, '[^/]+')}$`,
  ),
  operations,
  isForwarded: /^\/(\{mode\}|test|mail-preferences|link-tags)(\/|$)/.test(path),
}));

/** `post /people/{id}/invitation` and so on, with `{mode}` written out. */
export function describedRoutes(): string[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item).flatMap((method) => inBothModes(path).map((path) => `${method} ${path}`)),
  );
}

/**
 * @param address the path of the request, which may have a query string
 * @returns the faults of the reply according to the document; none if the document does not have the route
 */
export function undescribedIn(method: string, address: string, { status, body }: Reply): string[] {
  const path = address.replace(/\?.*/s, '');
  const template = templates.find(({ pattern }) => pattern.test(path));
  const operation = template?.operations[method.toLowerCase()];
  if (template === undefined || operation === undefined) return [];
  // Fake services answer forwarded requests with any body. Their outages are described for every route; those of a busy machine are not.
  if (template.isForwarded ? !isOwnRefusal(status, body) : status === 503) return [];
  const described = operation.responses[`${status}`];
  if (described === undefined) return [`${status} is not described`];
  const schema = resolved(described).content?.['application/json']?.schema;
  if (schema === undefined) return body === '' ? [] : [`${status} has a body that is not described`];
  const parsed = parserOf(schema).safeParse(body);
  return parsed.success
    ? []
    : parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
}

/** A refusal of the gateway and not of the service: the fake services of the tests have return codes. */
function isOwnRefusal(status: number, body: unknown): boolean {
  const isMessage = typeof body === 'object' && body !== null && Object.keys(body).join() === 'message';
  return isMessage && [401, 403, 415, 503].includes(status);
}

function resolved(described: Described | { readonly $ref: string }): Described {
  if (!('$ref' in described)) return described;
  const response = components.responses[described.$ref.replace('#/components/responses/', '')];
  if (response === undefined) throw new Error(`${described.$ref} is nowhere`);
  return response;
}

const parsers = new WeakMap<object, z.ZodType>();

function parserOf(schema: object): z.ZodType {
  const known = parsers.get(schema) ?? z.fromJSONSchema(selfContained(schema));
  parsers.set(schema, known);
  return known;
}

/** The schema together with the schemas that it refers to. */
function selfContained(schema: object): Schema {
  const text = JSON.stringify({ ...schema, $defs: components.schemas });
  return JSON.parse(text.replaceAll('#/components/schemas/', '#/$defs/')) as Schema;
}

function inBothModes(path: string): string[] {
  return path.includes('{mode}') ? ['test', 'live'].map((mode) => path.replace('{mode}', mode)) : [path];
}
