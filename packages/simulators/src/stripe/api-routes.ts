/** The part of Stripe's API v1 that billing uses. */
import type { Express, Request } from 'express';
import type { Checkout } from './checkout.ts';
import { eventListParameters, listEvents } from './event-list.ts';
import { countingFailures, type Failure, type Faults, type FaultyOperation } from './faults.ts';
import { answerOnce, type SavedReply } from './idempotency.ts';
import type { Collection } from './journal.ts';
import { apiVersion, type Event, newId, type TaxRate } from './objects.ts';
import {
  listParameters,
  noParameters,
  parseParameters,
  retrieveParameters,
  sessionParameters,
  taxRateParameters,
} from './parameters.ts';
import { renderList } from './rendering.ts';
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
  /** The request that causes an event. */
  readonly cause: Event['request'];
};

export function mountApi(
  app: Express,
  o: {
    checkout: Checkout;
    taxRates: Collection<TaxRate>;
    events: Collection<Event>;
    savedReplies: Collection<SavedReply>;
    faults: () => Faults;
  },
): void {
  const { checkout } = o;

  const failureOf = countingFailures(o.faults);

  const endpoint = (
    method: 'get' | 'post',
    path: string,
    handle: (call: Call) => Reply,
    operation?: FaultyOperation,
  ) => {
    app[method](path, (req, res) => {
      const requestId = newId('req', 14);
      const failure = operation && failureOf(operation);
      const reply =
        replyInstead(failure, o.faults()) ?? answer(req, requestId, failure === 'error' ? failed : handle);
      const send = () => {
        res.set({
          'request-id': requestId,
          'stripe-version': apiVersion,
          ...reply.headers,
        });
        res.status(reply.status).json(reply.body);
      };
      if (failure === 'cut') req.socket.destroy();
      else if (failure === 'torn') res.writeHead(200).write('{"id":', () => req.socket.destroy());
      else if (failure === 'slow') setTimeout(send, o.faults().slowMs ?? 1_000).unref();
      else send();
    });
  };

  function answer(req: Request, requestId: string, handle: (call: Call) => Reply) {
    const key = apiKey(req);
    const mode = /^(?:sk|rk)_(test|live)_\w+$/.exec(key ?? '')?.[1];
    if (!mode) return refuse(401, { type: 'invalid_request_error', message: keyProblem(key) });
    const version = req.get('stripe-version') ?? apiVersion;
    if (version !== apiVersion)
      return invalid(`The simulator has only the API version ${apiVersion}: ${version}`);
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
      return opened.ok ? ok(checkout.render(opened.session)) : opened.reply;
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
      if (!session) return notFound('checkout.session', id, 'session');
      return ok(checkout.render(session, asked.value.expand !== undefined));
    },
    'retrieve',
  );

  endpoint(
    'post',
    '/v1/checkout/sessions/:id/expire',
    ({ livemode, id, input, cause }) => {
      const asked = parseParameters(noParameters, input);
      if (!asked.ok) return asked.reply;
      const session = checkout.find(id, livemode);
      if (!session) return notFound('checkout.session', id, 'session');
      const expired = checkout.expire(session, cause);
      return expired.ok ? ok(checkout.render(expired.session)) : expired.reply;
    },
    'expire',
  );

  const createTaxRate = ({ livemode, input }: Call) => {
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
  endpoint('post', '/v1/tax_rates', createTaxRate, 'rate');

  endpoint(
    'get',
    '/v1/events',
    ({ livemode, input }) => {
      const asked = parseParameters(eventListParameters, input);
      if (!asked.ok) return asked.reply;
      return listEvents(o.events.all(), asked.value, { livemode, nowSeconds: checkout.nowSeconds() });
    },
    'list',
  );

  endpoint('get', '/v1/tax_rates', ({ livemode, input }) => {
    const asked = parseParameters(listParameters, input);
    if (!asked.ok) return asked.reply;
    const { limit = 10, starting_after: after, ...filter } = asked.value;
    const newestFirst = o.taxRates
      .all()
      .filter((rate) => rate.livemode === livemode && hasFields(rate, filter))
      .toReversed();
    const from = after ? newestFirst.findIndex(({ id }) => id === after) + 1 : 0;
    const page = newestFirst.slice(from, from + limit);
    return ok(renderList('/v1/tax_rates', page, newestFirst.length > from + limit));
  });

  app.use('/v1', (req, res) => {
    const message = `Unrecognized request URL (${req.method}: ${req.originalUrl}): the simulator does not know it.`;
    res.status(404).json({ error: { type: 'invalid_request_error', message } });
  });
}

/** The reply of faults that happen before the work. */
function replyInstead(failure: Failure | undefined, { retryAfterSeconds = 1 }: Faults): Reply | undefined {
  if (failure === 'down') return unavailable;
  if (failure === 'declined') return declined;
  if (failure === 'busy') return { ...tooMany, headers: { 'retry-after': `${retryAfterSeconds}` } };
  return undefined;
}

function failed(): Reply {
  return internalError;
}

function hasFields(object: object, filter: Record<string, unknown>): boolean {
  const fields = object as Record<string, unknown>;
  return Object.entries(filter).every(([name, value]) => value === undefined || fields[name] === value);
}

function apiKey(req: Request): string | undefined {
  return /^Bearer (.*)$/.exec(req.get('authorization') ?? '')?.[1];
}

function keyProblem(key: string | undefined): string {
  if (!key)
    return 'You did not provide an API key. You need to provide your API key in the Authorization header.';
  return `Invalid API Key provided: ${key.slice(0, 8)}${'*'.repeat(8)}`;
}
