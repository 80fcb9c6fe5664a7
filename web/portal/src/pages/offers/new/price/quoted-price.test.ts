import { expect, test } from '@jest/globals';
import type { EstimateReply } from '@offer-ads/contracts/public/api';
import { decideOnQuote } from './quoted-price.ts';

const quoted: EstimateReply = {
  return_code: 'S1',
  price_estimate: 168_816,
  ad_units: 168_816,
  matching_users: 3_517,
  ad_unit_price: 0.001,
  estimated_cost: 168.82,
  currency: 'GBP',
  exchange_rate_per_gbp: 1,
  exchange_rate_date: null,
  quote_id: 'a.b',
  quote_expiry_datetime: '2026-06-01T12:05:00.000Z',
};

test.each([16_882n, 16_883n])('an offer is sent with its quote when %i was shown', (shown) => {
  expect(decideOnQuote(shown, quoted)).toEqual({ outcome: 'send', quoteId: 'a.b' });
});

test.each([16_881n, null])('a price above what was shown (%p) is shown first', (shown) => {
  expect(decideOnQuote(shown, quoted)).toEqual({ outcome: 'show-price', costMinor: 16_882n });
});

test('without a price nothing is sent, and the person reads why', () => {
  const noQuote = { quote_id: null, quote_expiry_datetime: null };
  const nobody = { ...quoted, ...noQuote, matching_users: 0, estimated_cost: 0 };
  expect(decideOnQuote(0n, nobody)).toMatchObject({
    outcome: 'refuse',
    code: 'E5',
    placed: { faults: { place: expect.stringContaining('No members') } },
  });
  const place = { label: null, ad_units: 84_408, estimated_cost: 84.41, matching_users: 1_758 };
  const oneEmpty = { ...quoted, places: [place, { ...place, matching_users: 0 }] };
  expect(decideOnQuote(16_882n, oneEmpty)).toMatchObject({ outcome: 'refuse', code: 'E5' });
  expect(decideOnQuote(null, { ...quoted, ...noQuote, currency: 'JPY', estimated_cost: null })).toMatchObject(
    {
      outcome: 'refuse',
      code: 'E6',
      placed: { rest: 'The billing currency JPY cannot be billed at present. You were not charged.' },
    },
  );
});

test('an offer above the budget is not sent, whatever was shown', () => {
  const budget = (most: bigint) => (cost: bigint) => (cost > most ? `costs ${cost}` : undefined);
  for (const shown of [16_881n, 16_882n, null])
    expect(decideOnQuote(shown, quoted, budget(16_881n))).toEqual({
      outcome: 'refuse',
      code: null,
      placed: { faults: { budget: 'costs 16882' }, rest: null },
    });
  expect(decideOnQuote(16_882n, quoted, budget(16_882n))).toMatchObject({ outcome: 'send' });
});
