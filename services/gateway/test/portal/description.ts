/** The portal's OpenAPI document as tests hold replies against it. */
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

/** `post /people/{id}/invitation` and so on, with `{mode}` written out. */
export function describedRoutes(): string[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item).flatMap((method) => inBothModes(path).map((path) => `${method} ${path}`)),
  );
}

/** @returns what is wrong with the reply by the document; empty: nothing */
export function misfitsOf(method: string, path: string, reply: Reply): string[] {
  const described = paths[path]?.[method.toLowerCase()]?.responses[`${reply.status}`];
  if (described === undefined) return [`${method} ${path} does not describe ${reply.status}`];
  const content = resolved(described).content?.['application/json'];
  if (content === undefined)
    return reply.body === '' ? [] : [`${reply.status} has a body that is not described`];
  const parsed = z.fromJSONSchema(selfContained(content.schema)).safeParse(reply.body);
  return parsed.success
    ? []
    : parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
}

function resolved(described: Described | { readonly $ref: string }): Described {
  if (!('$ref' in described)) return described;
  const response = components.responses[described.$ref.replace('#/components/responses/', '')];
  if (response === undefined) throw new Error(`${described.$ref} is nowhere`);
  return response;
}

/** A schema of the document as one of its own: what it refers to goes with it. */
function selfContained(schema: object): Schema {
  const text = JSON.stringify({ ...schema, $defs: components.schemas });
  return JSON.parse(text.replaceAll('#/components/schemas/', '#/$defs/')) as Schema;
}

function inBothModes(path: string): string[] {
  return path.includes('{mode}') ? ['test', 'live'].map((mode) => path.replace('{mode}', mode)) : [path];
}
