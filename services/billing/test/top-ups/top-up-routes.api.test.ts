import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { cardProblemsReply } from '@offer-ads/contracts/admin/billing-api';
import { type CardTopUpReply, cardTopUpReply } from '@offer-ads/contracts/internal/billing-api';
import type { CallerContext } from '@offer-ads/contracts/internal/caller-context';
import { adminToken, adminTokenHashes } from '@offer-ads/testing/admin';
import { signedCaller, testContextSecret } from '@offer-ads/testing/caller';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { findCardPaymentByToken } from '../../src/checkouts/checkouts-store.ts';
import { adminRoutes } from '../../src/http/admin-routes.ts';
import { internalRoutes } from '../../src/http/internal-routes.ts';
import { payRoutes } from '../../src/http/pay-routes.ts';
import { balanceOf } from '../../src/ledger/ledger-store.ts';
import { type BillingUnderTest, serveRoutes, startBillingUnderTest } from '../billing-under-test.ts';

let test: BillingUnderTest;
let url: string;
const started = new AsyncDisposableStack();

beforeAll(async () => {
  test = await startBillingUnderTest();
  const server = started.use(
    await serveRoutes(test, (app) => {
      payRoutes(app, test.billing);
      internalRoutes(app, test.billing, testContextSecret);
      adminRoutes(app, test.billing, adminTokenHashes);
    }),
  );
  url = server.url;
});
afterEach(() => test.setFaults({}));
afterAll(async () => {
  await started.disposeAsync();
  await test.finish();
});

const json = (answer: Response): Promise<unknown> => answer.json();

type Wish = {
  readonly key?: string | null;
  readonly body?: unknown;
  readonly caller?: Partial<CallerContext>;
};

async function topUp({ key = randomUUID(), body = { amountMinor: '10000' }, caller = {} }: Wish = {}) {
  const answer = await fetch(`${url}/internal/top-ups`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...signedCaller({ audience: 'billing', organisationId: test.newBook().organisationId, ...caller }),
      ...(key !== null && { 'idempotency-key': key }),
    },
    body: JSON.stringify(body),
  });
  return { status: answer.status, body: await json(answer), headers: answer.headers };
}
const opened = async (wish?: Wish): Promise<CardTopUpReply> => {
  const answer = await topUp(wish);
  expect(answer.status).toBe(200);
  return cardTopUpReply.parse(answer.body);
};
/** Asks again under its key while the answer is that there was no time. */
const answered = async ({ key = randomUUID(), ...wish }: Wish) => {
  for (;;) {
    const answer = await topUp({ key, ...wish });
    if (answer.status !== 503) return answer;
  }
};
const isOpened = (body: object): boolean => 'paymentUrl' in body;
const tokenOf = ({ paymentUrl }: CardTopUpReply) => paymentUrl.slice(-32);
const show = async (token: string, path = '') => {
  const answer = await fetch(`${url}/pay/${token}${path}`, { redirect: 'manual' });
  return { status: answer.status, html: await answer.text(), location: answer.headers.get('location') };
};
const sessionOf = async (token: string) =>
  (await findCardPaymentByToken(test.billing.postgres, token))?.checkout.session.sessionId ?? '';

