/** How each operation of the public API is called: by curl, and by the clients for Node and Python. A test runs all of them. */
import type { Sample } from '../samples.ts';
import { type Call, contentOf, exampleOf, type OpenApi, parametersOf, picture } from './openapi.ts';

/** The functions of the client for Node. Those for Python have the same names in snake case. */
const functions: Readonly<Record<string, string>> = {
  listCategories: 'categories.list',
  listInterests: 'interests.list',
  readKey: 'key.get',
  readBalance: 'balance.get',
  listBalanceEntries: 'balance.entries',
  estimatePrice: 'offers.estimate',
  createOffer: 'offers.create',
  listOffers: 'offers.list',
  readOffer: 'offers.get',
  updateOffer: 'offers.update',
  pauseOffer: 'offers.pause',
  resumeOffer: 'offers.resume',
  readAnalytics: 'offers.analytics',
  readAnalyticsSeries: 'offers.series',
  readOfferResults: 'offers.results',
  readResults: 'results.get',
  listOfferChanges: 'offers.changes',
  estimateCredit: 'offers.estimateCredit',
  deleteOffer: 'offers.delete',
  estimateGroupPrice: 'groups.estimate',
  createGroup: 'groups.create',
  readGroup: 'groups.get',
  readGroupSeries: 'groups.series',
  pauseGroup: 'groups.pause',
  resumeGroup: 'groups.resume',
  updateGroup: 'groups.update',
  deleteGroup: 'groups.delete',
  readTestClock: 'testClock.get',
  advanceTestClock: 'testClock.advance',
  resetTestClock: 'testClock.reset',
  createWebhook: 'webhooks.create',
  listWebhooks: 'webhooks.list',
  readWebhook: 'webhooks.get',
  changeWebhook: 'webhooks.change',
  deleteWebhook: 'webhooks.delete',
  testWebhook: 'webhooks.sendTest',
  rollWebhookSecret: 'webhooks.rollSecret',
  disableWebhook: 'webhooks.disable',
  enableWebhook: 'webhooks.enable',
  listWebhookMessages: 'webhooks.messages',
  resendWebhookMessage: 'webhooks.resend',
  resendWebhookMessages: 'webhooks.resendSince',
};

/** What the samples of a page need before them. */
export const beforeSamples: readonly Sample[] = [
  { language: 'sh', code: 'export BASE_URL=https://ads.example\nexport API_KEY=pk_test_your_key' },
  {
    language: 'ts',
    code: `import { createClient, unwrap } from '@offer-ads/sdk';

const ads = createClient({ baseUrl: 'https://ads.example', apiKey: 'pk_test_your_key' });`,
  },
  {
    language: 'python',
    code: `from offer_ads import OfferAds

ads = OfferAds(base_url="https://ads.example", api_key="pk_test_your_key")`,
  },
];

export function samplesOf(document: OpenApi, call: Call): readonly Sample[] {
  const name = functions[call.operationId];
  if (name === undefined) throw new Error(`the reference knows no function of ${call.operationId}`);
  return [
    { language: 'sh', code: curl(document, call) },
    { language: 'ts', code: node(document, call, name) },
    { language: 'python', code: python(document, call, name) },
  ];
}

type Fields = Readonly<Record<string, unknown>>;
const isPicture = (value: unknown) => value === picture;
const pictureFile = 'always-allowed.png';

function valuesIn(document: OpenApi, call: Call, place: 'path' | 'query' | 'header'): Fields {
  const parameters = parametersOf(document, call, place).filter(({ required }) => required === true);
  return Object.fromEntries(
    parameters.map(({ name, schema }) => [name, exampleOf(document, schema, 'request')]),
  );
}

function bodyOf(document: OpenApi, call: Call): Fields {
  const { schema } = contentOf(call.requestBody) ?? {};
  return schema === undefined ? {} : (exampleOf(document, schema, 'request') as Fields);
}

