import { expect, it } from '@jest/globals';
import { isSameSale, type OfferPayment } from './offer-payment.ts';

const payment: OfferPayment = {
  offerId: 7,
  book: { organisationId: 1, mode: 'TEST', currency: 'GBP' },
  title: 'Two for one',
  netMinor: 10_00n,
  vatMinor: 2_00n,
  creditedMinor: 0n,
  earnedMinor: 0n,
  method: null,
};

it('a repeated request is one with the same price for the same organisation, mode and currency', () => {
  const { book, netMinor } = payment;
  expect(isSameSale(payment, { book, netMinor })).toBe(true);
  expect(isSameSale(payment, { book, netMinor: 10_01n })).toBe(false);
  expect(isSameSale(payment, { book: { ...book, organisationId: 2 }, netMinor })).toBe(false);
  expect(isSameSale(payment, { book: { ...book, mode: 'LIVE' }, netMinor })).toBe(false);
});
