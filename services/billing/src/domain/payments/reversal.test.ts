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
};

it('what came back had left before, even if nobody told of that', () => {
  expect(mergeReversal(undefined, { ...made, taken: false, returned: true })).toMatchObject({ taken: true });
});

it('of two news of one second the final one says where it stands', () => {
  const failed = { ...made, status: 'failed', returned: true };
  expect(mergeReversal(failed, made)).toMatchObject({ status: 'failed', returned: true });
  expect(mergeReversal(made, failed)).toMatchObject({ status: 'failed', returned: true });
});

it('news in any order and repeated come to the same, and never take anything back', () => {
  const news: Reversal[] = [
    made,
    { ...made, status: 'succeeded', asOf: at(2) },
    { ...made, status: 'failed', asOf: at(3), returned: true },
  ];
  const outcome = (order: readonly Reversal[]) =>
    order.reduce<Reversal | undefined>((known, one) => mergeReversal(known, one), undefined);
  fc.assert(
    fc.property(fc.shuffledSubarray([...news, ...news], { minLength: 6, maxLength: 6 }), (order) => {
      expect(outcome(order)).toEqual(outcome(news));
    }),
  );
});