function curl(document: OpenApi, call: Call): string {
  const ids = valuesIn(document, call, 'path');
  const path = call.path.replace(/\{(\w+)\}/g, (_all, name: string) => String(ids[name]));
  const query = new URLSearchParams(valuesIn(document, call, 'query') as Record<string, string>).toString();
  const address = `"$BASE_URL${path}${query === '' ? '' : `?${query}`}"`;
  const headers = Object.entries(valuesIn(document, call, 'header'));
  const content = contentOf(call.requestBody);
  const body = bodyOf(document, call);
  const isUsual = call.method === (content === undefined ? 'GET' : 'POST');
  const parts = [`curl ${isUsual ? '' : `-X ${call.method} `}${address}`, '-H "x-api-key: $API_KEY"'];
  for (const [name, value] of headers) parts.push(`-H "${name}: ${String(value)}"`);
  if (content?.media === 'application/json')
    parts.push(
      '-H "Content-Type: application/json"',
      `-d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`,
    );
  else
    for (const [name, values] of Object.entries(body))
      for (const value of [values].flat())
        parts.push(`-F ${quoted(`${name}=${isPicture(value) ? `@${pictureFile}` : String(value)}`)}`);
  return parts.length === 2 ? parts.join(' ') : parts.join(' \\\n  ');
}

const quoted = (text: string) => (text.includes('"') ? `'${text}'` : `"${text}"`);

/** Path, query and body as arguments. The clients send the mode of the key and an idempotency key by themselves. */
function argumentsOf(
  document: OpenApi,
  call: Call,
): { ids: unknown[]; fields: Fields; isOnlyInterval: boolean } {
  const fields = Object.entries({
    ...valuesIn(document, call, 'query'),
    ...bodyOf(document, call),
  }).filter(([name]) => name !== 'environment');
  return {
    ids: Object.values(valuesIn(document, call, 'path')),
    fields: Object.fromEntries(
      fields.map(([name, value]) => [
        name.replace('[]', ''),
        name === 'places' && typeof value === 'string' ? (JSON.parse(value) as unknown) : value,
      ]),
    ),
    isOnlyInterval: call.operationId === 'readAnalytics',
  };
}

function node(document: OpenApi, call: Call, name: string): string {
  const { ids, fields, isOnlyInterval } = argumentsOf(document, call);
  const written = Object.entries(fields).map(([field, value]) => `  ${field}: ${inTypeScript(value)},`);
  const given = ids.map(inTypeScript);
  if (isOnlyInterval) given.push(...Object.values(fields).map(inTypeScript));
  else if (written.length === 1) given.push(`{ ${written.join('').trim().slice(0, -1)} }`);
  else if (written.length > 1) given.push(`{\n${written.join('\n')}\n}`);
  const page = call.operationId === 'listOffers' ? '.page()' : '';
  const code = `const reply = unwrap(await ads.${name}(${given.join(', ')})${page});`;
  return code.includes('openAsBlob') ? `import { openAsBlob } from 'node:fs';\n\n${code}` : code;
}

function inTypeScript(value: unknown): string {
  if (isPicture(value)) return `await openAsBlob('${pictureFile}')`;
  if (Array.isArray(value)) return `[${value.map(inTypeScript).join(', ')}]`;
  return typeof value === 'string' && !/['\\\n]/.test(value) ? `'${value}'` : JSON.stringify(value);
}

function python(document: OpenApi, call: Call, name: string): string {
  const { ids, fields, isOnlyInterval } = argumentsOf(document, call);
  const written = Object.entries(fields).map(([field, value]) =>
    isOnlyInterval ? inPython(value) : `${field}=${inPython(value)}`,
  );
  const all = [...ids.map(inPython), ...written];
  const given = all.length > 2 ? `\n    ${all.join(',\n    ')},\n` : all.join(', ');
  const page = call.operationId === 'listOffers' ? '.page()' : '';
  const code = `reply = ads.${inSnakeCase(name)}(${given})${page}.unwrap()`;
  const imports = [
    ...(code.includes('datetime.') ? ['from datetime import datetime'] : []),
    ...(code.includes('Path(') ? ['from pathlib import Path'] : []),
  ];
  return imports.length === 0 ? code : `${imports.join('\n')}\n\n${code}`;
}

function inPython(value: unknown): string {
  if (isPicture(value)) return `Path("${pictureFile}")`;
  if (Array.isArray(value)) return `[${value.map(inPython).join(', ')}]`;
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  const text = JSON.stringify(value);
  return /^"\d{4}-\d\d-\d\dT/.test(text) ? `datetime.fromisoformat(${text})` : text;
}

function inSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
