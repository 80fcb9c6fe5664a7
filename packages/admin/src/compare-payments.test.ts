import { describe, expect, it } from '@jest/globals';
import type { BilledPayment, KnownPayment } from '@offer-ads/contracts/internal/payments-api';
import { pairs, paymentProblem } from './compare-payments.ts';

const sale = { offerId: 7, organisationId: 1, mode: 'TEST', currency: 'GBP', netMinor: '1000' } as const;
const running: KnownPayment = {
  ...sale,
  paymentMethod: 'B',
  paid: true,
  shown: true,
  over: false,
  unusedMs: 250,
  scheduledMs: 1_000,
};
const charged: BilledPayment = { ...sale, paymentMethod: 'B', paid: true, open: false, creditedMinor: '0' };
const waiting: KnownPayment = { ...running, paymentMethod: 'E', paid: false, unusedMs: 0 };
const page: BilledPayment = { ...charged, paymentMethod: 'E', paid: false, open: true };
const closedId: BilledPayment = { ...charged, paymentMethod: null, paid: false, netMinor: '0' };

describe('what offers and billing know of a payment agrees', () => {
  it.each([
    ['charged and running', running, charged],
    ['its Unused Time credited in part while it runs', running, { ...charged, creditedMinor: '250' }],
    ['over, its Unused Time credited', { ...running, over: true }, { ...charged, creditedMinor: '250' }],
    ['waiting for its payment', waiting, page],
    ['ended unpaid, its page closed', { ...waiting, over: true }, { ...page, open: false }],
    ['deleted unpaid, before billing had heard of it', { ...waiting, over: true }, undefined],
    ['deleted unpaid, its id closed for ever', { ...waiting, over: true }, closedId],
    ['in the middle of its creation', { ...running, shown: false }, undefined],
    ['a creation that was refused', undefined, closedId],
    ['void: credited in full', undefined, { ...charged, creditedMinor: '1000' }],
  ])('%s', (_case, known, billed) => {
    expect(paymentProblem(known, billed)).toBeNull();
  });
});

describe('what does not agree is named', () => {
  it.each([
    ['unknown-to-billing', running, undefined],
    ['unknown-to-billing', waiting, undefined],
    ['unknown-to-offers', undefined, charged],
    ['unknown-to-offers', undefined, { ...charged, creditedMinor: '999' }],
    ['unknown-to-offers', undefined, page],
    ['another-sale', running, { ...charged, organisationId: 2 }],
    ['another-sale', running, { ...charged, netMinor: '999' }],
    ['another-sale', running, closedId],
    ['payment-not-applied', waiting, { ...page, paid: true, open: false }],
    ['paid-for-offers-alone', { ...waiting, paid: true }, page],
    ['credit-missing', { ...running, over: true }, { ...charged, creditedMinor: '249' }],
    ['credited-too-much', running, { ...charged, creditedMinor: '251' }],
  ] as const)('%s', (problem, known, billed) => {
    expect(paymentProblem(known, billed)).toBe(problem);
  });
});

it('pairs are made of two streams of ids with gaps, to the end of both', async () => {
  const stream = async function* (...ids: number[]) {
    for (const offerId of ids) yield { offerId };
  };
  const met: string[] = [];
  for await (const { offerId, one, other } of pairs(stream(1, 3, 4), stream(2, 3, 9, 10)))
    met.push(`${offerId}${one === undefined ? '' : ' one'}${other === undefined ? '' : ' other'}`);
  expect(met).toEqual(['1 one', '2 other', '3 one other', '4 one', '9 other', '10 other']);
});