describe('POST /internal/top-ups', () => {
  it('gives the stable link, both amounts and when it ends; the same again under the same key', async () => {
    const organisationId = test.newBook().organisationId;
    const wish = { key: randomUUID(), caller: { organisationId } };
    const first = await opened(wish);
    expect(first).toMatchObject({ currency: 'GBP', netMinor: '10000', vatMinor: '2000' });
    expect(first.paymentUrl).toMatch(/^https:\/\/ads\.example\/pay\/[\w-]{32}$/);
    expect(Date.parse(first.expiresAt) - test.clock.now().getTime()).toBe(7 * 24 * 3_600_000);
    expect(await opened(wish)).toEqual(first);
  });

  it.each([
    ['no key', { key: null }, 400, 'The Idempotency-Key header is missing'],
    ['a key that is none', { key: 'x'.repeat(256) }, 400, /^Idempotency-Key must be 1 to 255/],
    ['an amount that is a number', { body: { amountMinor: 100 } }, 400, /amountMinor/],
    ['a negative amount', { body: { amountMinor: '-100' } }, 400, /amountMinor/],
    ['29p', { body: { amountMinor: '29' } }, 400, 'amountMinor: a card payment must be at least 0.30 GBP'],
    [
      'a million',
      { body: { amountMinor: '100000000' } },
      400,
      'amountMinor: a card payment must be at most 999999.99 GBP, VAT included',
    ],
    ['yen', { caller: { currency: 'JPY' } }, 400, 'The billing currency JPY cannot be billed'],
  ] as const)(
    '%s is refused in a sentence that says how to do it right',
    async (_name, wish, status, message) => {
      const answer = await topUp(wish);
      expect(answer.status).toBe(status);
      expect((answer.body as { message: string }).message).toMatch(message);
    },
  );

  it('another amount under the same key is 422', async () => {
    const wish = { key: randomUUID(), caller: { organisationId: test.newBook().organisationId } };
    await opened(wish);
    expect(await topUp({ ...wish, body: { amountMinor: '10001' } })).toMatchObject({
      status: 422,
      body: { message: 'This Idempotency-Key was used with a different payload' },
    });
  });

  it('20 may wait for their payment; one more is refused, and says what to do, until one is paid or has closed', async () => {
    const organisationId = test.newBook().organisationId;
    const caller = { organisationId };
    const key = randomUUID();
    const first = await opened({ caller, key });
    test.clock.advance(3_600_000);
    // All at once, and more than there is room for.
    const answers = await Promise.all(Array.from({ length: 30 }, () => answered({ caller })));
    const refused = answers.filter(({ status }) => status === 409);
    expect([answers.filter(({ status }) => status === 200).length, refused.length]).toEqual([19, 11]);
    expect(refused[0]?.body).toEqual({
      message:
        '20 top-ups wait for their payment already: pay one of them by its link, or ask again after ' +
        `${first.expiresAt}, when the first of them closes`,
    });
    // Repeats, the other mode and others ask for nothing of that.
    expect(await opened({ caller, key })).toEqual(first);
    await opened({ caller: { ...caller, mode: 'LIVE' } });
    await opened();

    await test.pay(
      await sessionOf(tokenOf(answers.map(({ body }) => body as CardTopUpReply).find(isOpened)!)),
    );
    const next = { caller, key: randomUUID() };
    await eventually(async () => expect((await topUp(next)).status).toBe(200));
    expect((await topUp({ caller })).status).toBe(409);
    // The first can no longer be paid, whether or not its page could be closed yet.
    test.clock.set(first.expiresAt);
    await opened({ caller });
    expect((await topUp({ caller })).status).toBe(409);
  });

  it('is 503 with Retry-After while Stripe is down, and goes on under the same key', async () => {
    const wish = { key: randomUUID(), caller: { organisationId: test.newBook().organisationId } };
    await test.setFaults({ failCreate: 'busy', retryAfterSeconds: 20 });
    const refused = await topUp(wish);
    expect(refused).toMatchObject({ status: 503, body: { message: 'Service unavailable' } });
    expect(refused.headers.get('retry-after')).toBe('20');
    await test.setFaults({});
    await opened(wish);
  });

  it('without a caller is 401', async () => {
    const answer = await fetch(`${url}/internal/top-ups`, { method: 'POST' });
    expect(answer.status).toBe(401);
  });
});

describe('its link', () => {
  it('leads to the payment page, and its pages speak of a top-up', async () => {
    const organisationId = test.newBook().organisationId;
    const token = tokenOf(await opened({ caller: { organisationId } }));
    expect(await show(token)).toMatchObject({
      status: 303,
      location: expect.stringContaining('/c/pay/cs_test_'),
    });
    expect((await show(token, '/cancelled')).html).toContain('The top-up waits for its payment');
    await test.pay(await sessionOf(token));
    await eventually(async () => expect(await show(token)).toMatchObject({ status: 200 }));
    const paid = await show(token);
    expect(paid.html).toContain('The amount is on the balance of your organisation');
    expect(paid.html).not.toMatch(/offer/i);
    expect((await show(token, '/thanks')).html).not.toMatch(/offer/i);
    const book = { organisationId, mode: 'TEST', currency: 'GBP' } as const;
    expect(await balanceOf(test.billing.postgres, book)).toBe(100_00n);
  });

  it('that was not paid in time says so with 410', async () => {
    const token = tokenOf(await opened());
    test.clock.advance(7 * 24 * 3_600_000);
    const ended = await show(token);
    expect(ended.status).toBe(410);
    expect(ended.html).toContain('This top-up was not paid in time');
  });
});

describe('GET /admin/card-problems', () => {
  const problems = async (token = adminToken) => {
    const answer = await fetch(`${url}/admin/card-problems`, {
      headers: { authorization: `Bearer ${token}` },
    });
    return { status: answer.status, body: await json(answer) };
  };

  it('lists a refund made at Stripe with the top-up that it is of', async () => {
    const organisationId = test.newBook().organisationId;
    const reply = await opened({ caller: { organisationId } });
    const sessionId = await sessionOf(tokenOf(reply));
    await test.pay(sessionId);
    const id = await test.reverse(`sessions/${sessionId}/refund`);
    await eventually(async () => {
      const { reversals } = cardProblemsReply.parse((await problems()).body);
      expect(reversals).toContainEqual(
        expect.objectContaining({
          id,
          kind: 'refund',
          amountMinor: '12000',
          currency: 'GBP',
          organisationId,
          topUpId: reply.topUpId,
          offerId: null,
          booked: true,
        }),
      );
    });
  });

  it('needs the admin credential', async () => {
    expect((await problems('nobody-has-this-token-0123456789012345')).status).toBe(401);
  });
});
