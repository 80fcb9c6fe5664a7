/** `/admin/card-problems`: lists the problems that wait for a person, and takes the person's decisions. */
import {
  type CardProblemsReply,
  type CardSettled,
  cardProblemsQuery,
  settleRequest,
} from '@offer-ads/contracts/admin/billing-api';
import { formatMinor } from '@offer-ads/contracts/values/currencies';
import { actorOf } from '@offer-ads/platform/admin/routes';
import { validInput } from '@offer-ads/platform/http/valid-input';
import type { Router } from 'express';
import type { Billing } from '../billing.ts';
import { creditOwed } from '../domain/ledger/credit.ts';
import type { Bearer, Settlement } from '../domain/payments/settlement.ts';
import {
  type CreditedTakenBack,
  type ListedReversal,
  latestReversals,
  listCreditedTakenBack,
} from '../reversals/reversals-store.ts';
import { type SettleRefusal, settleReversal } from '../reversals/settle-reversal.ts';
import { findSettlements } from '../reversals/settlements-store.ts';
import { latestProblems, type ProviderProblem } from '../webhooks/provider-events-store.ts';

/** `routes` has already checked the credential. */
export function cardProblemRoutes(routes: Router, { postgres, clock }: Billing): void {
  routes.get('/card-problems', async (req, res) => {
    const { limit } = validInput(cardProblemsQuery, req.query);
    const reversals = await latestReversals(postgres, limit);
    const payments = await latestProblems(postgres, limit);
    const credited = await listCreditedTakenBack(postgres, limit);
    const settlements = await findSettlements(
      postgres,
      reversals.map(({ reversal }) => reversal.reversalId),
    );
    res.json({
      reversals: reversals.map((listed) => reversalLine(listed, settlements.get(listed.reversal.reversalId))),
      owed: credited.map(owedLine).filter(({ owedMinor }) => owedMinor !== '0'),
      payments: payments.map(paymentLine),
    } satisfies CardProblemsReply);
  });

  routes.post('/card-problems/settle', async (req, res) => {
    const { id, ...decision } = validInput(settleRequest, req.body);
    const decidedBy = actorOf(req);
    const outcome = await settleReversal(postgres, { ...decision, reversalId: id, decidedBy }, clock.now());
    if (!outcome.ok) {
      const { status, message } = replyTo(outcome.refusal);
      return void res.status(status).json({ message });
    }
    const { kind, mode, amountMinor, currency } = outcome.reversal;
    const of = { id, kind, mode, amountMinor: `${amountMinor}`, currency };
    res.json({ ...of, ...settlementShown(outcome.settlement) } satisfies CardSettled);
  });
}

type Reply = { readonly status: number; readonly message: string };

const bearers = { platform: 'the platform', balance: 'the balance' } as const satisfies Record<
  Bearer,
  string
>;

const refusals: {
  [R in SettleRefusal['reason']]: (refusal: Extract<SettleRefusal, { reason: R }>) => Reply;
} = {
  unknown: () => ({ status: 404, message: 'There is no refund or dispute of that id' }),
  'nothing-taken': () => ({
    status: 409,
    message: 'The provider has taken nothing: there is nothing to bear',
  }),
  returned: () => ({ status: 409, message: 'The provider has returned the money: there is nothing to bear' }),
  'payment-unknown': () => ({
    status: 409,
    message: 'Its payment is not known yet, so nobody can say whose it is',
  }),
  'settled-otherwise': ({ settlement }) => ({
    status: 409,
    message: `It was settled by ${settlement.decidedBy} on ${settlement.settledAt.toISOString()}, borne by ${bearers[settlement.borneBy]}`,
  }),
  'balance-too-low': ({ balanceMinor, reversal: { amountMinor, currency } }) => ({
    status: 409,
    message:
      `The balance has ${formatMinor(balanceMinor, currency)} of ${formatMinor(amountMinor, currency)} ${currency}: ` +
      'settle it when the balance bears it, or let the platform bear it',
  }),
};

function replyTo(refusal: SettleRefusal): Reply {
  const answer = refusals[refusal.reason] as (refusal: SettleRefusal) => Reply;
  return answer(refusal);
}

function settlementShown({ borneBy, reason, decidedBy, settledAt, givenBack }: Settlement) {
  return { borneBy, reason, decidedBy, settledAt: settledAt.toISOString(), givenBack };
}

function reversalLine(
  { reversal, firstHeardAt, ...payment }: ListedReversal,
  settlement: Settlement | undefined,
): CardProblemsReply['reversals'][number] {
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
    booked: taken === reversal.takenPosted && returned === reversal.returnedPosted,
    settlement: settlement === undefined ? null : settlementShown(settlement),
  };
}

function owedLine(offer: CreditedTakenBack): CardProblemsReply['owed'][number] {
  const { organisationId, offerId, mode, currency, creditedMinor, takenBack } = offer;
  const owedMinor = `${creditOwed(offer, takenBack)}`;
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
