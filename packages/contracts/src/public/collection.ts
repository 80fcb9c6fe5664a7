/**
 * The public API as a Postman collection (format 2.1, which Bruno, Insomnia and Hoppscotch read too), generated from the OpenAPI
 * document. Run in order, it goes through the life of one offer, from the categories to the deletion, moves the test clock, and checks each reply.
 */
import { openApiDocument } from './openapi.ts';

type Schema = {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
  readonly examples?: readonly unknown[];
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
};
type Parameter = {
  readonly in: 'query' | 'path' | 'header';
  readonly name: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
};
type Operation = {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly responses: Readonly<Record<string, { readonly description: string }>>;
};
type Document = {
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};

/** A field, a form part or a parameter in Postman's format. */
type Pair = {
  readonly key: string;
  readonly value: string;
  readonly description?: string;
  readonly disabled?: true;
};

/** Values that come from variables, because they differ for each user or each run. */
const filledIn: Readonly<Record<string, string>> = {
  environment: '{{environment}}',
  start_datetime: '{{startDatetime}}',
  end_datetime: '{{endDatetime}}',
  expiry_datetime: '{{endDatetime}}',
  category_id: '{{categoryId}}',
  offer_id: '{{offerId}}',
  webhook_id: '{{webhookId}}',
  message_id: '{{messageId}}',
  'Idempotency-Key': '{{$guid}}',
  // Paid from the balance: an offer that waits for its payment can be neither paused nor resumed.
  payment_method: 'B',
};

/**
 * A picture that needs no file, so that the collection runs from any folder: a black GIF of 28 x 28 pixels. The value of a variable is
 * sent as UTF-8, so all its bytes are below 128. Each `@` clears the table of colours and seven black pixels follow: in this way all codes
 * have 7 bits, and no byte needs its highest bit.
 */
export const picture = [
  String.raw`'GIF87a\x1C\x00\x1C\x00p\x00\x00,\x00\x00\x00\x00\x1C\x00\x1C\x00\x00\x06'`,
  String.raw`('p' + '@\x00\x00\x00\x00\x00\x00'.repeat(16)).repeat(7)`,
  String.raw`'\x01A\x00;'`,
].join(' + ');

const prepare = [
  "const isLive = pm.variables.get('apiKey').startsWith('pk_live_');",
  "pm.collectionVariables.set('environment', isLive ? 'LIVE' : 'TEST');",
  'const inHours = (hours) => new Date(Date.now() + hours * 3600000).toISOString();',
  "pm.collectionVariables.set('startDatetime', inHours(1));",
  "pm.collectionVariables.set('endDatetime', inHours(49));",
  `pm.collectionVariables.set('picture', ${picture});`,
];

/** Scripts that store values of a reply for later requests. */
const kept: Readonly<Record<string, string>> = {
  listCategories: "pm.collectionVariables.set('categoryId', pm.response.json().categories[0].category_id);",
  createWebhook: "pm.collectionVariables.set('webhookId', pm.response.json().webhook_id);",
  testWebhook: "pm.collectionVariables.set('messageId', pm.response.json().message_id);",
  createOffer: "pm.collectionVariables.set('offerId', pm.response.json().offer_id);",
};

export function postmanCollection(): object {
  const document = openApiDocument() as unknown as Document;
  const { title, version, description } = document.info;
  const variables = { baseUrl: 'http://127.0.0.1:8080', apiKey: '', environment: 'TEST', categoryId: '1' };
  const later = {
    offerId: '',
    webhookId: '',
    messageId: '',
    startDatetime: '',
    endDatetime: '',
    picture: '',
  };
  return {
    info: {
      name: title,
      version,
      description: `${description} Set \`apiKey\` and \`baseUrl\` in the collection's variables; everything else has a value.`,
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: {
      type: 'apikey',
      apikey: [
        { key: 'key', value: 'x-api-key' },
        { key: 'value', value: '{{apiKey}}' },
        { key: 'in', value: 'header' },
      ],
    },
    variable: Object.entries({ ...variables, ...later }).map(([key, value]) => ({ key, value })),
    event: [script('prerequest', prepare)],
    item: Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, operation]) => item(document, { path, method, operation })),
    ),
  };
}

