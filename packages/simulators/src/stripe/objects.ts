/** The objects of the simulator, in the shapes that the types of Stripe's SDK declare. */
import { randomBytes } from 'node:crypto';
import type { Stripe } from 'stripe';
import { taxMinor } from './tax.ts';

export type TaxRate = Stripe.TaxRate;
export type Event = Stripe.Event;

/** The only API version of the simulator; events are rendered in it. */
export const apiVersion = '2026-08-26.dahlia';

export type SessionLine = {
  readonly id: string;
  readonly priceId: string;
  readonly productId: string;
  readonly name: string;
  readonly quantity: number;
  readonly unitAmount: number;
  readonly taxRates: readonly TaxRate[];
};

/** A Checkout Session and its outcome. Times are Unix seconds, as everywhere at Stripe. */
export type CheckoutSession = {
  readonly id: string;
  readonly livemode: boolean;
  readonly created: number;
  readonly expiresAt: number;
  readonly currency: string;
  readonly lines: readonly SessionLine[];
  readonly successUrl: string;
  readonly cancelUrl: string | null;
  readonly clientReferenceId: string | null;
  readonly customerEmail: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly outcome:
    | { readonly status: 'open' }
    | { readonly status: 'complete'; readonly paymentIntent: string; readonly payerEmail: string }
    | { readonly status: 'expired' };
};

/** A random id with Stripe's alphabet and length, such as `cs_test_a1...`. */
export function newId(prefix: string, length = 24): string {
  const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  // 248 is the largest multiple of 62 in a byte; larger bytes would make some characters more frequent.
  const bytes = [...randomBytes(length * 2)].filter((byte) => byte < 248).slice(0, length);
  if (bytes.length < length) return newId(prefix, length);
  return `${prefix}_${bytes.map((byte) => alphabet[byte % 62]).join('')}`;
}

export function newSessionId(livemode: boolean): string {
  return newId(`cs_${livemode ? 'live' : 'test'}`, 58);
}

/** A session is expired from the instant at which its time is over, also before its event is emitted. */
export function statusAt(session: CheckoutSession, nowSeconds: number): 'open' | 'complete' | 'expired' {
  const { status } = session.outcome;
  return status === 'open' && session.expiresAt <= nowSeconds ? 'expired' : status;
}

export type LineTotals = {
  readonly subtotal: number;
  readonly taxes: readonly { readonly rate: TaxRate; readonly amount: number }[];
  readonly tax: number;
  readonly total: number;
};

export function lineTotals(line: SessionLine): LineTotals {
  const subtotal = line.unitAmount * line.quantity;
  const taxes = line.taxRates.map((rate) => ({ rate, amount: taxMinor(rate, subtotal) }));
  const added = taxes.filter(({ rate }) => !rate.inclusive).reduce((sum, { amount }) => sum + amount, 0);
  return {
    subtotal,
    taxes,
    tax: taxes.reduce((sum, { amount }) => sum + amount, 0),
    total: subtotal + added,
  };
}

export function sessionTotals(session: Pick<CheckoutSession, 'lines'>): Omit<LineTotals, 'taxes'> {
  const lines = session.lines.map(lineTotals);
  const sum = (pick: (line: LineTotals) => number) => lines.reduce((total, line) => total + pick(line), 0);
  return {
    subtotal: sum((line) => line.subtotal),
    tax: sum((line) => line.tax),
    total: sum((line) => line.total),
  };
}
