import { expect, it } from '@jest/globals';
import { fc } from '@offer-ads/testing/profile';
import { mergeReversal, type RecordedReversal, type Reversal, reversalsToPost } from './reversal.ts';

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

it('refunds are never posted beyond their payment, and in the end all are that fit, in whatever order they are heard of', () => {
  const payment = {
    netMinor: 1000n,
    vatMinor: 200n,
    book: { organisationId: 1, mode: 'TEST', currency: 'GBP' },
  } as const;
  const amount = fc.bigInt({ min: 1n, max: 1300n });
  const news = fc.array(fc.record({ amount, fails: fc.boolean() }), { maxLength: 6 }).chain((refunds) =>
    fc.shuffledSubarray(
      refunds.flatMap(({ amount, fails }, index) => {
        const refund = { ...made, reversalId: `re_${index}`, amountMinor: amount };
        return fails ? [refund, { ...refund, status: 'failed', asOf: at(2), returned: true }] : [refund];
      }),
    ),
  );
  fc.assert(
    fc.property(news, (heard) => {
      const known = new Map<string, RecordedReversal>();
      const sum = (kept: (one: RecordedReversal) => boolean) =>
        [...known.values()].filter(kept).reduce((minor, one) => minor + one.amountMinor, 0n);
      for (const reported of heard) {
        const before = known.get(reported.reversalId);
        const { takenPosted = false, returnedPosted = false } = before ?? {};
        known.set(reported.reversalId, { ...mergeReversal(before, reported), takenPosted, returnedPosted });
        for (const one of reversalsToPost(payment, [...known.values()]))
          known.set(one.reversalId, { ...one, takenPosted: one.taken, returnedPosted: one.returned });
        expect(sum((one) => one.takenPosted && !one.returnedPosted)).toBeLessThanOrEqual(1200n);
        expect(reversalsToPost(payment, [...known.values()])).toEqual([]);
      }
      if (sum((one) => !one.returned) > 1200n) return;
      for (const { takenPosted, amountMinor } of known.values())
        expect(takenPosted).toBe(amountMinor <= 1200n);
    }),
  );
});
