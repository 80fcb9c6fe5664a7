/** The pages of an API reference: a page for each group of operations, made from the OpenAPI document. They need no script. */
import { escapeHtml as escape } from '@offer-ads/contracts/values/html-text';
import { codeBlock, renderLine, renderText } from '../markdown.ts';
import { type Assets, type NavigationEntry, referencePage } from '../page.ts';
import { samplesHtml } from '../samples.ts';
import { beforeSamples, samplesOf } from './call-samples.ts';
import {
  type Call,
  callsOf,
  contentOf,
  exampleOf,
  type OpenApi,
  type Parameter,
  parametersOf,
  resolved,
  type Schema,
} from './openapi.ts';

/** An entry of the search index, see guides.ts. */
type Entry = [address: string, guide: string, heading: string, text: string];
type Group = { readonly name: string; readonly description: string; readonly calls: readonly Call[] };
export type Reference = {
  readonly title: string;
  /** Of its first page. */
  readonly address: string;
  /** Of the OpenAPI document. */
  readonly document: string;
  /** Whether our clients have functions for its operations. */
  readonly hasClients: boolean;
};
type Context = { readonly reference: Reference; readonly openapi: OpenApi };

export function renderReference(reference: Reference, openapi: OpenApi, assets: Assets): Map<string, string> {
  const groups = groupsOf(openapi);
  const context = { reference, openapi };
  const navigation: NavigationEntry[] = [
    { address: reference.address, title: 'Overview' },
    ...groups.map(({ name }) => ({ address: addressOf(reference, name), title: name })),
  ];
  const common = commonReplies(groups.flatMap(({ calls }) => calls));
  const frame = { navigation, assets, reference: reference.title };
  const pages = groups.map(({ name, description, calls }): [string, string] => [
    `${slugOf(name)}.html`,
    referencePage({
      ...frame,
      current: addressOf(reference, name),
      title: `${name} · ${reference.title}`,
      description,
      html: `<h1>${name}</h1>
${renderText(description)}${reference.hasClients && calls.some(isOurs) ? beforeHtml : ''}${calls.map((call) => callHtml(context, call, common)).join('\n')}`,
      headings: calls.map(({ operationId, summary }) => ({ level: 2, id: operationId, text: summary })),
    }),
  ]);
  pages.unshift([
    'index.html',
    referencePage({
      ...frame,
      current: reference.address,
      title: reference.title,
      description: openapi.info.description.split('\n')[0] ?? '',
      html: overviewHtml(context, groups, common),
      headings: groups.map(({ name }) => ({ level: 2, id: slugOf(name), text: name })),
    }),
  ]);
  return new Map(pages);
}

export function searchEntriesOf(reference: Reference, openapi: OpenApi): Entry[] {
  return groupsOf(openapi).flatMap(({ name, calls }) =>
    calls.map((call): Entry => {
      const words = [`${call.method} ${call.path}`, call.description ?? '', ...fieldNames(openapi, call)];
      const address = `${addressOf(reference, name)}#${call.operationId}`;
      return [address, reference.title, call.summary, words.join(' ')];
    }),
  );
}

function groupsOf(openapi: OpenApi): Group[] {
  const calls = [...callsOf(openapi.paths), ...callsOf(openapi.webhooks ?? {})];
  return openapi.tags.map((tag) => ({ ...tag, calls: calls.filter(({ tags }) => tags.includes(tag.name)) }));
}

const slugOf = (name: string) => name.toLowerCase().replaceAll(' ', '-');
const addressOf = (reference: Reference, name: string) => `${reference.address}/${slugOf(name)}`;
/** A webhook is called by us: its path is the type of its event. */
const isOurs = ({ path }: Call) => path.startsWith('/');

const beforeHtml = `<p>The samples of this page begin after:</p>
${samplesHtml(
  'before',
  beforeSamples.map(({ language, code }) => ({ language, html: codeBlock(code, language) })),
)}`;

