/** `POST /internal/top-ups` and `/internal/play-money`: called for a person in the portal, so refusals are sentences. */
import {
  cardTopUpRequest,
  type PlayMoneyReply,
  playMoneyRequest,
} from '@offer-ads/contracts/internal/billing-api';
import { idempotencyKeyRule, isIdempotencyKey } from '@offer-ads/contracts/values/idempotency-key';
import { callerOf } from '@offer-ads/platform/calls/caller-context';
import { requestFacts } from '@offer-ads/platform/http/request';
import { validInput } from '@offer-ads/platform/http/valid-input';
import { Fault } from '@offer-ads/platform/process/faults';
import type { Request, Router } from 'express';
import { addPlayMoney, type PlayMoneyOutcome } from '../balance/add-play-money.ts';
import type { Billing } from '../billing.ts';
import { openTopUp } from '../payments/open-top-up.ts';
import { stripeDeadline } from '../stripe/client.ts';
import { cardTopUpReplies, playMoneyReplies, refuse } from './replies.ts';

/** `routes` has already checked the caller. */
export function addMoneyRoutes(routes: Router, billing: Billing): void {
  routes.post('/top-ups', async (req, res) => {
    const idempotencyKey = idempotencyKeyOf(req);
    const netMinor = BigInt(validInput(cardTopUpRequest, req.body).amountMinor);
    const { organisationId, mode, currency, country } = callerOf(req);
    const order = { book: { organisationId, mode, currency }, country, idempotencyKey, netMinor };
    const outcome = await openTopUp(billing, order, stripeDeadline(requestFacts(req).deadline()));
    if (outcome.ok) res.json(outcome.reply);
    else refuse(res, cardTopUpReplies, outcome);
  });

  routes.post('/play-money', async (req, res) => {
    const { organisationId, mode, currency } = callerOf(req);
    if (mode !== 'TEST') return refuse(res, playMoneyReplies, { ok: false, reason: 'not-test-mode' });
    const idempotencyKey = idempotencyKeyOf(req);
    const amountMinor = BigInt(validInput(playMoneyRequest, req.body).amountMinor);
    const order = { book: { organisationId, mode, currency }, idempotencyKey, amountMinor };
    const facts = requestFacts(req);
    const outcome: PlayMoneyOutcome = await addPlayMoney(
      billing.postgres,
      order,
      facts.receivedAt,
      facts.deadline(),
    );
    if (!outcome.ok) return refuse(res, playMoneyReplies, outcome);
    const balanceMinor = `${outcome.balanceMinor}`;
    res.json({ mode, currency, amountMinor: `${amountMinor}`, balanceMinor } satisfies PlayMoneyReply);
  });
}

/** The idempotency key of a request that adds money (decision 10, idempotency keys). Throws a 400 whose message names the problem. */
function idempotencyKeyOf(req: Request): string {
  const key = req.get('Idempotency-Key') ?? '';
  const refuse = (publicMessage: string) => new Fault('idempotency key', { status: 400, publicMessage });
  if (key === '') throw refuse('The Idempotency-Key header is missing');
  if (!isIdempotencyKey(key)) throw refuse(`Idempotency-Key must be ${idempotencyKeyRule}`);
  return key;
}
