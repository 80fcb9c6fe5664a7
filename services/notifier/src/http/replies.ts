/** Every refusal about webhooks as its caller reads it. A code means the same in all calls about webhooks (decision 225, calls about webhooks). */
import type { Refusal } from '@offer-ads/contracts/public/api';
import { idempotencyKeyRule } from '@offer-ads/contracts/values/idempotency-key';
import { webhookLimits } from '@offer-ads/contracts/values/webhook-limits';
import type { BodyRefusal } from '@offer-ads/platform/http/request-bodies';
import type { Response } from 'express';
import type { CreateRefusal } from '../domain/webhooks/endpoint.ts';
import { type TargetRefusal, targetProblems } from '../webhooks/target.ts';

export type WebhookRefusal =
  | CreateRefusal
  | TargetRefusal
  | 'unknown'
  | 'message-unknown'
  | 'off'
  | 'off-by-platform'
  | 'rolled-too-often'
  | 'key-malformed';

type Reply = { readonly status: number; readonly body: Refusal | { readonly message: string } };

export const webhookReplies = {
  'not-a-url': invalid(`url: ${targetProblems['not-a-url']}, such as https://shop.example/hooks`),
  'not-https': invalid(`url: ${targetProblems['not-https']}`),
  'has-credentials': invalid(`url: ${targetProblems['has-credentials']}`),
  port: invalid(`url: ${targetProblems.port}`),
  'not-public': invalid(`url: ${targetProblems['not-public']}`),
  'key-malformed': invalid(`Idempotency-Key must be ${idempotencyKeyRule}`),
  unknown: coded('E2', 404, 'Webhook not found'),
  'message-unknown': coded('E2', 404, 'Message not found'),
  'url-taken': coded(
    'E3',
    409,
    'There is a webhook for this url already: change that one, or delete it first',
  ),
  'too-many': coded(
    'E4',
    400,
    `An organisation has at most ${webhookLimits.endpoints} webhooks in a mode: delete one that is not needed`,
  ),
  off: coded('E5', 409, 'The webhook is disabled: enable it first'),
  'off-by-platform': coded('E6', 409, 'The platform team has disabled the webhook: ask them to enable it'),
  'rolled-too-often': coded(
    'E7',
    409,
    `The secret was rolled too often: each secret also signs for ${webhookLimits.overlapHours} hours after a newer one. Roll it again when the earlier ones have ended`,
  ),
  'key-reused': {
    status: 422,
    body: { message: 'This Idempotency-Key was used with a different payload' },
  },
} satisfies Record<WebhookRefusal, Reply>;

export function refuseWebhook(res: Response, reason: WebhookRefusal): void {
  send(res, webhookReplies[reason]);
}

export function refuseBody(res: Response, { status, message }: BodyRefusal): void {
  send(res, coded('E1', status, message));
}

export function refuseInput(res: Response, faults: readonly string[]): void {
  send(res, invalid(faults.join('; ')));
}

function send(res: Response, { status, body }: Reply): void {
  res.status(status).json(body);
}

function invalid(message: string): Reply {
  return coded('E1', 400, message);
}

function coded(return_code: string, code: number, message: string): Reply {
  return { status: code, body: { return_code, status: 'Error', code, message } };
}
