/** Everything that billing asks of Stripe, checked by stripe-mock against Stripe's own description of its API. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type StripeMock, startStripeMock } from '@offer-ads/backing/stripe-mock';
import type { RecordedRequest } from '@offer-ads/simulators/stripe/server';
import { closeCheckout } from '../../src/checkouts/close-checkout.ts';
import { reconcileCheckouts } from '../../src/checkouts/reconcile.ts';
import { stripeDeadline } from '../../src/stripe/client.ts';
import { findMissedEvents } from '../../src/webhooks/find-missed-events.ts';
import { type BillingUnderTest, startBillingUnderTest } from '../billing-under-test.ts';

let test: BillingUnderTest;
let mock: Partial<StripeMock> & { readonly missing?: string };
beforeAll(async () => {
  test = await startBillingUnderTest();
  mock = await startStripeMock();
}, 360_000);
afterAll(async () => {
  await mock[Symbol.asyncDispose]?.();
  await test.finish();
});

/** Whether a call is one that the description allows, in Stripe's words if not. */
async function verdict({ method, path, body }: RecordedRequest): Promise<string> {
  const answer = await fetch(`${mock.url}${inWordsOfTheDescription(path)}`, {
    method,
    headers: {
      authorization: 'Bearer sk_test_123',
      ...(method === 'POST' && { 'content-type': 'application/x-www-form-urlencoded' }),
    },
    ...(method === 'POST' && { body: inWordsOfTheDescription(body) }),
  });
  const text = await answer.text();
  return answer.ok ? 'allowed' : `${method} ${path} ${decodeURIComponent(body)}: ${text}`;
}

/** The description is of an API version before the SDK's, in which this one parameter had its older name. */
function inWordsOfTheDescription(text: string): string {
  return text.replaceAll('allowed_payment_method_types', 'payment_method_types');
}

it('every call that billing makes is one that Stripe’s description allows', async () => {
  // Fresh accounts: the tax rate is looked for and made.
  const offer = await test.openOffer();
  await test.openOffer({ country: 'DE', book: test.newBook({ currency: 'EUR', mode: 'LIVE' }) });
  await test.openTopUp();
  await closeCheckout(test.billing, offer, stripeDeadline());
  test.clock.advance(5 * 60_000);
  const { signal } = new AbortController();
  await reconcileCheckouts(test.billing, signal);
  await findMissedEvents(test.billing, signal);
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

it('and a call that it does not allow is found', async () => {
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
