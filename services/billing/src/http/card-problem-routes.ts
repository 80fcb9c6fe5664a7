/** `/admin/card-problems`: lists the problems that wait for a person, and takes the person's decisions. */
import {
  type CardProblemsReply,
  type CardSettled,
  cardProblemsQuery,
  settleRequest,
} from '@offer-ads/contracts/admin/billing-api';
import { actorOf } from '@offer-ads/platform/admin/routes';
import { validInput } from '@offer-ads/platform/http/valid-input';
import type { Router } from 'express';
import type { Billing } from '../billing.ts';
import { creditOwed } from '../domain/ledger/credit.ts';
import type { Settlement } from '../domain/payments/settlement.ts';
import {
  type CreditedDespiteReversal,
  findSettlements,
  type ListedReversal,
  latestReversals,
  listCreditedDespiteReversal,
} from '../reversals/reversals-store.ts';
import { settleReversal } from '../reversals/settle-reversal.ts';
import { latestProblems, type ProviderProblem } from '../webhooks/provider-events-store.ts';
import { refuse, settleReplies } from './replies.ts';

/** `routes` has already checked the credential. */
export function cardProblemRoutes(routes: Router, { postgres, clock }: Billing): void {
  routes.get('/card-problems', async (req, res) => {
    const { limit } = validInput(cardProblemsQuery, req.query);
    const reversals = await latestReversals(postgres, limit);
    const payments = await latestProblems(postgres, limit);
    const credited = await listCreditedDespiteReversal(postgres, limit);
    const settlements = await findSettlements(
      postgres,
      reversals.map(({ reversalId }) => reversalId),
    );
    res.json({
      reversals: reversals.map((listed) => reversalLine(listed, settlements.get(listed.reversalId))),
      owed: credited.map(owedLine).filter(({ owedMinor }) => owedMinor !== '0'),
      payments: payments.map(paymentLine),
    } satisfies CardProblemsReply);
  });

  routes.post('/card-problems/settle', async (req, res) => {
    const { id, ...decision } = validInput(settleRequest, req.body);
    const decidedBy = actorOf(req);
    const outcome = await settleReversal(postgres, { ...decision, reversalId: id, decidedBy }, clock.now());
    if (!outcome.ok) return refuse(res, settleReplies, outcome);
    const { kind, mode, amountMinor, currency } = outcome.reversal;
    const of = { id, kind, mode, amountMinor: `${amountMinor}`, currency };
    res.json({ ...of, ...settlementShown(outcome.settlement) } satisfies CardSettled);
  });
}

function settlementShown({ borneBy, reason, decidedBy, settledAt, givenBack }: Settlement) {
  return { borneBy, reason, decidedBy, settledAt: settledAt.toISOString(), givenBack };
}

function reversalLine(
  reversal: ListedReversal,
  settlement: Settlement | undefined,
): CardProblemsReply['reversals'][number] {
  const { kind, mode, currency, status, reason, taken, returned, organisationId, offerId, topUpId, groupId } =
    reversal;
  return {
    id: reversal.reversalId,
    kind,
    mode,
    amountMinor: `${reversal.amountMinor}`,
    currency,
    status,
    reason,
    heardAt: reversal.firstHeardAt.toISOString(),
    taken,
    returned,
    organisationId,
    offerId,
    topUpId,
    groupId,
    booked: taken === reversal.takenPosted && returned === reversal.returnedPosted,
    settlement: settlement === undefined ? null : settlementShown(settlement),
  };
}

function owedLine(offer: CreditedDespiteReversal): CardProblemsReply['owed'][number] {
  const { organisationId, offerId, mode, currency, creditedMinor } = offer;
  const owedMinor = `${creditOwed(offer, offer)}`;
  return { organisationId, offerId, mode, currency, creditedMinor: `${creditedMinor}`, owedMinor };
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
