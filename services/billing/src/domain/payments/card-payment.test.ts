import { describe, expect, it } from '@jest/globals';
import { type CardPayment, type Receipt, receiptProblem } from './card-payment.ts';
import { newCheckout, opened, renewed, sessionExpired } from './checkout.ts';

const now = new Date('2026-06-01T12:00:00.000Z');
const opening = newCheckout(new Date('2026-06-10T12:00:00.000Z'), now);
const payment: CardPayment = {
  purchase: { kind: 'offer', id: 7 },
  book: { organisationId: 1, mode: 'TEST', currency: 'GBP' },
  title: 'Two for one',
  netMinor: 10_00n,
  vatMinor: 2_00n,
  groupId: null,
  creditedMinor: 0n,
  earnedMinor: 0n,
  method: 'E',
  payToken: 'token',
  paidSessionId: null,
  paymentIntentId: null,
  checkout: opened(opening, { generation: 1, sessionId: 'cs_1', url: null }),
};
const receipt: Receipt = {
  sessionId: 'cs_1',
  paymentIntentId: 'pi_1',
  amountMinor: 12_00n,
  currency: 'GBP',
  purchase: { kind: 'offer', id: 7 },
  organisationId: 1,
  mode: 'TEST',
  generation: 1,
};

describe('a receipt', () => {
  it('of price and VAT together pays the offer, even before the session’s id is known', () => {
    expect(receiptProblem(payment, receipt)).toBeNull();
    expect(receiptProblem({ ...payment, checkout: opening }, receipt)).toBeNull();
  });

  it('of any other amount or currency pays nothing', () => {
    expect(receiptProblem(payment, { ...receipt, amountMinor: 11_99n })).toBe('wrong-amount');
    expect(receiptProblem(payment, { ...receipt, amountMinor: 12_01n })).toBe('wrong-amount');
    expect(receiptProblem(payment, { ...receipt, currency: 'USD' })).toBe('wrong-amount');
  });

  it('of another organisation or mode pays nothing', () => {
    expect(receiptProblem(payment, { ...receipt, organisationId: 2 })).toBe('other-organisation');
    expect(receiptProblem(payment, { ...receipt, mode: 'LIVE' })).toBe('other-organisation');
  });

  it('of another session than the checkout’s pays nothing', () => {
    expect(receiptProblem(payment, { ...receipt, sessionId: 'cs_2' })).toBe('unknown-session');
    expect(receiptProblem(payment, { ...receipt, generation: 2 })).toBe('unknown-session');
  });

  it('of an earlier session pays the offer if that session is on record', () => {
    const checkout = renewed(sessionExpired(payment.checkout, 1), now);
    expect(receiptProblem({ ...payment, checkout }, receipt, 'cs_1')).toBeNull();
    expect(receiptProblem({ ...payment, checkout }, receipt, 'cs_other')).toBe('unknown-session');
    expect(receiptProblem({ ...payment, checkout }, receipt, null)).toBe('unknown-session');
  });

  it('of a second session is a second payment; of the same session it is a repeat', () => {
    const paidBefore = { ...payment, paidSessionId: 'cs_0' };
    expect(receiptProblem(paidBefore, receipt)).toBe('paid-twice');
    expect(receiptProblem({ ...payment, paidSessionId: 'cs_1' }, receipt)).toBeNull();
  });

  it('for an unknown offer, or one paid from the balance, pays nothing', () => {
    expect(receiptProblem(undefined, receipt)).toBe('unknown-purchase');
    expect(receiptProblem({ method: 'B' }, receipt)).toBe('not-by-card');
  });
});
