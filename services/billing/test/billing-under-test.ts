/** Billing on a real database and the Stripe simulator, with one clock that the test moves: its functions and its routes. */

import { createHmac, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect } from '@jest/globals';
import {
  type EventData,
  type EventDeclaration,
  eventType,
} from '@offer-ads/contracts/events/event-declaration';
import type { CallerContext, Spending } from '@offer-ads/contracts/internal/caller-context';
import { DAY_MS } from '@offer-ads/contracts/values/durations';
import type { UnusedTime } from '@offer-ads/contracts/values/unused-time';
import { openPostgres, type Transaction } from '@offer-ads/platform/postgres/postgres';
import { isServiceUnavailable } from '@offer-ads/platform/process/faults';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import type { Faults } from '@offer-ads/simulators/stripe/faults';
import { type RecordedRequest, startStripeSimulator } from '@offer-ads/simulators/stripe/server';
import { adminToken, adminTokenHashes, testAdminGuard } from '@offer-ads/testing/admin';
import { signedCaller, testContextSecret } from '@offer-ads/testing/caller';
import { testClock } from '@offer-ads/testing/clock';
import { startTestServer } from '@offer-ads/testing/http-server';
import { silentLogger } from '@offer-ads/testing/logger';
import { createTestDatabase } from '@offer-ads/testing/stores/database';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { patiently } from '@offer-ads/testing/waiting/patiently';
import express from 'express';
import { chargeOffer } from '../src/balance/charge-offer.ts';
import { creditUnusedTime, whollyUnused } from '../src/balance/credit-offer.ts';
import { topUpBalance } from '../src/balance/top-up-balance.ts';
import type { Billing } from '../src/billing.ts';
import type { BillingConfig } from '../src/config.ts';
import { subscriptions } from '../src/consumers.ts';
import type { Book } from '../src/domain/ledger/ledger.ts';
import {
  type GroupSale,
  type Order,
  purchaseOf,
  type Sale,
  type SaleOfBook,
} from '../src/domain/payments/offer-payment.ts';
import { adminRoutes } from '../src/http/admin-routes.ts';
import { balanceRoutes } from '../src/http/balance-routes.ts';
import { internalRoutes } from '../src/http/internal-routes.ts';
import { invoiceRoutes } from '../src/http/invoice-routes.ts';
import { payRoutes } from '../src/http/pay-routes.ts';
import { receiveWebhook, webhookRoutes } from '../src/http/webhook-routes.ts';
import { createPdfMaker, type PdfMaker } from '../src/invoices/documents/pdf-maker.ts';
import { checkLedger } from '../src/ledger/ledger-check-store.ts';
import { balanceOf } from '../src/ledger/ledger-store.ts';
import { billingMeters } from '../src/meters.ts';
import { closeCheckout } from '../src/payments/close-checkout.ts';
import { followPaymentLink } from '../src/payments/follow-payment-link.ts';
import { type CheckoutOrder, openCheckout } from '../src/payments/open-checkout.ts';
import { openTopUp } from '../src/payments/open-top-up.ts';
import { findCardPaymentByToken, findPayment, lockPayment } from '../src/payments/payments-store.ts';
import { reconcileCheckouts } from '../src/payments/reconcile.ts';
import { resolveCharge } from '../src/payments/resolve-charge.ts';
import { type ListedReversal, latestReversals } from '../src/reversals/reversals-store.ts';
import { openStripe, stripeDeadline } from '../src/stripe/client.ts';

export const stripeKeys = {
  TEST: { secretKey: 'sk_test_simulated', webhookSecret: 'whsec_test_simulated' },
  LIVE: { secretKey: 'sk_live_simulated', webhookSecret: 'whsec_live_simulated' },
};

export const seller = {
  name: 'Offer Ads Ltd',
  address: '1 Example Street, London, EC1A 1AA, United Kingdom',
  vatNumber: 'GB 123 4567 89',
};

export const unlimited: Spending = {
  spender: 'key/1',
  access: 'full',
  perDayMinor: null,
  perMonthMinor: null,
};
const usualBook = { mode: 'TEST', currency: 'GBP' } as const;

export const MINUTE_MS = 60_000;