function item(document: Document, o: { path: string; method: string; operation: Operation }): object {
  const { path, method, operation } = o;
  const of = (where: Parameter['in']) =>
    (operation.parameters ?? []).filter((parameter) => parameter.in === where).map(parameterPair);
  const segments = path.slice(1).split('/');
  const address = segments.map((segment) => segment.replace(/^\{(.+)\}$/, ':$1'));
  const query = of('query');
  const sent = query.filter(({ disabled }) => disabled !== true).map(({ key, value }) => `${key}=${value}`);
  return {
    name: operation.summary,
    event: [script('test', checks(operation))],
    request: {
      method: method.toUpperCase(),
      ...(operation.description !== undefined && { description: operation.description }),
      header: of('header'),
      url: {
        raw: `{{baseUrl}}/${address.join('/')}${sent.length === 0 ? '' : `?${sent.join('&')}`}`,
        host: ['{{baseUrl}}'],
        path: address,
        ...(query.length > 0 && { query }),
        ...(path.includes('{') && { variable: of('path') }),
      },
      ...body(document, operation),
    },
  };
}

function checks(operation: Operation): readonly string[] {
  const success = /`(S\d)`/.exec(operation.responses['200']?.description ?? '')?.[1];
  const code = `pm.test('${success}', () => pm.expect(pm.response.json().return_code).to.eql('${success}'));`;
  const keep = kept[operation.operationId];
  return [
    "pm.test('200', () => pm.response.to.have.status(200));",
    ...(success === undefined ? [] : [code]),
    ...(keep === undefined ? [] : [keep]),
  ];
}

function script(listen: 'prerequest' | 'test', exec: readonly string[]): object {
  return { listen, script: { type: 'text/javascript', exec } };
}

function parameterPair({ name, schema, required, description }: Parameter): Pair {
  return pair(name, example(name, schema), { required: required === true, description });
}

function pair(key: string, value: unknown, o: { required: boolean; description: string | undefined }): Pair {
  return {
    key,
    value: String(value),
    ...(o.description !== undefined && { description: o.description }),
    ...(!o.required && { disabled: true }),
  };
}

function example(name: string, schema: Schema): unknown {
  return filledIn[name] ?? schema.examples?.[0] ?? schema.default ?? schema.enum?.[0] ?? '';
}

function body(document: Document, { requestBody }: Operation): object {
  const [type, content] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  if (type === undefined || content === undefined) return {};
  const schema = document.components.schemas[content.schema.$ref?.split('/').at(-1) ?? ''] ?? content.schema;
  return { body: type === 'application/json' ? jsonBody(schema) : formBody(schema) };
}

/** The example, or only the required fields and the environment, because JSON cannot show a field that is not sent. */
function jsonBody({ examples, properties = {}, required = [] }: Schema): object {
  const fields = Object.entries(properties)
    .filter(([name]) => required.includes(name) || name === 'environment')
    .map(([name, schema]) => [name, example(name, schema)]);
  const raw = JSON.stringify(examples?.[0] ?? Object.fromEntries(fields), null, 2);
  return { mode: 'raw', raw, options: { raw: { language: 'json' } } };
}

function formBody({ properties = {}, required = [] }: Schema): object {
  const formdata = Object.entries(properties).flatMap(([name, schema]): object[] => {
    const { description } = schema;
    // To send a picture of one's own, change the type of this part to a file.
    if (schema.format === 'binary')
      return [{ key: name, type: 'text', value: '{{picture}}', contentType: 'image/gif', description }];
    const value = schema.type === 'array' ? arrayExample(schema) : [example(name, schema)];
    const isRequired = required.includes(name);
    return value.map((one) =>
      Object.assign(pair(name, one, { required: isRequired, description }), { type: 'text' }),
    );
  });
  return { mode: 'formdata', formdata };
}

/** One form part for each value. */
function arrayExample(schema: Schema): readonly unknown[] {
  const [first] = schema.examples ?? [];
  return Array.isArray(first) ? (first as readonly unknown[]) : [schema.items?.enum?.[0] ?? ''];
}
