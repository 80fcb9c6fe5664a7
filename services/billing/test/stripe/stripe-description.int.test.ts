/**
 * Stripe's own description of its API, in the version that billing names, checks billing and the simulator: stripe-mock judges what
 * billing sends, and the description's schemas what the simulator answers and reports.
 */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type StripeMock, startStripeMock } from '@offer-ads/backing/stripe-mock';
import type { RecordedRequest } from '@offer-ads/simulators/stripe/server';
import { Ajv } from 'ajv';
import { findMissedEvents } from '../../src/webhooks/find-missed-events.ts';
import { MINUTE_MS, stripeKeys, useBilling } from '../billing-under-test.ts';

const test = useBilling();
let mock: Partial<StripeMock> & { readonly missing?: string };
beforeAll(async () => {
  mock = await startStripeMock();
}, 360_000);
afterAll(async () => {
  await mock[Symbol.asyncDispose]?.();
});

const skips = (what: string) => {
  if (mock.missing !== undefined) process.stdout.write(`skipped: ${what}: ${mock.missing}\n`);
  return mock.missing !== undefined;
};

function ask(
  url: string | undefined,
  { method, path, body }: Pick<RecordedRequest, 'method' | 'path' | 'body'>,
) {
  return fetch(`${url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${stripeKeys.TEST.secretKey}`,
      ...(method === 'POST' && { 'content-type': 'application/x-www-form-urlencoded' }),
    },
    ...(method === 'POST' && { body }),
  });
}

/** `allowed`, or what stripe-mock says against the call. */
async function verdict(request: RecordedRequest): Promise<string> {
  const answer = await ask(mock.url, request);
  const text = await answer.text();
  return answer.ok
    ? 'allowed'
    : `${request.method} ${request.path} ${decodeURIComponent(request.body)}: ${text}`;
}

/** Every kind of call that billing makes, and every kind of event that the simulator sends. Fresh accounts look for the tax rate and make it. */
beforeAll(async () => {
  const offer = await test.openOffer();
  await test.openOffer({ country: 'DE', book: test.newBook({ currency: 'EUR', mode: 'LIVE' }) });
  await test.openTopUp();
  await test.close(offer);
  const paid = await test.paidOffer();
  await test.reverse(`sessions/${paid.sessionId}/refund`, { amountMinor: 1, pending: true });
  await test.takeBack(paid, 'refund', 1);
  const dispute = await test.takeBack(paid, 'dispute', 1);
  await test.reverse(`disputes/${dispute}/close`, { outcome: 'won' });
  await test.sentWebhook('charge.dispute.funds_reinstated', dispute);
  test.clock.advance(5 * MINUTE_MS);
  await test.reconcile();
  await findMissedEvents(test.billing, new AbortController().signal);
});

it('Stripe’s description allows every call that billing makes, in the version that billing names', async () => {
  const kinds = new Set(
    test.requests.map(
      ({ method, path }) => `${method} ${path.replace(/\?.*/, '').replace(/cs_\w+/, '{id}')}`,
    ),
  );
  expect([...kinds].toSorted()).toEqual([
    'GET /v1/checkout/sessions/{id}',
    'GET /v1/events',
    'GET /v1/tax_rates',
    'POST /v1/checkout/sessions',
    'POST /v1/checkout/sessions/{id}/expire',
    'POST /v1/tax_rates',
  ]);
  if (skips('calls are not checked against Stripe’s description')) return;
  expect(new Set(test.requests.map(({ version }) => version))).toEqual(
    new Set([mock.description?.info.version]),
  );
  const verdicts = await Promise.all(test.requests.map(verdict));
  expect(verdicts.filter((text) => text !== 'allowed')).toEqual([]);
});

it('the simulator’s answers and events have what Stripe’s description requires', async () => {
  if (skips('the simulator is not checked against Stripe’s description')) return;
  const reads = test.requests.filter(({ method }) => method === 'GET');
  const answers = await Promise.all(
    reads.map(async (request) => (await ask(test.simulatorUrl, request)).json()),
  );
  const sent = test.webhooks.sent.map(({ body }) => JSON.parse(body.toString()) as { type: string });
  expect([...new Set(sent.map(({ type }) => type))].toSorted()).toEqual([
    'charge.dispute.closed',
    'charge.dispute.created',
    'charge.dispute.funds_reinstated',
    'charge.dispute.funds_withdrawn',
    'checkout.session.completed',
    'checkout.session.expired',
    'refund.created',
  ]);
  const problems = [...answers, ...sent].flatMap(objectChecker());
  expect([...new Set(problems)]).toEqual([]);
});

it('what Stripe’s description refuses, stripe-mock and the simulator refuse', async () => {
  const path = '/v1/checkout/sessions';
  const create = test.requests.find((request) => request.method === 'POST' && request.path === path);
  const body = create?.body ?? '';
  const broken = [
    `${body}&amount=5`,
    `${body}&allowed_payment_method_types[0]=card`,
    body.replace('payment_method_types[0]=card', 'payment_method_types[0]=cheque'),
    body.replace('unit_amount]=1000', 'unit_amount]=x'),
    body.replace('adaptive_pricing[enabled]=false', 'adaptive_pricing[enabled]=maybe'),
    body.replace('mode=payment', 'mode=gift'),
  ];
  for (const wrong of broken) {
    expect(wrong).not.toBe(body);
    const request = { method: 'POST', path, body: wrong };
    expect([wrong, (await ask(test.simulatorUrl, request)).status]).toEqual([wrong, 400]);
    if (mock.missing === undefined)
      expect([wrong, (await ask(mock.url, request)).status]).toEqual([wrong, 400]);
  }
});

/** Checks each object in an answer that names its kind, however deep it is: the description leaves open what is inside an event. */
function objectChecker(): (answer: unknown) => string[] {
  const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
  ajv.addSchema(jsonSchemaOf(mock.description) as object, 'stripe');
  const kinds = mock.description?.components.schemas ?? {};
  const problemsOf = (value: unknown): string[] => {
    if (value === null || typeof value !== 'object') return [];
    const within = Object.values(value).flatMap(problemsOf);
    const { object: kind } = value as { readonly object?: unknown };
    if (typeof kind !== 'string' || kinds[kind] === undefined) return within;
    const isValid = ajv.getSchema(`stripe#/components/schemas/${kind}`);
    if (isValid?.(value) === true) return within;
    return [
      ...within,
      ...(isValid?.errors ?? []).map((error) => `${kind}${error.instancePath} ${error.message}`),
    ];
  };
  return problemsOf;
}

/**
 * OpenAPI 3.0 says `nullable` where JSON Schema has the type `null`. References to objects that only an expanded answer contains are left
 * out: they lead through the whole description.
 */
function jsonSchemaOf(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(jsonSchemaOf);
  if (schema === null || typeof schema !== 'object') return schema;
  const parts = Object.entries(schema).map(([name, value]) => [name, jsonSchemaOf(value)] as const);
  const {
    nullable,
    'x-expansionResources': expanded,
    anyOf,
    ...rest
  } = Object.fromEntries(parts) as {
    readonly anyOf?: readonly object[];
    readonly [name: string]: unknown;
  };
  const options = expanded === undefined ? anyOf : anyOf?.filter((option) => !('$ref' in option));
  const same = { ...rest, ...(options !== undefined && { anyOf: options }) };
  return nullable === true ? { anyOf: [{ type: 'null' }, same] } : same;
}
