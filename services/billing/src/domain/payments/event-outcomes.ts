/** What may become of an event of the card provider: few words, which metrics count by. */
import { receiptProblems } from './card-payment.ts';

export const paymentOutcomes = ['paid', 'paid-before', ...receiptProblems] as const;
export type PaymentOutcome = (typeof paymentOutcomes)[number];

/** `reversal-of-unknown`: its payment is not known, or not in this currency; it is booked when the payment comes. */
export const reversalOutcomes = ['reversal-booked', 'reversal-kept', 'reversal-of-unknown'] as const;
export type ReversalOutcome = (typeof reversalOutcomes)[number];

/** Nobody has to hear of them. */
export const quietOutcomes = ['seen-before', 'not-ours', 'not-paid-yet', 'session-over'] as const;

export const eventOutcomes = [...paymentOutcomes, ...reversalOutcomes, ...quietOutcomes] as const;
export type EventOutcome = (typeof eventOutcomes)[number];
