/** Webhooks of the public API and of the portal, called with the signed caller context. The contract `webhooks-api` gives shapes and meanings. */
import type { CallerContext } from '@offer-ads/contracts/internal/caller-context';
import {
  type MessagesReply,
  messageStatus,
  type ResendReply,
  resendRequest,
  type WebhookDeleted,
  type WebhookMessage,
  type WebhookReply,
  type WebhookRequest,
  type WebhooksReply,
  type WebhookWithSecret,
  webhookRequest,
} from '@offer-ads/contracts/public/webhooks-api';
import { parseDateTime } from '@offer-ads/contracts/values/date-time';
import { isIdempotencyKey } from '@offer-ads/contracts/values/idempotency-key';
import { pageLimits } from '@offer-ads/contracts/values/offer-limits';
import { callerOf, requireCaller } from '@offer-ads/platform/calls/caller-context';
import { jsonBody } from '@offer-ads/platform/http/request-bodies';
import type { Clock } from '@offer-ads/platform/process/clock';
import express, { type Express, type Request, type Response } from 'express';
import { z } from 'zod';
import { isSigning } from '../domain/webhooks/endpoint.ts';
import type { Endpoint, EndpointFacts, Owner } from '../webhooks/endpoints-store.ts';
import type { Actor, ManageEndpoints, Outcome, WithSecret } from '../webhooks/manage-endpoints.ts';
import type { Message, Place } from '../webhooks/messages-store.ts';
import { refuseBody, refuseInput, refuseWebhook, type WebhookRefusal } from './replies.ts';

const pageRule = `must be a whole number from 1 to ${pageLimits.most}`;

/** The same bounds as in GET /offers. */
export const messagesQuery = z.object({
  limit: z
    .string()
    .regex(/^\d{1,3}$/, pageRule)
    .transform(Number)
    .pipe(z.int().min(1, pageRule).max(pageLimits.most, pageRule))
    .default(pageLimits.standard),
  cursor: z
    .string()
    .transform(readCursor)
    .refine((place) => place !== undefined, 'must be the next_cursor of an earlier page')
    .optional(),
  status: messageStatus.optional(),
});

const sinceRule = 'must be an ISO 8601 date and time with its zone, such as 2026-06-01T12:00:00Z';
export const resend = resendRequest.extend({
  since: z
    .string(sinceRule)
    .transform(parseDateTime)
    .refine((since) => since !== undefined, sinceRule),
});

export function webhookRoutes(
  app: Express,
  o: {
    readonly manage: ManageEndpoints;
    readonly clock: Clock;
    readonly contextSecret: string;
    /** Null: the operator publishes none. */
    readonly senderAddresses: readonly string[] | null;
  },
): void {
  const { manage, clock } = o;
  const routes = express.Router();
  routes.use(requireCaller({ secret: o.contextSecret, audience: 'notifier', clock }));
  routes.use(jsonBody({ maxBytes: 16 * 1024, refuse: refuseBody }));
  const shown = (endpoint: Endpoint) => webhookOf(endpoint, clock.now());
  const withSecret = (made: WithSecret): WebhookWithSecret => ({
    ...shown(made.endpoint),
    secret: made.secret,
  });

  routes.get('/', async (req, res) => {
    const endpoints = await manage.list(ownerOf(req));
    const sender_addresses = o.senderAddresses === null ? null : [...o.senderAddresses];
    res.json({ webhooks: endpoints.map(shown), sender_addresses } satisfies WebhooksReply);
  });

  routes.post('/', async (req, res) => {
    const facts = inputOf(res, webhookRequest, req.body);
    if (facts === undefined) return;
    const key = req.get('idempotency-key');
    if (key !== undefined && !isIdempotencyKey(key)) return refuseWebhook(res, 'key-malformed');
    await answer(res, manage.create(actorOf(req), factsOf(facts), key), (made) => {
      if (made.isReplayed) res.set('Idempotent-Replayed', 'true');
      return withSecret(made);
    });
  });

  routes.get('/:webhook_id', (req, res) =>
    answer(res, manage.find(req.params.webhook_id, ownerOf(req)), shown),
  );

  routes.put('/:webhook_id', async (req, res) => {
    const facts = inputOf(res, webhookRequest, req.body);
    if (facts === undefined) return;
    await answer(res, manage.change(req.params.webhook_id, actorOf(req), factsOf(facts)), shown);
  });

  routes.delete('/:webhook_id', (req, res) => {
    const { webhook_id } = req.params;
    const deleted: WebhookDeleted = { webhook_id, message: 'Webhook has been deleted' };
    return answer(res, manage.remove(webhook_id, actorOf(req)), () => deleted);
  });

  for (const [path, work] of [
    ['disable', manage.switchOff],
    ['enable', manage.switchOn],
  ] as const)
    routes.post(`/:webhook_id/${path}`, (req, res) =>
      answer(res, work(req.params['webhook_id'] ?? '', actorOf(req)), shown),
    );

  routes.post('/:webhook_id/roll-secret', (req, res) =>
    answer(res, manage.rollSecret(req.params.webhook_id, actorOf(req)), withSecret),
  );

  routes.post('/:webhook_id/test', (req, res) =>
    answer(res, manage.sendTest(req.params.webhook_id, ownerOf(req)), messageShown),
  );

  routes.get('/:webhook_id/messages', async (req, res) => {
    const query = inputOf(res, messagesQuery, req.query);
    if (query === undefined) return;
    const { limit, cursor, status } = query;
    // One more than the page shows, to know whether another page follows.
    const which = { limit: limit + 1, ...(cursor && { before: cursor }), ...(status && { state: status }) };
    const found = manage.messages(req.params.webhook_id, { owner: ownerOf(req), ...which });
    await answer(res, found, (messages) => pageOf(messages, limit));
  });

  routes.post('/:webhook_id/messages/:message_id/resend', (req, res) => {
    const { webhook_id, message_id } = req.params;
    return answer(res, manage.resend(webhook_id, ownerOf(req), message_id), messageShown);
  });

  routes.post('/:webhook_id/resend', async (req, res) => {
    const wanted = inputOf(res, resend, req.body);
    if (wanted === undefined) return;
    const { since, include_delivered: withDelivered = false } = wanted;
    const again = manage.resendSince(req.params.webhook_id, ownerOf(req), { since, withDelivered });
    await answer(res, again, ({ resent, next }): ResendReply => {
      return { resent, next_since: next?.toISOString() ?? null };
    });
  });
  app.use('/webhooks', routes);
}

