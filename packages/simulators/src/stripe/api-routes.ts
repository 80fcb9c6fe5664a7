/** The part of Stripe's API v1 that card payments of offers need. */
import type { Express, Request } from 'express';
import type { Checkout } from './checkout.ts';
import { eventListParameters, listEvents } from './event-list.ts';
import { type Faults, type Trouble, type TroubledOperation, takeTroubles } from './faults.ts';
import { answerOnce, type SavedReply } from './idempotency.ts';
import type { Collection } from './journal.ts';
import { apiVersion, type Customer, type Event, newId, type TaxRate } from './objects.ts';
import {
  customerParameters,
  listParameters,
  parseParameters,
  retrieveParameters,
  sessionParameters,
  taxRateParameters,
} from './parameters.ts';
import { renderLines, renderList } from './rendering.ts';
import {
  declined,
  internalError,
  invalid,
  notFound,
  ok,
  type Reply,
  refuse,
  tooMany,
  unavailable,
} from './replies.ts';

type Call = {
  readonly livemode: boolean;
  readonly id: string;
  readonly input: unknown;
  /** What Stripe's events say about their cause. */
  readonly cause: Event['request'];
};

export function mountApi(
  app: Express,
  o: {
    checkout: Checkout;
    taxRates: Collection<TaxRate>;
    customers: Collection<Customer>;
    events: Collection<Event>;
    /** Whether the webhook of an event was accepted. */
    isDelivered: (eventId: string) => boolean;
    savedReplies: Collection<SavedReply>;
    faults: () => Faults;
  },
): void {
  const { checkout } = o;

  const takeTrouble = takeTroubles(o.faults);

  const endpoint = (
    method: 'get' | 'post',
    path: string,
    handle: (call: Call) => Reply,
    operation?: TroubledOperation,
  ) => {
    app[method](path, (req, res) => {
      const requestId = newId('req', 14);
      const trouble = operation && takeTrouble(operation);
      const reply =
        instead(trouble, o.faults()) ?? answer(req, requestId, trouble === 'error' ? failed : handle);
      const send = () => {
        res.set({
          'request-id': requestId,
          'stripe-version': req.get('stripe-version') ?? apiVersion,
          ...reply.headers,
        });
        res.status(reply.status).json(reply.body);
      };
      if (trouble === 'cut') req.socket.destroy();
      else if (trouble === 'slow') setTimeout(send, o.faults().slowMs ?? 1_000).unref();
      else send();
    });
  };

  function answer(req: Request, requestId: string, handle: (call: Call) => Reply) {
    const key = apiKey(req);
    const mode = /^(?:sk|rk)_(test|live)_\w+$/.exec(key ?? '')?.[1];
    if (!mode) return refuse(401, { type: 'invalid_request_error', message: keyProblem(key) });
    const idempotencyKey = req.method === 'POST' ? req.get('idempotency-key') : undefined;
    const call: Call = {
      livemode: mode === 'live',
      id: String(req.params.id ?? ''),
      input: req.method === 'POST' ? req.body : req.query,
      cause: { id: requestId, idempotency_key: idempotencyKey ?? null },
    };
    return answerOnce(o.savedReplies, { mode, idempotencyKey, path: req.path, input: call.input }, () =>
      handle(call),
    );
  }

  endpoint(
    'post',
    '/v1/checkout/sessions',
    ({ livemode, input }) => {
      const asked = parseParameters(sessionParameters, input);
      if (!asked.ok) return asked.reply;
      const opened = checkout.open(asked.value, livemode);
      return opened.ok ? expanded(opened.session, asked.value.expand) : opened.reply;
    },
    'create',
  );

  endpoint(
    'get',
    '/v1/checkout/sessions/:id',
    ({ livemode, id, input }) => {
      const asked = parseParameters(retrieveParameters, input);
      if (!asked.ok) return asked.reply;
      const session = checkout.find(id, livemode);
      return session ? expanded(session, asked.value.expand) : notFound('checkout.session', id, 'session');
    },
    'retrieve',
  );

  endpoint('get', '/v1/checkout/sessions/:id/line_items', ({ livemode, id }) => {
    const session = checkout.find(id, livemode);
    return session ? ok(renderLines(session)) : notFound('checkout.session', id, 'session');
  });

  endpoint(
    'post',
    '/v1/checkout/sessions/:id/expire',
    ({ livemode, id, input, cause }) => {
      const asked = parseParameters(retrieveParameters, input);
      if (!asked.ok) return asked.reply;
      const session = checkout.find(id, livemode);
      if (!session) return notFound('checkout.session', id, 'session');
      const expired = checkout.expire(session, cause);
      return expired.ok ? expanded(expired.session, asked.value.expand) : expired.reply;
    },
    'expire',
  );

  function expanded(session: Parameters<Checkout['render']>[0], expand: readonly string[] = []): Reply {
    const foreign = expand.find((name) => name !== 'line_items');
    if (foreign) return invalid(`This property cannot be expanded (${foreign}).`, { param: 'expand' });
    return ok(checkout.render(session, expand.includes('line_items')));
  }

  const makeTaxRate = ({ livemode, input }: Call) => {
    const asked = parseParameters(taxRateParameters, input);
    if (!asked.ok) return asked.reply;
    const rate: TaxRate = {
      id: newId('txr'),
      object: 'tax_rate',
      active: asked.value.active ?? true,
      country: asked.value.country ?? null,
      created: checkout.nowSeconds(),
      description: asked.value.description ?? null,
      display_name: asked.value.display_name,
      effective_percentage: null,
      flat_amount: null,
      inclusive: asked.value.inclusive,
      jurisdiction: asked.value.jurisdiction ?? null,
      jurisdiction_level: null,
      livemode,
      metadata: asked.value.metadata ?? {},
      percentage: asked.value.percentage,
      rate_type: 'percentage',
      state: asked.value.state ?? null,
      tax_type: asked.value.tax_type ?? null,
    };
    o.taxRates.put(rate);
    return ok(rate);
  };
  endpoint('post', '/v1/tax_rates', makeTaxRate, 'rate');

  endpoint('post', '/v1/customers', ({ livemode, input }) => {
    const asked = parseParameters(customerParameters, input);
    if (!asked.ok) return asked.reply;
    const customer: Customer = {
      id: newId('cus', 14),
      object: 'customer',
      address: null,
      balance: 0,
      created: checkout.nowSeconds(),
      currency: null,
      default_source: null,
      delinquent: false,
      description: asked.value.description ?? null,
      email: asked.value.email ?? null,
      invoice_settings: {
        custom_fields: null,
        default_payment_method: null,
        footer: null,
        rendering_options: null,
      },
      livemode,
      metadata: asked.value.metadata ?? {},
      name: asked.value.name ?? null,
      phone: asked.value.phone ?? null,
      preferred_locales: [],
      shipping: null,
      tax_exempt: 'none',
      test_clock: null,
    };
    o.customers.put(customer);
    return ok(customer);
  });

  endpoint(
    'get',
    '/v1/events',
    ({ livemode, input }) => {
      const asked = parseParameters(eventListParameters, input);
      if (!asked.ok) return asked.reply;
      const nowSeconds = checkout.nowSeconds();
      return listEvents(o.events.all(), asked.value, { livemode, nowSeconds, isDelivered: o.isDelivered });
    },
    'list',
  );

  const readable = <T extends { id: string; livemode: boolean }>(
    path: string,
    kind: string,
    collection: Collection<T>,
  ) => {
    endpoint('get', `${path}/:id`, ({ livemode, id }) => {
      const object = collection.get(id);
      return object?.livemode === livemode ? ok(object) : notFound(kind, id, 'id');
    });
  };
  const listable = <T extends { id: string; livemode: boolean }>(
    path: string,
    kind: string,
    collection: Collection<T>,
    matches: (object: T, filter: Record<string, unknown>) => boolean,
  ) => {
    readable(path, kind, collection);
    endpoint('get', path, ({ livemode, input }) => {
      const asked = parseParameters(listParameters, input);
      if (!asked.ok) return asked.reply;
      const { limit = 10, starting_after: after, expand: _, ...filter } = asked.value;
      const newestFirst = collection
        .all()
        .filter((object) => object.livemode === livemode && matches(object, filter))
        .toReversed();
      const from = after ? newestFirst.findIndex(({ id }) => id === after) + 1 : 0;
      return ok(renderList(path, newestFirst.slice(from, from + limit), newestFirst.length > from + limit));
    });
  };
  listable('/v1/tax_rates', 'tax rate', o.taxRates, hasFields);
  listable('/v1/customers', 'customer', o.customers, hasFields);
  readable('/v1/events', 'event', o.events);

  app.use('/v1', (req, res) => {
    const message = `Unrecognized request URL (${req.method}: ${req.originalUrl}): the simulator does not know it.`;
    res.status(404).json({ error: { type: 'invalid_request_error', message } });
  });
}

