import { describe, expect, it } from '@jest/globals';
import { fc } from '@offer-ads/testing/profile';
import { parseCursor, portalFilters, readListingQuery, writeCursor } from './listing-query.ts';

describe('the query of the listing', () => {
  it('can ask for disabled offers in the portal only', () => {
    const asked = { environment: 'TEST', status: 'disabled' };
    expect(readListingQuery(asked, 'TEST', portalFilters)).toMatchObject({ query: { onlyDisabled: true } });
    expect(readListingQuery(asked, 'TEST')).not.toHaveProperty('query.onlyDisabled');
    expect(readListingQuery({ ...asked, status: 'off' }, 'TEST', portalFilters)).toEqual({
      ok: false,
      reason: 'invalid-query',
      faults: ['status must be disabled'],
    });
  });

  it.each([
    ['environment', undefined],
    ['environment', 'prod'],
    ['environment', ['test', 'test']],
    ['limit', '0'],
    ['limit', '101'],
    ['limit', '1.5'],
    ['limit', ''],
    ['limit', ['1', '2']],
    ['cursor', 'nonsense'],
    ['cursor', ''],
    ['offer_status', 'scheduled'],
    ['created_after', '2026-06-01'],
    ['created_before', '2026-06-01T10:00:00'],
  ])('names the fault of %s = %j', (name, value) => {
    const read = readListingQuery({ environment: 'test', [name]: value }, 'TEST');
    expect(read).toMatchObject({ ok: false, reason: 'invalid-query' });
    expect(!read.ok && read.reason === 'invalid-query' && read.faults[0]).toContain(name);
  });
});

it('names %2B when the plus of an offset was sent as it is', () => {
  const read = readListingQuery({ environment: 'test', created_after: '2026-03-01T10:00:00 02:00' }, 'TEST');
  expect(read).toMatchObject({ faults: [expect.stringMatching(/^created_after .*%2B$/)] });
});

describe('a cursor', () => {
  it('is read as the place that was written', () => {
    const place = fc.record({
      createdAt: fc.date({ min: new Date(0), max: new Date(Date.UTC(2100, 0)), noInvalidDate: true }),
      offerId: fc.integer({ min: 1, max: 2 ** 31 - 1 }),
    });
    fc.assert(fc.property(place, (it) => expect(parseCursor(writeCursor(it))).toEqual(it)));
  });

  it('that this service did not write is no place', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const place = parseCursor(text);
        expect(place === undefined || writeCursor(place) === text).toBe(true);
      }),
    );
    expect(parseCursor('zzzzzzzzzz-zzzzzz')).toBeUndefined();
    expect(parseCursor('0-0')).toBeUndefined();
  });
});
