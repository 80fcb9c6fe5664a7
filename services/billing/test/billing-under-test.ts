/** Billing's work against a real database and the Stripe simulator, on one clock that the test moves. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import {
  type EventData,
  type EventDeclaration,
  eventType,
} from '@offer-ads/contracts/events/event-declaration';
import { type HttpServer, type HttpServerOptions, startHttpServer } from '@offer-ads/platform/http/server';
import { openPostgres } from '@offer-ads/platform/postgres/postgres';
import { Fault } from '@offer-ads/platform/process/faults';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import type { Faults } from '@offer-ads/simulators/stripe/faults';
import { type RecordedRequest, startStripeSimulator } from '@offer-ads/simulators/stripe/server';
import { testClock } from '@offer-ads/testing/clock';
import { silentLogger } from '@offer-ads/testing/logger';
import { createTestDatabase } from '@offer-ads/testing/stores/database';
import { topUpBalance } from '../src/balance/top-up-balance.ts';
import type { Billing } from '../src/billing.ts';
import { findCardPaymentByToken } from '../src/checkouts/checkouts-store.ts';
import { type CheckoutOrder, openCheckout } from '../src/checkouts/open-checkout.ts';
import { findOfferPayment } from '../src/checkouts/payments-store.ts';
import type { Book } from '../src/domain/ledger/ledger.ts';
import { checkLedger } from '../src/ledger/ledger-check-store.ts';
import { billingMeters } from '../src/meters.ts';
import { openStripe, stripeDeadline } from '../src/stripe/client.ts';
import { openTopUp } from '../src/top-ups/open-top-up.ts';
import { receiveWebhook } from '../src/webhooks/receive-webhook.ts';

export const stripeKeys = {
  TEST: { secretKey: 'sk_test_simulated', webhookSecret: 'whsec_test_simulated' },
  LIVE: { secretKey: 'sk_live_simulated', webhookSecret: 'whsec_live_simulated' },
};

export const seller = {
  name: 'Offer Ads Ltd',
  address: '1 Example Street, London, EC1A 1AA, United Kingdom',
  vatNumber: 'GB 123 4567 89',
};

/**
 * What a store that is too slow leads to is a matter of the platform's tests: here a busy machine is waited for, or any one of hundreds
 * of calls would be the 503 that nobody asked for.
 */
export const STORE_PATIENCE_MS = 60_000;

export type Webhook = { readonly body: Buffer; readonly signature: string };

export type BillingUnderTest = Awaited<ReturnType<typeof startBillingUnderTest>>;