function overviewHtml(
  { reference, openapi }: Context,
  groups: readonly Group[],
  common: ReadonlySet<string>,
) {
  const lists = groups.map(({ name, description, calls }) => {
    const items = calls.map(
      (call) =>
        `<li><a href="${addressOf(reference, name)}#${call.operationId}">${escape(call.summary)}</a>${isOurs(call) ? ` <code>${call.method} ${escape(call.path)}</code>` : ''}</li>`,
    );
    return `<h2 id="${slugOf(name)}">${name}</h2>
<p>${renderLine(description)}</p>
<ul>
${items.join('\n')}
</ul>`;
  });
  return `<h1>${escape(reference.title)}</h1>
${renderText(openapi.info.description)}<p>The same as an <a href="${reference.document}">OpenAPI document</a>.</p>
${lists.join('\n')}
<h2 id="replies-of-all">Replies of every operation</h2>
${repliesHtml([...common].map((reply) => reply.split(' ', 1).concat(reply.replace(/^\S+ /, '')) as [string, string]))}`;
}

/** Status and description of replies that most operations have. They are told once, on the first page. */
function commonReplies(calls: readonly Call[]): ReadonlySet<string> {
  const counts = new Map<string, number>();
  for (const { responses } of calls)
    for (const [status, { description }] of Object.entries(responses))
      if (Number(status) >= 400) {
        const reply = `${status} ${description}`;
        counts.set(reply, (counts.get(reply) ?? 0) + 1);
      }
  return new Set(
    [...counts]
      .filter(([, count]) => count > calls.length / 4)
      .map(([reply]) => reply)
      .toSorted(),
  );
}

function callHtml(context: Context, call: Call, common: ReadonlySet<string>): string {
  const { openapi, reference } = context;
  const { operationId, summary, method, path, description = '', responses } = call;
  const request = contentOf(call.requestBody);
  const replies = Object.entries(responses).map(
    ([status, reply]) => [status, resolved(openapi, reply)] as const,
  );
  const success = replies.find(([status]) => isOurs(call) && Number(status) < 300);
  const reply = contentOf(success?.[1]);
  const others = replies.filter((one) => one !== success && !common.has(`${one[0]} ${one[1].description}`));
  const samples =
    reference.hasClients && isOurs(call)
      ? samplesHtml(
          operationId,
          samplesOf(openapi, call).map(({ language, code }) => ({
            language,
            html: codeBlock(code, language),
          })),
        )
      : '';
  const parts = [
    `<h2 id="${operationId}"><a class="here" href="#${operationId}">${escape(summary)}</a></h2>`,
    isOurs(call) ? `<p class="call"><code>${method} ${escape(path)}</code></p>` : '',
    renderText(description),
    samples,
    ...(['path', 'query', 'header'] as const).map((place) =>
      tableHtml(
        `${place[0]?.toUpperCase()}${place.slice(1)}`,
        parametersOf(openapi, call, place).map((parameter) => parameterRow(openapi, parameter)),
      ),
    ),
    request === undefined
      ? ''
      : tableHtml(bodyName(request.media), rowsOf(openapi, request.schema, 'request')),
    isOurs(call) || request === undefined ? '' : exampleHtml(openapi, request.schema),
    success === undefined ? '' : `<h3>Reply ${success[0]}</h3>\n<p>${renderLine(success[1].description)}</p>`,
    reply === undefined
      ? ''
      : exampleHtml(openapi, reply.schema) + tableHtml('', rowsOf(openapi, reply.schema, 'reply')),
    others.length === 0
      ? ''
      : `<h3>${isOurs(call) ? 'Other replies' : 'Your answer'}</h3>\n${repliesHtml(others.map(([status, { description: text }]) => [status, text]))}`,
  ];
  return parts.filter(Boolean).join('\n');
}

const bodyName = (media: string) => (media === 'application/json' ? 'Body, JSON' : 'Body, a form');

function exampleHtml(openapi: OpenApi, schema: Schema): string {
  const example = exampleOf(openapi, schema, 'reply');
  // A reply that is a file has no example.
  return typeof example === 'object' ? codeBlock(JSON.stringify(example, null, 2), 'json') : '';
}

function repliesHtml(replies: readonly (readonly [status: string, description: string])[]): string {
  const rows = replies.map(
    ([status, text]) => `<tr><td><code>${status}</code></td><td>${renderLine(text)}</td></tr>`,
  );
  return `<div class="scrolls"><table>
<thead><tr><th scope="col">Status</th><th scope="col">When</th></tr></thead>
<tbody>
${rows.join('\n')}
</tbody></table></div>`;
}

