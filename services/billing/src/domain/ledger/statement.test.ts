import { expect, it } from '@jest/globals';
import { fc } from '@offer-ads/testing/profile';
import { type Period, readStatementCursor, writeStatementCursor } from './statement.ts';

const instant = fc.date({ min: new Date('0000-01-01'), max: new Date('9999-12-31'), noInvalidDate: true });
const period: fc.Arbitrary<Period> = fc.record({
  from: fc.option(instant, { nil: null }),
  to: fc.option(instant, { nil: null }),
});
const id = fc.bigInt({ min: 1n, max: 10n ** 18n - 1n });

it('a cursor is parsed back to the same place and period', () => {
  fc.assert(
    fc.property(fc.record({ period, newestId: id, lastId: id }), (place) => {
      expect(readStatementCursor(writeStatementCursor(place), place.period)).toEqual(place);
    }),
  );
});

it('a cursor of another period is refused', () => {
  fc.assert(
    fc.property(period, period, (one, other) => {
      fc.pre(one.from?.getTime() !== other.from?.getTime() || one.to?.getTime() !== other.to?.getTime());
      const cursor = writeStatementCursor({ period: one, newestId: 2n, lastId: 1n });
      expect(readStatementCursor(cursor, other)).toBeNull();
    }),
  );
});

it('a text that is no cursor is refused', () => {
  for (const text of ['', 'abc', Buffer.from('1~2').toString('base64url')])
    expect(readStatementCursor(text, { from: null, to: null })).toBeNull();
});
