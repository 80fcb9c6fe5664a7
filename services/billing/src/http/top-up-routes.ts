/** `POST /internal/top-ups`: called for a person in the portal, so refusals are sentences. */
import { type CardTopUpReply, cardTopUpRequest } from '@offer-ads/contracts/internal/billing-api';
import { formatMinor } from '@offer-ads/contracts/values/currencies';
import { callerOf } from '@offer-ads/platform/calls/caller-context';
import { requestFacts } from '@offer-ads/platform/http/request';
import { validInput } from '@offer-ads/platform/http/valid-input';
import type { Router } from 'express';
import type { Billing } from '../billing.ts';
import { stripeDeadline } from '../stripe/client.ts';
import { openTopUp, type TopUpOutcome } from '../top-ups/open-top-up.ts';
import { idempotencyKeyOf } from './idempotency-key.ts';
import { refusePerson, type Sentences, sentencesOfAll } from './refuse-person.ts';

type Refusal = Extract<TopUpOutcome, { ok: false }>['refusal'];

const sentences: Sentences<Refusal> = {
  ...sentencesOfAll,
  'below-minimum': ({ minimumMinor, currency }) => ({
    status: 400,
    message: `amountMinor: a card payment must be at least ${formatMinor(minimumMinor, currency)} ${currency}`,
  }),
  'above-maximum': ({ maximumMinor, currency }) => ({
    status: 400,
    message: `amountMinor: a card payment must be at most ${formatMinor(maximumMinor, currency)} ${currency}, VAT included`,
  }),
  'too-many-open': ({ open, nextClosesAt }) => ({
    status: 409,
    message:
      `${open} top-ups wait for their payment already: pay one of them by its link, or ask again after ` +
      `${nextClosesAt.toISOString()}, when the first of them closes`,
  }),
};

/** `routes` has already checked the caller. */
export function topUpRoutes(routes: Router, billing: Billing): void {
  routes.post('/top-ups', async (req, res) => {
    const idempotencyKey = idempotencyKeyOf(req);
    const { amountMinor } = validInput(cardTopUpRequest, req.body);
    const { organisationId, mode, currency, country } = callerOf(req);
    const order = {
      book: { organisationId, mode, currency },
      country,
      idempotencyKey,
      netMinor: BigInt(amountMinor),
    };
    const outcome = await openTopUp(billing, order, stripeDeadline(requestFacts(req).deadline()));
    if (!outcome.ok) return refusePerson<Refusal>(res, sentences, outcome.refusal);
    const { topUp } = outcome;
    res.json({
      topUpId: topUp.topUpId,
      paymentUrl: topUp.paymentUrl,
      currency,
      netMinor: `${topUp.netMinor}`,
      vatMinor: `${topUp.vatMinor}`,
      expiresAt: topUp.expiryAt.toISOString(),
    } satisfies CardTopUpReply);
  });
}
