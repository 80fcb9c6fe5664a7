/** The Stripe simulator: stateful Checkout Sessions, a payment page, signed webhooks, and faults that tests set. */
import type { IncomingMessage } from 'node:http';
import { type Clock, systemClock } from '@offer-ads/platform/process/clock';
import express from 'express';
import { listen, type WebServer } from '../web-server.ts';
import { mountApi } from './api-routes.ts';
import { createCheckout } from './checkout.ts';
import type { Faults } from './faults.ts';
import type { SavedReply } from './idempotency.ts';
import { openJournal } from './journal.ts';
import { apiVersion, type CheckoutSession, type Event, newId, type TaxRate } from './objects.ts';
import { createReversals, type Dispute, type Refund } from './reversals.ts';
import { mountSim } from './sim-routes.ts';
import { startWebhooks, type WebhookSecrets } from './webhooks.ts';

export type StripeSimulator = WebServer & {
  /** Emits the events of sessions whose time is over now, instead of within a second. */
  readonly expireDue: () => void;
};

export type RecordedRequest = {
  readonly method: string;
  readonly path: string;
  readonly body: string;
  /** The API version that the client names. */
  readonly version: string | undefined;
};

export async function startStripeSimulator(o: {
  host?: string;
  port?: number;
  webhookUrl: string;
  webhookSecrets: WebhookSecrets;
  /** Base of the addresses of payment pages; by default the simulator's own address. */
  publicUrl?: string;
  /** The file that keeps the objects between runs. Without it they are only in memory. */
  stateFile?: string;
  clock?: Clock;
  firstRetryMs?: number;
  log?: (line: string) => void;
  /** Called with every request to the API. */
  onRequest?: (request: RecordedRequest) => void;
}): Promise<StripeSimulator> {
  const journal = openJournal(o.stateFile);
  const sessions = journal.collection<CheckoutSession>('session');
  const taxRates = journal.collection<TaxRate>('tax_rate');
  const events = journal.collection<Event>('event');
  const savedReplies = journal.collection<SavedReply>('reply');
  const clock = o.clock ?? systemClock;
  let current: Faults = {};
  const faults = () => current;

  const webhooks = startWebhooks({
    url: o.webhookUrl,
    secrets: o.webhookSecrets,
    faults,
    clock,
    ended: (event) => events.put({ ...event, pending_webhooks: 0 }),
    firstRetryMs: o.firstRetryMs ?? 500,
    log: o.log ?? console.log,
  });
  const emit = (event: Event) => {
    events.put(event);
    webhooks.send(event);
  };
  const checkout = createCheckout({
    sessions,
    taxRates,
    clock,
    faults,
    pageUrl: (id) => `${publicUrl}/c/pay/${id}`,
    emit,
  });
  const reversals = createReversals({
    refunds: journal.collection<Refund>('refund'),
    disputes: journal.collection<Dispute>('dispute'),
    nowSeconds: checkout.nowSeconds,
    emit: (type, livemode, object) =>
      emit({
        id: newId('evt'),
        object: 'event',
        api_version: apiVersion,
        created: checkout.nowSeconds(),
        data: { object },
        livemode,
        pending_webhooks: 1,
        request: null,
        type,
      } as Event),
  });

  const app = express();
  app.disable('x-powered-by').set('query parser', 'extended');
  const verify = (req: IncomingMessage, _: unknown, body: Buffer) => {
    bodies.set(req, body.toString());
  };
  const bodies = new WeakMap<IncomingMessage, string>();
  app.use('/v1', express.urlencoded({ extended: true, verify }), (req, _, next) => {
    const { method, originalUrl: path } = req;
    o.onRequest?.({ method, path, body: bodies.get(req) ?? '', version: req.get('stripe-version') });
    next();
  });
  app.use('/sim', express.json());
  mountApi(app, { checkout, taxRates, events, savedReplies, faults });
  mountSim(app, {
    checkout,
    sessions,
    reversals,
    setFaults: (faults) => {
      current = faults;
    },
  });
  app.get('/livez', (_, res) => res.json({ status: 'ok' }));

  const server = await listen(app, { host: o.host ?? '127.0.0.1', port: o.port ?? 0 });
  const publicUrl = o.publicUrl ?? server.url;
  for (const event of events.all().filter((event) => event.pending_webhooks > 0)) webhooks.send(event);
  const sweep = setInterval(checkout.expireDue, 1000);

  return {
    url: server.url,
    port: server.port,
    expireDue: checkout.expireDue,
    async [Symbol.asyncDispose]() {
      clearInterval(sweep);
      await webhooks[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}