/** The platform tests time-outs of stores. Here a slow machine is waited for, because a 503 would look like a fault of billing. */
const STORE_TIMEOUT_MS = 60_000;

export type Webhook = { readonly body: Buffer; readonly signature: string };
export type Answer = { readonly status: number; readonly body: unknown; readonly headers: Headers };
export type BillingUnderTest = Awaited<ReturnType<typeof startBillingUnderTest>>;
export type OpenOffer = Awaited<ReturnType<BillingUnderTest['openOffer']>>;

/**
 * Billing for the tests of one file. After the last test the ledger is checked.
 * @param webhooksLost no webhook reaches billing, except by `receive`
 */
export function useBilling({ webhooksLost = false } = {}): BillingUnderTest {
  const test = {} as BillingUnderTest;
  beforeAll(async () => {
    Object.assign(test, await startBillingUnderTest());
    test.webhooks.lost = webhooksLost;
  });
  afterEach(async () => {
    await test.setFaults({});
    test.webhooks.lost = webhooksLost;
  });
  afterAll(() => test.finish());
  return test;
}

export async function startBillingUnderTest() {
  await using started = new AsyncDisposableStack();
  const clock = testClock();
  const { url, dispose } = await createTestDatabase('billing');
  started.defer(dispose);
  const foundation = { logger: silentLogger, metrics: createMetrics('billing') };
  const store = { url, maxConnections: 20, statementTimeoutMs: STORE_TIMEOUT_MS };
  const postgres = started.use(await openPostgres({ ...store, ...foundation }));
  const webhooks = {
    lost: false,
    sent: [] as Webhook[],
    deliver: async (webhook: Webhook) => (await receive(webhook)) === 'accepted',
  };
  let unheardWorks = 0;
  const receiver = started.use(
    await startTestServer((app) =>
      app.post('/webhooks/stripe', express.raw({ type: () => true }), async (req, res) => {
        const webhook = { body: req.body as Buffer, signature: req.get('stripe-signature') ?? '' };
        webhooks.sent.push(webhook);
        const isAccepted = webhooks.lost || unheardWorks > 0 || (await webhooks.deliver(webhook));
        res.status(isAccepted ? 200 : 400).end();
      }),
    ),
  );
  const requests: RecordedRequest[] = [];
  const folder = await mkdtemp(join(tmpdir(), 'stripe-simulator-'));
  started.defer(() => rm(folder, { recursive: true }));
  const stateFile = join(folder, 'state.ndjson');
  const simulator = started.use(
    await startStripeSimulator({
      webhookUrl: `${receiver.url}/webhooks/stripe`,
      webhookSecrets: { TEST: stripeKeys.TEST.webhookSecret, LIVE: stripeKeys.LIVE.webhookSecret },
      stateFile,
      clock,
      firstRetryMs: 10,
      log: () => {},
      onRequest: (request) => void requests.push(request),
    }),
  );
  const openAccounts = () =>
    openStripe({ keys: stripeKeys, apiUrl: simulator.url, pauseBeforeRepeatMs: 20, ...foundation });
  const billing: Billing = {
    postgres,
    stripe: started.use(openAccounts()),
    clock,
    publicUrl: 'https://ads.example',
    portalUrl: 'https://ads.example/portal',
    seller,
    logger: silentLogger,
    meters: billingMeters(foundation.metrics),
  };
  /** A test may replace `make`. */
  const pdfs: { make: PdfMaker['make'] } & PdfMaker = { ...started.use(createPdfMaker(60_000)) };
  const server = started.use(
    await startTestServer(
      (app) => {
        webhookRoutes(app, billing);
        payRoutes(app, billing);
        invoiceRoutes(app, billing, pdfs, testContextSecret);
        balanceRoutes(app, billing, testContextSecret);
        internalRoutes(app, billing, testContextSecret);
      },
      { clock, admin: { port: 0, routes: (app) => adminRoutes(app, billing, pdfs, testAdminGuard()) } },
    ),
  );

  const simulate = async (path: string, body: object = {}) => {
    const headers = { 'content-type': 'application/json' };
    return fetch(`${simulator.url}/sim/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  };
  const pay = async (sessionId: string) => (await simulate(`sessions/${sessionId}/pay`)).ok;
  const reverse = async (path: string, body: object = {}): Promise<string> => {
    const answer = await simulate(path, body);
    if (!answer.ok) throw new Error(`simulator: ${await answer.text()}`);
    return ((await answer.json()) as { id: string }).id;
  };
  const receive = ({ body, signature }: Webhook, by = billing) => receiveWebhook(by, body, signature);
  const sentWebhook = (...texts: readonly string[]): Promise<Webhook> =>
    eventually(() => {
      const sent = webhooks.sent.find(({ body }) => texts.every((text) => body.includes(text)));
      if (sent === undefined) throw new Error(`no webhook of ${texts.join()} yet`);
      return sent;
    });
  /** While `work` runs, no webhook is delivered. */
  const unheard = async <T>(work: () => Promise<T>): Promise<T> => {
    unheardWorks += 1;
    return work().finally(() => {
      unheardWorks -= 1;
    });
  };

  let lastId = 0;
  const newBook = (facts: Partial<Book> = {}): Book => ({ organisationId: ++lastId, ...usualBook, ...facts });
  const topUp = (book: Book, amountMinor: bigint) => {
    const order = { book, amountMinor, reference: randomUUID() };
    return untilServed(() => topUpBalance(postgres, order, clock.now()));
  };
  const newOrder = (facts: Partial<CheckoutOrder> = {}): CheckoutOrder => ({
    offerId: ++lastId,
    book: newBook(),
    country: 'GB',
    title: 'Two for one',
    netMinor: 10_00n,
    offerExpiryAt: new Date(clock.now().getTime() + 10 * DAY_MS),
    spending: unlimited,
    ...facts,
  });
  /** An order for offers at these prices, which run for ten days. */
  const newGroup = (
    prices: readonly bigint[] = [10_00n, 5_00n, 7_00n],
    facts: Partial<CheckoutOrder<GroupSale>> = {},
  ): CheckoutOrder<GroupSale> => {
    const { offerId: _, ...order } = newOrder();
    return {
      ...order,
      groupId: ++lastId,
      title: 'Two for one (several places)',
      offers: prices.map((netMinor, index) => ({
        offerId: ++lastId,
        title: `Two for one (place ${index + 1})`,
        netMinor,
      })),
      netMinor: prices.reduce((sum, price) => sum + price, 0n),
      ...facts,
    };
  };
  const ledgerProblems = async () => (await postgres.transaction((tx) => checkLedger(tx))).problems;
  const paymentOf = async (sale: { readonly offerId: number } | { readonly groupId: number }) => {
    const payment = await findPayment(postgres, purchaseOf(sale));
    if (payment?.method !== 'E') throw new Error(`${JSON.stringify(purchaseOf(sale))} is not paid by card`);
    return payment;
  };
  const opened = async <S extends Sale>(order: CheckoutOrder<S>) => {
    const reply = await openCheckout(billing, order, stripeDeadline());
    if (reply.outcome !== 'opened') throw new Error(`not opened: ${reply.reason}`);
    const { checkout, payToken, purchase } = await paymentOf(order);
    return { ...order, purchase, reply, payToken, sessionId: checkout.session.sessionId ?? '' };
  };
  const openOffer = (facts: Partial<CheckoutOrder> = {}) => opened(newOrder(facts));
  const openGroup = (...of: Parameters<typeof newGroup>) => opened(newGroup(...of));
  const paid = async <S extends Sale & { sessionId: string }>(sale: S): Promise<S> => {
    await pay(sale.sessionId);
    await untilPaid(sale);
    return sale;
  };
  const paidOffer = async (facts: Partial<CheckoutOrder> = {}) => paid(await openOffer(facts));
  const paidGroup = async (...of: Parameters<typeof newGroup>) => paid(await openGroup(...of));
  const untilPaid = (sale: Parameters<typeof purchaseOf>[0]) =>
    eventually(async () => expect((await paymentOf(sale)).checkout.paidAt).not.toBeNull());
  const newTopUp = async (facts: Partial<Parameters<typeof openTopUp>[1]> = {}) => {
    const key = { idempotencyKey: randomUUID() };
    const order = { book: newBook(), country: 'GB', netMinor: 100_00n, ...key, ...facts };
    const outcome = await openTopUp(billing, order, stripeDeadline());
    if (!outcome.ok) throw new Error(`not opened: ${outcome.reason}`);
    const { topUpId, paymentUrl, vatMinor } = outcome.reply;
    const payToken = paymentUrl.slice(-32);
    const payment = await findCardPaymentByToken(postgres, payToken);
    const sessionId = payment?.checkout.session.sessionId ?? '';
    return { ...order, topUpId, paymentUrl, vatMinor: BigInt(vatMinor), payToken, sessionId };
  };
  const findReversal = async (id: string): Promise<ListedReversal | undefined> =>
    (await latestReversals(postgres, 500)).find(({ reversalId }) => reversalId === id);
  const untilReversal = (id: string, facts: object = { takenPosted: true }) =>
    eventually(async () => expect(await findReversal(id)).toMatchObject(facts));

  const running = started.move();
  return {
    ...callsTo(server),
    billing,
    clock,
    /** What the simulator has sent. While they are lost, they are accepted and not delivered. */
    webhooks,
    pdfs,
    requests,
    databaseUrl: url,
    simulatorUrl: simulator.url,
    /** Accounts at the simulator with breakers that are closed. */
    openAccounts,
    expireDueSessions: simulator.expireDue,
    setFaults: async (faults: Faults) => void (await simulate('faults', faults)),
    /** As a payer does on the page; false when the session is no longer open. */
    pay,
    /** A refund or dispute made at Stripe, or the next step of one; gives its id. */
    reverse,
    receive,
    sentWebhook,
    unheard,
    /** The webhooks about these ids, as soon as there are so many. */
    webhooksOf: (ids: readonly string[], count: number): Promise<Webhook[]> =>
      eventually(() => {
        const ours = webhooks.sent.filter(({ body }) => ids.some((id) => body.includes(id)));
        expect(ours).toHaveLength(count);
        return ours;
      }),
    /** Each twice, and four at once. */
    receiveInAnyOrder: async (sent: readonly Webhook[], chance: Iterator<number>): Promise<void> => {
      const shuffled = [...sent, ...sent]
        .map((webhook) => ({ webhook, place: Number(chance.next().value) }))
        .toSorted((one, other) => one.place - other.place);
      for (let start = 0; start < shuffled.length; start += 4) {
        const four = shuffled.slice(start, start + 4);
        const answers = await Promise.all(four.map(({ webhook }) => receive(webhook)));
        expect(new Set(answers)).toEqual(new Set(['accepted']));
      }
    },
    /** Pays, and gives the webhook that billing has not received. */
    payUnheard: (sessionId: string): Promise<Webhook> =>
      unheard(async () => {
        await pay(sessionId);
        return sentWebhook('checkout.session.completed', sessionId);
      }),
    /** A webhook as Stripe signs it. */
    signed: (body: string, secret = stripeKeys.TEST.webhookSecret): Webhook => {
      const seconds = Math.floor(clock.now().getTime() / 1_000);
      const mac = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex');
      return { body: Buffer.from(body), signature: `t=${seconds},v1=${mac}` };
    },

    newOfferId: () => ++lastId,
    newBook,
    topUp,
    /** With 100.00 on its balance. */
    fundedBook: async () => {
      const book = newBook();
      await topUp(book, 100_00n);
      return book;
    },
    charge: (book: Book, netMinor: bigint, offerId = ++lastId, at = clock.now(), spending = unlimited) =>
      chargeOffer(billing, { offerId, book, title: 'Two for one', netMinor, spending }, at),
    chargeGroup: (order: Order<GroupSale>, by = billing) => chargeOffer(by, order, clock.now()),
    credit: (offerId: number, unused: UnusedTime = whollyUnused) =>
      postgres.transaction(async (tx) => {
        const payment = await lockPayment(tx, purchaseOf({ offerId }));
        if (payment !== undefined) await creditUnusedTime(tx, payment, unused, clock.now());
      }),
    balance: (book: Book) => balanceOf(postgres, book),
    /** The sums of a book's accounts, without those that are 0. */
    accounts: async ({ organisationId, mode }: Book): Promise<Record<string, bigint>> => {
      const rows = await postgres.query<{ kind: string; total: bigint }>(
        `SELECT kind, sum(amount_minor)::bigint AS total FROM accounts JOIN entries USING (account_id)
          WHERE organisation_id = $1 AND mode = $2 GROUP BY kind HAVING sum(amount_minor) <> 0`,
        [organisationId, mode],
      );
      return Object.fromEntries(rows.map(({ kind, total }) => [kind, total]));
    },

    /** An order for an offer of 10.00 that runs for ten days. */
    newOrder,
    newGroup,
    open: (order: CheckoutOrder<Sale>, by = billing) => openCheckout(by, order, stripeDeadline()),
    openOffer,
    paidOffer,
    openGroup,
    paidGroup,
    untilPaid,
    cardPayment: (offerId: number) => paymentOf({ offerId }),
    checkout: async (sale: Parameters<typeof purchaseOf>[0]) => (await paymentOf(sale)).checkout,
    follow: ({ payToken }: { readonly payToken: string }) =>
      followPaymentLink(billing, payToken, stripeDeadline()),
    close: (sale: SaleOfBook, deletion?: number, by = billing) =>
      closeCheckout(by, sale, stripeDeadline(), deletion),
    resolve: (sale: SaleOfBook) => resolveCharge(billing, sale, stripeDeadline()),
    reconcile: (by = billing, roundMs = MINUTE_MS) =>
      reconcileCheckouts(by, new AbortController().signal, { roundMs, pauseMs: 0 }),

    /** A top-up of 100.00 whose page is open. */
    openTopUp: newTopUp,
    paidTopUp: async (facts: Parameters<typeof newTopUp>[0] = {}) => {
      const topUp = await newTopUp(facts);
      await pay(topUp.sessionId);
      await eventually(async () => expect(await balanceOf(postgres, topUp.book)).toBe(topUp.netMinor));
      return topUp;
    },

    findReversal,
    untilReversal,
    /** The dispute was won, and billing has posted it. */
    win: async (id: string) => {
      await reverse(`disputes/${id}/close`, { outcome: 'won' });
      await untilReversal(id, { returnedPosted: true });
    },
    /** Made at Stripe, and recorded by billing. */
    takeBack: async (
      { sessionId }: { readonly sessionId: string },
      how: 'refund' | 'dispute' = 'refund',
      amountMinor?: number,
    ): Promise<string> => {
      const id = await reverse(`sessions/${sessionId}/${how}`, { amountMinor });
      await untilReversal(id);
      return id;
    },

    /** The ids of the sessions that Stripe was made to create for an offer, in order. */
    sessionsOf: (offerId: number): string[] => {
      const lines = readFileSync(stateFile, 'utf8').split('\n');
      const ours = lines.filter((line) => line.includes(`"offer_id":"${offerId}"`));
      return [...new Set(ours.flatMap((line) => /"id":"(cs_\w+)"/.exec(line)?.[1] ?? []))];
    },

    /** Hands an event to billing's consumer, as the broker does. */
    consume: async (
      declaration: EventDeclaration,
      data: unknown,
      o: { readonly id?: string; readonly version?: number; readonly by?: Billing } = {},
    ): Promise<void> => {
      const subscription = subscriptions(o.by ?? billing).find((one) => one.declaration === declaration);
      await subscription?.handle({
        declaration,
        id: o.id ?? randomUUID(),
        time: clock.now(),
        subject: 'subject',
        subjectVersion: o.version ?? 1,
        data: declaration.schema.parse(data),
        trace: null,
      });
    },
    /** The events in the outbox of an organisation or an offer, in order. */
    emitted: async <D extends EventDeclaration>(
      declaration: D,
      of: { readonly organisationId: number } | { readonly offerId: number },
    ): Promise<EventData<D>[]> => {
      const [field, id] = 'offerId' in of ? ['offerId', of.offerId] : ['organisationId', of.organisationId];
      const rows = await postgres.query<{ data: EventData<D> }>(
        `SELECT event->'data' AS data FROM outbox
          WHERE event->>'type' = $1 AND event->'data'->>$2 = $3 ORDER BY position`,
        [eventType(declaration), field, `${id}`],
      );
      return rows.map((row) => row.data);
    },

    ledgerProblems,
    /** What the ledger check finds after somebody has changed rows behind the rules of the database. The change is then undone. */
    findingsAfter: async (
      change: string | ((tx: Transaction) => Promise<unknown>),
      o: Parameters<typeof checkLedger>[1] = {},
    ): Promise<readonly string[]> =>
      postgres.transaction(async (tx) => {
        await tx.query('SET LOCAL session_replication_role = replica; SAVEPOINT before');
        await (typeof change === 'string' ? tx.query(change) : change(tx));
        const { problems } = await checkLedger(tx, o);
        await tx.query('ROLLBACK TO before');
        return problems;
      }),
    finish: async () => {
      await using _ = running;
      expect(await ledgerProblems()).toEqual([]);
    },
  };
}

/** Calls of routes. Each is made again while a busy machine answers 503. */
export function callsTo({ url, adminUrl }: { readonly url: string; readonly adminUrl: string }) {
  const call = (method: string, path: string, headers: Record<string, string>, json?: unknown) =>
    patiently(async (): Promise<Answer> => {
      const type = json === undefined ? {} : { 'content-type': 'application/json' };
      const body = json === undefined ? {} : { body: JSON.stringify(json) };
      const base = path.startsWith('/admin') ? adminUrl : url;
      const answer = await fetch(`${base}${path}`, { method, headers: { ...type, ...headers }, ...body });
      return { status: answer.status, body: await answer.json(), headers: answer.headers };
    });
  return {
    url,
    adminUrl,
    call,
    /** A route behind a caller context. */
    as: (caller: Partial<CallerContext>, method: string, path: string, json?: unknown, headers = {}) =>
      call(
        method,
        `/internal${path}`,
        { ...signedCaller({ audience: 'billing', ...caller }), ...headers },
        json,
      ),
    /** An endpoint of the public API, as the gateway asks it. */
    asApiKey: (caller: Partial<CallerContext>, path: string) =>
      call('GET', path, signedCaller({ audience: 'billing', ...caller })),
    admin: (method: string, path: string, json?: unknown) =>
      call(method, `/admin${path}`, { authorization: `Bearer ${adminToken}`, 'x-admin-actor': 'ann' }, json),
    /** As a browser that follows no redirect. */
    visit: (path: string, method = 'GET') =>
      patiently(() => fetch(`${url}${path}`, { method, redirect: 'manual' })),
  };
}

/** The settings of the whole service on the stores of the test. */
export function configFor(
  { databaseUrl, simulatorUrl }: Pick<BillingUnderTest, 'databaseUrl' | 'simulatorUrl'>,
  rabbitmqUrl: string,
): BillingConfig {
  return {
    HOST: '127.0.0.1',
    PORT: 0,
    ADMIN_PORT: 0,
    LOG_LEVEL: 'info',
    PUBLIC_URL: 'https://ads.example',
    PORTAL_URL: 'https://ads.example/portal',
    BILLING_DATABASE_URL: databaseUrl,
    RABBITMQ_URL: rabbitmqUrl,
    BILLING_CONTEXT_SECRET: testContextSecret,
    ADMIN_TOKEN_HASHES: adminTokenHashes,
    AUDIT_RETENTION_DAYS: 730,
    STRIPE_API_URL: simulatorUrl,
    STRIPE_TEST_SECRET_KEY: stripeKeys.TEST.secretKey,
    STRIPE_TEST_WEBHOOK_SECRET: stripeKeys.TEST.webhookSecret,
    STRIPE_LIVE_SECRET_KEY: stripeKeys.LIVE.secretKey,
    STRIPE_LIVE_WEBHOOK_SECRET: stripeKeys.LIVE.webhookSecret,
    SELLER_NAME: seller.name,
    SELLER_ADDRESS: seller.address,
    SELLER_VAT_NUMBER: seller.vatNumber,
  };
}

/** Makes a call again while a busy machine answers 503, for a minute. */
export async function untilServed<T>(work: () => Promise<T>): Promise<T> {
  for (const giveUpAt = performance.now() + 60_000; ; ) {
    try {
      return await work();
    } catch (error) {
      if (!isServiceUnavailable(error) || performance.now() > giveUpAt) throw error;
    }
    await pause(20);
  }
}
