import { describe, expect, it } from '@jest/globals';
import { queryOf } from '../../../../ui/query-of.ts';
import { filterOf, isFiltered, requestOf } from './call-filter.ts';

const filter = {
  key: '7',
  route: 'POST /offers/{offer_id}/pause',
  status: '4xx',
  request: 'order-17',
  from: '2026-01-01T00:00:00.000Z',
  to: '2026-02-01T00:00:00.000Z',
};
const nothing = { key: '', route: '', status: '', request: '', from: '', to: '' };

describe('a filtered call log', () => {
  it('is read back from its address', () => {
    const shared = new URL(queryOf(filter), 'https://ads.example').searchParams;
    expect(filterOf(Object.fromEntries(shared))).toEqual(filter);
  });

  it('has no query in the address without filters', () => {
    expect(queryOf(nothing)).toBe('');
    expect(isFiltered(nothing)).toBe(false);
    expect(isFiltered({ ...nothing, status: '200' })).toBe(true);
  });

  it('ignores values of an address that the server would refuse', () => {
    const mistyped = { key: 'x', status: '9xx', from: 'yesterday', to: '', unknown: 'y' };
    expect(filterOf(mistyped)).toEqual(nothing);
  });

  it('accepts instants in any time zone', () => {
    expect(filterOf({ from: '2026-01-01T01:00:00+01:00' }).from).toBe('2026-01-01T00:00:00.000Z');
  });

  it('requests pages from the server with the same filters', () => {
    const asked = new URL(requestOf(filter, 'next'), 'https://ads.example');
    expect(asked.pathname).toBe('/calls');
    expect(Object.fromEntries(asked.searchParams)).toEqual({
      key_id: '7',
      route: filter.route,
      status: '4xx',
      request_id: 'order-17',
      from: filter.from,
      to: filter.to,
      cursor: 'next',
      limit: '50',
    });
    expect(requestOf(nothing, null)).toBe('/calls?limit=50');
  });
});