/** What a call in trouble gets without its work being done. */
function instead(trouble: Trouble | undefined, { retryAfterSeconds = 1 }: Faults): Reply | undefined {
  if (trouble === 'down') return unavailable;
  if (trouble === 'declined') return declined;
  if (trouble === 'busy') return { ...tooMany, headers: { 'retry-after': `${retryAfterSeconds}` } };
  return undefined;
}

function failed(): Reply {
  return internalError;
}

function hasFields(object: object, filter: Record<string, unknown>): boolean {
  const fields = object as Record<string, unknown>;
  return Object.entries(filter).every(([name, value]) => value === undefined || fields[name] === value);
}

/** As the SDK sends it (Bearer) and as curl users do (`-u sk_test_...:`). */
function apiKey(req: Request): string | undefined {
  const [scheme, credentials = ''] = (req.get('authorization') ?? '').split(' ');
  if (scheme === 'Bearer') return credentials;
  if (scheme === 'Basic') return Buffer.from(credentials, 'base64').toString().split(':')[0];
  return undefined;
}

function keyProblem(key: string | undefined): string {
  if (!key)
    return 'You did not provide an API key. You need to provide your API key in the Authorization header.';
  return `Invalid API Key provided: ${key.slice(0, 8)}${'*'.repeat(8)}`;
}