export async function startBillingUnderTest() {
  await using started = new AsyncDisposableStack();
  const clock = testClock();
  const database = await createTestDatabase('billing');
  started.defer(database.dispose);
  const metrics = createMetrics('billing');
  const postgres = started.use(
    await openPostgres({
      url: database.url,
      logger: silentLogger,
      metrics,
      maxConnections: 20,
      statementTimeoutMs: STORE_PATIENCE_MS,
    }),
  );

  const webhooks: { lost: boolean; readonly sent: Webhook[] } = { lost: false, sent: [] };
  const receiver = await startReceiver(async (webhook) => {
    webhooks.sent.push(webhook);
    return webhooks.lost ? 'accepted' : receiveWebhook(billing, webhook.body, webhook.signature);
  });
  started.use(receiver);

  const requests: RecordedRequest[] = [];
  const folder = await mkdtemp(join(tmpdir(), 'stripe-simulator-'));
  started.defer(() => rm(folder, { recursive: true }));
  const stateFile = join(folder, 'state.ndjson');
  const simulator = started.use(
    await startStripeSimulator({
      webhookUrl: receiver.url,
      webhookSecrets: { TEST: stripeKeys.TEST.webhookSecret, LIVE: stripeKeys.LIVE.webhookSecret },
      stateFile,
      clock,
      firstRetryMs: 10,
      log: () => {},
      onRequest: (request) => void requests.push(request),
    }),
  );
  const billing: Billing = {
    postgres,
    stripe: started.use(
      openStripe({ keys: stripeKeys, apiUrl: simulator.url, logger: silentLogger, metrics }),
    ),
    clock,
    publicUrl: 'https://ads.example',
    seller,
    logger: silentLogger,
    meters: billingMeters(metrics),
  };

  const post = (path: string, body: object = {}) =>
    fetch(`${simulator.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  let lastId = 0;
  const running = started.move();
  return {
    billing,
    clock,
    webhooks,
    expireDueSessions: simulator.expireDue,
    simulatorUrl: simulator.url,
    databaseUrl: database.url,
    /** Every call that Stripe got, as it was sent. */
    requests,
    setFaults: async (faults: Faults) => void (await post('/sim/faults', faults)),
    /** A refund or dispute made at Stripe, and what becomes of it; gives its id. */
    reverse: async (path: string, body: object = {}): Promise<string> => {
      const answer = await post(`/sim/${path}`, body);
      if (!answer.ok) throw new Error(`simulator: ${await answer.text()}`);
      return ((await answer.json()) as { id: string }).id;
    },
    /** As a payer does on the page; false when the session is no longer open. */
    pay: async (sessionId: string) => (await post(`/sim/sessions/${sessionId}/pay`)).ok,

    newOfferId: () => ++lastId,
    newBook: (facts: Partial<Book> = {}): Book => ({
      organisationId: ++lastId,
      mode: 'TEST',
      currency: 'GBP',
      ...facts,
    }),
    topUp: (book: Book, amountMinor: bigint) => {
      const topUp = { book, amountMinor, reference: randomUUID() };
      return untilServed(() => topUpBalance(postgres, topUp, clock.now()));
    },

    /** An open checkout of a new offer that runs for ten days. */
    openOffer: async (facts: Partial<CheckoutOrder> = {}) => {
      const order: CheckoutOrder = {
        offerId: ++lastId,
        book: { organisationId: ++lastId, mode: 'TEST', currency: 'GBP' },
        country: 'GB',
        title: 'Two for one',
        netMinor: 10_00n,
        offerExpiryAt: new Date(clock.now().getTime() + 10 * 24 * 3_600_000),
        ...facts,
      };
      const reply = await openCheckout(billing, order, stripeDeadline());
      if (reply.outcome !== 'opened') throw new Error(`not opened: ${reply.reason}`);
      const { sessionId } = (await cardPayment(order.offerId)).checkout.session;
      const purchase = { kind: 'offer', offerId: order.offerId } as const;
      return { ...order, purchase, reply, payToken: reply.paymentUrl.slice(-32), sessionId: sessionId ?? '' };
    },
    cardPayment,

    /** The page of a top-up that waits for its payment. */
    openTopUp: async (facts: Partial<Parameters<typeof openTopUp>[1]> = {}) => {
      const order = {
        book: { organisationId: ++lastId, mode: 'TEST', currency: 'GBP' } as Book,
        country: 'GB',
        netMinor: 100_00n,
        idempotencyKey: randomUUID(),
        ...facts,
      };
      const outcome = await openTopUp(billing, order, stripeDeadline());
      if (!outcome.ok) throw new Error(`not opened: ${outcome.refusal.reason}`);
      const { paymentUrl } = outcome.reply;
      const payToken = paymentUrl.slice(-32);
      const payment = await findCardPaymentByToken(postgres, payToken);
      const sessionId = payment?.checkout.session.sessionId ?? '';
      return {
        ...order,
        topUpId: outcome.reply.topUpId,
        vatMinor: BigInt(outcome.reply.vatMinor),
        paymentUrl,
        payToken,
        sessionId,
      };
    },

    /** What Stripe has been made to create for an offer, in order. */
    sessionsOf: (offerId: number): string[] => {
      const lines = readFileSync(stateFile, 'utf8').split('\n').filter(Boolean);
      const objects = lines.map((line) => JSON.parse(line) as StateLine);
      const ids = objects
        .filter(({ kind, object }) => kind === 'session' && object.metadata?.offer_id === `${offerId}`)
        .map(({ object }) => object.id);
      return [...new Set(ids)];
    },

    /** Events that wait in the outbox, in order. */
    emitted: async <D extends EventDeclaration>(declaration: D): Promise<EventData<D>[]> => {
      const rows = await postgres.query<{ data: EventData<D> }>(
        `SELECT event->'data' AS data FROM outbox WHERE event->>'type' = $1 ORDER BY position`,
        [eventType(declaration)],
      );
      return rows.map((row) => row.data);
    },

    /** At the end of every file: whatever moved, the ledger is sound. */
    finish: async () => {
      await using _ = running;
      const { problems } = await postgres.transaction(checkLedger);
      expect(problems).toEqual([]);
    },
  };

  async function cardPayment(offerId: number) {
    const payment = await findOfferPayment(postgres, offerId);
    if (payment?.method !== 'E') throw new Error(`offer ${offerId} is not paid by card`);
    return payment;
  }
}

/** Routes of billing on a port of their own, over what is under test. */
export function serveRoutes(
  { billing: { logger, clock } }: BillingUnderTest,
  routes: HttpServerOptions['routes'],
): Promise<HttpServer> {
  const readiness = async () => [];
  return startHttpServer({
    host: '127.0.0.1',
    port: 0,
    logger,
    metrics: createMetrics('billing'),
    clock,
    readiness,
    routes,
  });
}

/** As every caller does: what a busy machine has refused with a 503 is asked for again. For what may be repeated. */
export async function untilServed<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Fault) || error.status !== 503) throw error;
    }
  }
}

type StateLine = {
  readonly kind: string;
  readonly object: { readonly id: string; readonly metadata?: Record<string, string> };
};

/** Where the simulator sends its webhooks to. */
export async function startReceiver(receive: (webhook: Webhook) => Promise<'accepted' | 'refused'>) {
  const server = createServer((req, res) => {
    bodyOf(req)
      .then((body) => receive({ body, signature: String(req.headers['stripe-signature']) }))
      .then(
        (answer) => res.writeHead(answer === 'accepted' ? 200 : 400).end(),
        () => res.writeHead(500).end(),
      );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks/stripe`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function bodyOf(req: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
