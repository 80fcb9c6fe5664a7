/** Possible outcomes of an event from the card provider. The list is short because it is a label of metrics. */
import { receiptProblems } from './card-payment.ts';

export const paymentOutcomes = ['paid', 'paid-before', ...receiptProblems] as const;
export type PaymentOutcome = (typeof paymentOutcomes)[number];

/**
 * `reversal-recorded`: nothing was left to post. `reversal-of-unknown`: its payment is unknown or has another currency; it is posted when the
 * payment arrives. `reversal-too-large`: a refund of more than what is left of its payment, which is not posted.
 */
export const reversalOutcomes = [
  'reversal-booked',
  'reversal-recorded',
  'reversal-of-unknown',
  'reversal-too-large',
] as const;
export type ReversalOutcome = (typeof reversalOutcomes)[number];

/** Outcomes that are not logged as warnings. */
export const quietOutcomes = ['seen-before', 'not-ours', 'not-paid-yet', 'session-over'] as const;

export const eventOutcomes = [...paymentOutcomes, ...reversalOutcomes, ...quietOutcomes] as const;
export type EventOutcome = (typeof eventOutcomes)[number];