/** Undefined: the request was refused. */
function inputOf<S extends z.ZodType>(res: Response, schema: S, input: unknown): z.infer<S> | undefined {
  const parsed = schema.safeParse(input ?? {});
  if (parsed.success) return parsed.data;
  refuseInput(
    res,
    parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'body'}: ${message}`),
  );
  return undefined;
}

/** With what is shown of the value, or with the refusal. */
async function answer<T>(
  res: Response,
  work: Promise<Outcome<T, WebhookRefusal>>,
  show: (value: T) => object,
): Promise<void> {
  const outcome = await work;
  if (outcome.ok) res.json(show(outcome.value));
  else refuseWebhook(res, outcome.reason);
}

function ownerOf(req: Request): Owner {
  const { organisationId, mode } = callerOf(req);
  return { organisationId, mode };
}

function actorOf(req: Request): Actor {
  return { owner: ownerOf(req), by: nameOf(callerOf(req)) };
}

function nameOf({ keyId, personId }: CallerContext): string {
  return keyId === null ? `person ${personId}` : `key ${keyId} of person ${personId}`;
}

function factsOf({ url, description, event_types: types, ed25519 }: WebhookRequest): EndpointFacts {
  return {
    url,
    ...(typeof description === 'string' && description.trim() !== '' && { description: description.trim() }),
    ...(types && { types }),
    ...(ed25519 === true && { ed25519 }),
  };
}

function webhookOf(endpoint: Endpoint, now: Date): WebhookReply {
  const replaced = endpoint.secrets.find((secret) => secret.until !== undefined && isSigning(secret, now));
  return {
    webhook_id: endpoint.id,
    environment: endpoint.mode,
    url: endpoint.url,
    description: endpoint.description ?? null,
    event_types: endpoint.types === undefined ? null : [...endpoint.types],
    ed25519: endpoint.ed25519 === true,
    public_key: endpoint.ed25519 === true ? (endpoint.secrets[0]?.publicKey ?? null) : null,
    status: endpoint.state === 'on' ? 'enabled' : 'disabled',
    disabled_reason: endpoint.offBecause ?? null,
    failing_since_datetime: endpoint.failing?.since.toISOString() ?? null,
    previous_secret_expiry_datetime: replaced?.until?.toISOString() ?? null,
    creation_datetime: endpoint.createdAt.toISOString(),
  };
}

export function messageShown(message: Message): WebhookMessage {
  return {
    message_id: message.id,
    event_type: message.type,
    status: message.state,
    creation_datetime: message.createdAt.toISOString(),
    next_attempt_datetime: message.dueAt?.toISOString() ?? null,
    body: JSON.parse(message.body) as WebhookMessage['body'],
    attempts: message.attempts.map(({ at, tookMs, status, answer, problem }) => ({
      attempt_datetime: at.toISOString(),
      duration_ms: tookMs,
      http_status: status ?? null,
      answer: answer ?? null,
      problem: problem ?? null,
    })),
  };
}

function pageOf(found: readonly Message[], limit: number): MessagesReply {
  const page = found.slice(0, limit);
  const last = page.at(-1);
  const hasMore = found.length > limit && last !== undefined;
  return {
    data: page.map(messageShown),
    pagination: {
      limit,
      count: page.length,
      has_more: hasMore,
      next_cursor: hasMore ? writeCursor(last) : null,
    },
  };
}

function writeCursor({ createdAt, id }: Place): string {
  return Buffer.from(`${createdAt.getTime()}.${id}`).toString('base64url');
}

function readCursor(text: string): Place | undefined {
  const match = /^(\d{1,15})\.(\S{1,100})$/.exec(Buffer.from(text, 'base64url').toString());
  return match?.[2] === undefined ? undefined : { createdAt: new Date(Number(match[1])), id: match[2] };
}
