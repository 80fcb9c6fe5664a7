import { expect, it } from '@jest/globals';
import { fc } from '@offer-ads/testing/profile';
import { mergeReversal, type Reversal } from './reversal.ts';

const at = (second: number) => new Date(Date.UTC(2026, 5, 1, 12, 0, second));
const made: Reversal = {
  reversalId: 're_1',
  kind: 'refund',
  mode: 'TEST',
  paymentIntentId: 'pi_1',
  amountMinor: 500n,
  currency: 'GBP',
  status: 'pending',
  reason: null,
  asOf: at(1),
  taken: true,
  returned: false,
  succeeded: false,
};

it('money that was returned counts as taken, even if no event said so', () => {
  expect(mergeReversal(undefined, { ...made, taken: false, returned: true })).toMatchObject({ taken: true });
});

it('of two events in the same second, the one with a final status is later', () => {
  const failed = { ...made, status: 'failed', returned: true };
  expect(mergeReversal(failed, made)).toMatchObject({ status: 'failed', returned: true });
  expect(mergeReversal(made, failed)).toMatchObject({ status: 'failed', returned: true });
});

it('events in any order and repeated give the same reversal', () => {
  const events: Reversal[] = [
    made,
    { ...made, status: 'succeeded', asOf: at(2), succeeded: true },
    { ...made, status: 'failed', asOf: at(3), returned: true },
  ];
  const outcome = (order: readonly Reversal[]) =>
    order.reduce<Reversal | undefined>((known, one) => mergeReversal(known, one), undefined);
  fc.assert(
    fc.property(fc.shuffledSubarray([...events, ...events], { minLength: 6, maxLength: 6 }), (order) => {
      expect(outcome(order)).toEqual(outcome(events));
    }),
  );
});
