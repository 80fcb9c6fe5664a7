/** `GET /admin/card-problems`: what waits for a person. */
import { type CardProblemsReply, cardProblemsQuery } from '@offer-ads/contracts/admin-api';
import { validInput } from '@offer-ads/platform/valid-input';
import type { Router } from 'express';
import type { Billing } from '../billing.ts';
import { latestProblems, type ProviderProblem } from '../provider-events-store.ts';
import { type ListedReversal, latestReversals } from '../reversals-store.ts';

/** On the routes that have checked the credential. */
export function cardProblemRoutes(routes: Router, { postgres }: Billing): void {
  routes.get('/card-problems', async (req, res) => {
    const { limit } = validInput(cardProblemsQuery, req.query);
    const reversals = await latestReversals(postgres, limit);
    const payments = await latestProblems(postgres, limit);
    res.json({
      reversals: reversals.map(reversalLine),
      payments: payments.map(paymentLine),
    } satisfies CardProblemsReply);
  });
}

function reversalLine({
  reversal,
  firstHeardAt,
  ...payment
}: ListedReversal): CardProblemsReply['reversals'][number] {
  const { kind, mode, currency, status, reason, taken, returned } = reversal;
  return {
    id: reversal.reversalId,
    kind,
    mode,
    amountMinor: `${reversal.amountMinor}`,
    currency,
    status,
    reason,
    heardAt: firstHeardAt.toISOString(),
    taken,
    returned,
    ...payment,
    booked: taken === reversal.takenBooked && returned === reversal.returnedBooked,
  };
}

function paymentLine({
  heardAt,
  amountMinor,
  ...payment
}: ProviderProblem): CardProblemsReply['payments'][number] {
  return {
    ...payment,
    heardAt: heardAt.toISOString(),
    amountMinor: amountMinor === null ? null : `${amountMinor}`,
  };
}
