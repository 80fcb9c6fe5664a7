import { describe, expect, it } from '@jest/globals';
import { offerSorts } from '@offer-ads/contracts/values/offers-list';
import { fc } from '@offer-ads/testing/profile';
import { writeCursor } from './listing-query.ts';
import { numberIn, readPortalQuery, writeRankedCursor } from './portal-listing.ts';

const faultsOf = (parameters: Record<string, unknown>) => {
  const read = readPortalQuery(parameters, 'TEST');
  return read.ok || read.reason !== 'invalid-query' ? [] : read.faults;
};

describe('the query of the portal’s list', () => {
  it('searches without spaces around the text, which may be a number', () => {
    expect(readPortalQuery({ search: '  Coffee ' }, 'TEST')).toMatchObject({ query: { search: 'Coffee' } });
    expect(readPortalQuery({ search: '   ' }, 'TEST')).toMatchObject({ query: { search: null } });
    expect([numberIn('4711'), numberIn('0'), numberIn('47a'), numberIn('99999999999')]).toEqual([
      4711,
      null,
      null,
      null,
    ]);
  });

  it('takes each cursor back, with the sort that wrote it and no other', () => {
    const place = fc.record({
      rank: fc.nat({ max: 2 ** 40 }),
      offerId: fc.integer({ min: 1, max: 2 ** 31 - 1 }),
    });
    fc.assert(
      fc.property(
        fc.constantFrom(...offerSorts.slice(1)),
        fc.constantFrom(...offerSorts),
        place,
        (sort, other, at) => {
          const cursor = writeRankedCursor(sort, at);
          expect(readPortalQuery({ sort, cursor }, 'TEST')).toMatchObject({
            query: { afterRanked: at, after: null },
          });
          if (other !== sort) expect(faultsOf({ sort: other, cursor })).toHaveLength(1);
        },
      ),
    );
    const newest = writeCursor({ createdAt: new Date(1_780_000_000_000), offerId: 7 });
    expect(readPortalQuery({ cursor: newest }, 'TEST')).toMatchObject({ query: { after: { offerId: 7 } } });
    expect(faultsOf({ sort: 'most_views', cursor: newest })).toHaveLength(1);
  });

  it('names every fault', () => {
    expect(faultsOf({ search: 'x'.repeat(41), sort: 'best', limit: '0' })).toEqual([
      'limit must be a whole number from 1 to 100',
      'search must be a text of at most 40 characters',
      'sort must be one of newest, ending_soon, most_views, most_clicks, most_spend',
    ]);
    for (const search of [['a', 'b'], 'a\0b']) expect(faultsOf({ search })).toHaveLength(1);
    expect(readPortalQuery({ environment: 'live' }, 'TEST')).toEqual({ ok: false, reason: 'other-mode' });
  });
});
