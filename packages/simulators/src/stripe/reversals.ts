/** Refunds and disputes. They are made at Stripe and by cardholders, so there is no API call for them here. */
import type { Collection } from './journal.ts';
import { type CheckoutSession, type Event, newId, sessionTotals } from './objects.ts';
import { renderDispute, renderRefund } from './rendering.ts';

export type Refund = {
  readonly id: string;
  readonly livemode: boolean;
  readonly created: number;
  readonly amount: number;
  readonly currency: string;
  readonly paymentIntent: string;
  readonly status: 'pending' | 'succeeded' | 'failed';
};

export type Dispute = Omit<Refund, 'status'> & {
  readonly status: 'warning_needs_response' | 'needs_response' | 'won' | 'lost';
  readonly withdrawn: boolean;
};

export type Reversals = ReturnType<typeof createReversals>;

export function createReversals(o: {
  refunds: Collection<Refund>;
  disputes: Collection<Dispute>;
  nowSeconds: () => number;
  emit: (type: Event['type'], livemode: boolean, object: object) => void;
}) {
  const changeRefund = (type: Event['type'], refund: Refund) => {
    o.refunds.put(refund);
    o.emit(type, refund.livemode, renderRefund(refund));
    return refund;
  };
  const changeDispute = (type: Event['type'], dispute: Dispute) => {
    o.disputes.put(dispute);
    o.emit(type, dispute.livemode, renderDispute(dispute));
    return dispute;
  };
  const facts = (session: CheckoutSession, amount?: number) => {
    if (session.outcome.status !== 'complete') return undefined;
    const { livemode, currency } = session;
    return {
      livemode,
      currency,
      created: o.nowSeconds(),
      amount: amount ?? sessionTotals(session).total,
      paymentIntent: session.outcome.paymentIntent,
    };
  };

  return {
    /** Undefined for a session that was not paid. A pending refund has not succeeded yet. */
    refund(
      session: CheckoutSession,
      asked: { amountMinor?: number | undefined; pending?: boolean | undefined },
    ): Refund | undefined {
      const paid = facts(session, asked.amountMinor);
      const status = asked.pending === true ? 'pending' : 'succeeded';
      return paid && changeRefund('refund.created', { ...paid, id: newId('re'), status });
    },

    completeRefund(id: string): Refund | undefined {
      const refund = o.refunds.get(id);
      return refund && changeRefund('refund.updated', { ...refund, status: 'succeeded' });
    },

    failRefund(id: string): Refund | undefined {
      const refund = o.refunds.get(id);
      return refund && changeRefund('refund.failed', { ...refund, status: 'failed' });
    },

    /** An inquiry takes no money yet. */
    dispute(session: CheckoutSession, asked: { amount?: number; inquiry?: boolean }): Dispute | undefined {
      const paid = facts(session, asked.amount);
      if (paid === undefined) return undefined;
      const isInquiry = asked.inquiry === true;
      const status = isInquiry ? 'warning_needs_response' : 'needs_response';
      const dispute = { ...paid, id: newId('dp'), status, withdrawn: !isInquiry } as const;
      changeDispute('charge.dispute.created', dispute);
      return isInquiry ? dispute : changeDispute('charge.dispute.funds_withdrawn', dispute);
    },

    closeDispute(id: string, status: 'won' | 'lost'): Dispute | undefined {
      const before = o.disputes.get(id);
      if (before === undefined) return undefined;
      const dispute = { ...before, status };
      changeDispute('charge.dispute.closed', dispute);
      return status === 'won' && before.withdrawn
        ? changeDispute('charge.dispute.funds_reinstated', dispute)
        : dispute;
    },
  };
}
