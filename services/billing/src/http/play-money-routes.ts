/** `POST /internal/play-money`: called for a person in the portal, so refusals are sentences. */
import { type PlayMoneyReply, playMoneyRequest } from '@offer-ads/contracts/internal/billing-api';
import { formatMinor } from '@offer-ads/contracts/values/currencies';
import { callerOf } from '@offer-ads/platform/calls/caller-context';
import { requestFacts } from '@offer-ads/platform/http/request';
import { validInput } from '@offer-ads/platform/http/valid-input';
import type { Router } from 'express';
import { addPlayMoney, type PlayMoneyOutcome } from '../balance/add-play-money.ts';
import type { Billing } from '../billing.ts';
import { idempotencyKeyOf } from './idempotency-key.ts';
import { refusePerson, type Sentences, sentencesOfAll } from './refuse-person.ts';

type Refusal = Extract<PlayMoneyOutcome, { ok: false }>['refusal'];

const sentences: Sentences<Refusal> = {
  ...sentencesOfAll,
  // The same answer as for an unknown path, so that the answer does not suggest play money in LIVE mode.
  'not-test-mode': () => ({ status: 404, message: 'Not found' }),
  'not-an-amount': ({ mostMinor, currency }) => ({
    status: 400,
    message: `amountMinor: must be above zero and at most ${formatMinor(mostMinor, currency)} ${currency}`,
  }),
  'balance-too-high': ({ mostMinor, currency }) => ({
    status: 409,
    message: `Play money brings a balance to ${formatMinor(mostMinor, currency)} ${currency} at most`,
  }),
};

/** `routes` has already checked the caller. */
export function playMoneyRoutes(routes: Router, billing: Billing): void {
  routes.post('/play-money', async (req, res) => {
    const { organisationId, mode, currency } = callerOf(req);
    if (mode !== 'TEST') return refusePerson<Refusal>(res, sentences, { reason: 'not-test-mode' });
    const idempotencyKey = idempotencyKeyOf(req);
    const amountMinor = BigInt(validInput(playMoneyRequest, req.body).amountMinor);
    const order = { book: { organisationId, mode, currency }, idempotencyKey, amountMinor };
    const facts = requestFacts(req);
    const outcome = await addPlayMoney(billing.postgres, order, facts.receivedAt, facts.deadline());
    if (!outcome.ok) return refusePerson<Refusal>(res, sentences, outcome.refusal);
    const reply = { mode, currency, amountMinor: `${amountMinor}`, balanceMinor: `${outcome.balanceMinor}` };
    res.json(reply satisfies PlayMoneyReply);
  });
}
