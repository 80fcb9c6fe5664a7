/** Everything that billing asks of Stripe, checked by stripe-mock against Stripe's own description of its API. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type StripeMock, startStripeMock } from '@offer-ads/backing/stripe-mock';
import type { RecordedRequest } from '@offer-ads/simulators/stripe/server';
import { findMissedEvents } from '../../src/webhooks/find-missed-events.ts';
import { MINUTE_MS, useBilling } from '../billing-under-test.ts';

const test = useBilling();
let mock: Partial<StripeMock> & { readonly missing?: string };
beforeAll(async () => {
  mock = await startStripeMock();
}, 360_000);
afterAll(async () => {
  await mock[Symbol.asyncDispose]?.();
});

/** `allowed`, or what stripe-mock says against the call. */
async function verdict({ method, path, body }: RecordedRequest): Promise<string> {
  const answer = await fetch(`${mock.url}${withOlderNames(path)}`, {
    method,
    headers: {
      authorization: 'Bearer sk_test_123',
      ...(method === 'POST' && { 'content-type': 'application/x-www-form-urlencoded' }),
    },
    ...(method === 'POST' && { body: withOlderNames(body) }),
  });
  const text = await answer.text();
  return answer.ok ? 'allowed' : `${method} ${path} ${decodeURIComponent(body)}: ${text}`;
}

/** The description is of an older API version than the SDK's; this parameter had another name then. */
function withOlderNames(text: string): string {
  return text.replaceAll('allowed_payment_method_types', 'payment_method_types');
}

it('Stripe’s description allows every call that billing makes', async () => {
  // Fresh accounts: the tax rate is looked for and made.
  const offer = await test.openOffer();
  await test.openOffer({ country: 'DE', book: test.newBook({ currency: 'EUR', mode: 'LIVE' }) });
  await test.openTopUp();
  await test.close(offer);
  test.clock.advance(5 * MINUTE_MS);
  await test.reconcile();
  await findMissedEvents(test.billing, new AbortController().signal);
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
  if (mock.missing !== undefined) {
    process.stdout.write(`skipped: calls are not checked against Stripe’s description, ${mock.missing}\n`);
    return;
  }
  const verdicts = await Promise.all(test.requests.map(verdict));
  expect(verdicts.filter((text) => text !== 'allowed')).toEqual([]);
});

it('the mock finds a call that Stripe’s description does not allow', async () => {
  if (mock.missing !== undefined) return;
  const create = test.requests.find(
    ({ method, path }) => method === 'POST' && path === '/v1/checkout/sessions',
  );
  const body = create?.body ?? '';
  const path = '/v1/checkout/sessions';
  expect(await verdict({ method: 'POST', path, body: `${body}&amount=5` })).toMatch(/additional properties/);
  expect(
    await verdict({ method: 'POST', path, body: body.replace('unit_amount]=1000', 'unit_amount]=x') }),
  ).toMatch(/unit_amount/);
});
