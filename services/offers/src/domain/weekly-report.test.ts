import { expect, it } from '@jest/globals';
import { at, HOUR, reservation } from '../../test/lifecycle/lifecycle-fixture.ts';
import { show } from './lifecycle/lifecycle.ts';
import { reportOf } from './weekly-report.ts';

it('the hours of an offer that ended on the Monday of the report belong to the week in which they are', () => {
  // The end of the week is at its hour 7, and its own end at hour 11 was announced.
  const paid = show(reservation(), { paymentUrl: null, vatMinor: 0n, paidAt: at(0) }, at(0));
  const offer = { ...paid, endAnnouncedAt: at(11) };
  const costIn = (from: Date, to: Date) =>
    reportOf([offer], { from, to }, () => ({ views: 0, clicks: 0 }))?.total.costMinor;
  const week = 7 * 24 * HOUR;
  expect(costIn(new Date(+at(7) - week), at(7))).toBe('600');
  expect(costIn(at(7), new Date(+at(7) + week))).toBe('400');
});