type Row = { readonly name: string; readonly type: string; readonly note: string; readonly text: string };

function tableHtml(name: string, rows: readonly Row[]): string {
  if (rows.length === 0) return '';
  const cells = rows.map(
    ({ name: field, type, note, text }) =>
      `<tr><td><code>${escape(field)}</code></td><td>${escape(type)}${note === '' ? '' : `<br><em>${note}</em>`}</td><td>${renderLine(text)}</td></tr>`,
  );
  return `${name === '' ? '' : `<h3>${name}</h3>\n`}<div class="scrolls"><table class="fields">
<thead><tr><th scope="col">Name</th><th scope="col">Type</th><th scope="col">What</th></tr></thead>
<tbody>
${cells.join('\n')}
</tbody></table></div>`;
}

function parameterRow(openapi: OpenApi, { name, required, schema, description }: Parameter): Row {
  const field = resolved(openapi, schema);
  const text = description ?? field.description ?? '';
  return { name, type: typeOf(openapi, field), note: required === true ? 'required' : '', text };
}

/** A row for each field, with the path to it: `pagination.limit`, `data[].offer_id`. */
function rowsOf(openapi: OpenApi, given: Schema, of: 'request' | 'reply', path = ''): Row[] {
  const schema = withoutNull(openapi, given);
  if (schema.items !== undefined) return rowsOf(openapi, schema.items, of, `${path}[]`);
  if (schema.anyOf !== undefined) {
    // Of a reply the success comes first; refusals have the same form everywhere.
    const variants = of === 'reply' ? schema.anyOf.slice(0, 1) : schema.anyOf;
    return variants.flatMap((variant) => rowsOf(openapi, variant, of, path));
  }
  const rows: Row[] = [];
  for (const [field, one] of Object.entries(schema.properties ?? {})) {
    const name = path === '' ? field : `${path}.${field}`;
    const isRequired = schema.required?.includes(field) === true;
    const note = of === 'request' ? (isRequired ? 'required' : '') : isRequired ? '' : 'not always';
    const text = one.description ?? resolved(openapi, one).description ?? '';
    rows.push({ name, type: typeOf(openapi, one), note, text }, ...rowsOf(openapi, one, of, name));
  }
  return rows;
}

/** The other variant of a field that may be null. */
function withoutNull(openapi: OpenApi, given: Schema): Schema {
  const schema = resolved(openapi, given);
  const [variant, ...others] = (schema.anyOf ?? []).filter(({ type }) => type !== 'null');
  return variant !== undefined && others.length === 0 ? resolved(openapi, variant) : schema;
}

/** In words: `integer, 5 to 30`, `array of string or null`. */
function typeOf(openapi: OpenApi, given: Schema): string {
  const schema = resolved(openapi, given);
  if (schema.anyOf !== undefined)
    return [...new Set(schema.anyOf.map((variant) => typeOf(openapi, variant)))].join(' or ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(', ');
  const types = [schema.type ?? []].flat().map((type) => {
    if (type === 'array') return `array of ${typeOf(openapi, schema.items ?? {})}`;
    return type === 'string' && schema.format === 'binary' ? 'file' : type;
  });
  return [types.join(' or '), ...limitsOf(schema)].join(', ');
}

function limitsOf({ format, minimum, maximum, maxLength }: Schema): string[] {
  const range = minimum === undefined || maximum === undefined ? [] : [`${minimum} to ${maximum}`];
  return [
    ...(format === undefined || format === 'binary' ? [] : [format]),
    ...range,
    ...(maxLength === undefined ? [] : [`at most ${maxLength} characters`]),
  ];
}

function fieldNames(openapi: OpenApi, call: Call): string[] {
  const request = contentOf(call.requestBody);
  const reply = contentOf(resolved(openapi, Object.values(call.responses)[0] ?? { description: '' }));
  const rows = [request, reply].flatMap((content) =>
    content === undefined ? [] : rowsOf(openapi, content.schema, 'reply'),
  );
  return [...new Set(rows.map(({ name }) => name.replace(/.*\.|\[\]/g, '')))];
}
