import { describe, expect, test } from '@jest/globals';
import { actionsOf } from '@offer-ads/contracts/values/offer-actions';
import { offerStatuses } from '@offer-ads/contracts/values/primitives';
import { bucketText, chartOf, rateText } from '../one/series.ts';
import { badgeOf, nextText } from '../standing.ts';
import { filterAddress, listQuery, readFilters } from './filters.ts';

describe('filters', () => {
  const filters = { status: 'scheduled', disabled: true, from: '2026-06-01', to: '2026-06-30' };
  test('are read back from their address', () => {
    const query = Object.fromEntries(new URLSearchParams(filterAddress(filters)));
    expect(readFilters(query)).toEqual(filters);
    expect(filterAddress(readFilters({}))).toBe('');
  });
  test('with unknown values are ignored', () => {
    expect(readFilters({ state: 'gone', disabled: '1', from: 'yesterday', to: '' })).toEqual({
      status: '',
      disabled: false,
      from: '',
      to: '',
    });
  });
  test('request whole local days, including the last one', () => {
    const query = new URLSearchParams(listQuery(filters, 'abc'));
    const milliseconds =
      Date.parse(query.get('created_before') ?? '') - Date.parse(query.get('created_after') ?? '');
    expect(milliseconds).toBe(30 * 86_400_000 - 1);
    expect(Object.fromEntries(query)).toMatchObject({
      offer_status: 'scheduled',
      status: 'disabled',
      cursor: 'abc',
      limit: '20',
    });
  });
});

describe('the state of an offer', () => {
  const offer = {
    status: 'enabled',
    payment_method: 'E',
    start_datetime: '2026-06-01T12:00:00.000Z',
    expiry_datetime: '2026-06-08T12:00:00.000Z',
  } as const;
  const said = (status: (typeof offerStatuses)[number], now = '2026-06-02T00:00:00Z') =>
    nextText({ ...offer, offer_status: status }, new Date(now), (at) => at.slice(5, 10));

  test('says what happens next, and allows deletion', () => {
    for (const status of offerStatuses) {
      expect(said(status)).toContain('06-08');
      expect(badgeOf(status)).toBeDefined();
      expect(actionsOf(status)).toContain('delete');
    }
  });
  test('of an unpaid offer names its payment or its later start', () => {
    expect(said('Awaiting Payment')).toContain('from its payment');
    expect(said('Awaiting Payment', '2026-05-01T00:00:00Z')).toContain('from 06-01');
  });
  test('allows pausing of Active and Scheduled offers, and resuming of Paused ones', () => {
    expect(offerStatuses.filter((status) => actionsOf(status).includes('pause'))).toEqual([
      'Active',
      'Scheduled',
    ]);
    expect(offerStatuses.filter((status) => actionsOf(status).includes('resume'))).toEqual(['Paused']);
  });
  test('of a disabled offer names the platform team', () => {
    const disabled = { ...offer, status: 'disabled', offer_status: 'Active' } as const;
    expect(nextText(disabled, new Date('2026-06-02'), String)).toContain('platform team');
  });
});

describe('figures', () => {
  test('have the clicks per 100 views, and no rate without views', () => {
    expect(rateText(240, 17)).toBe('7.1');
    expect(rateText(0, 0)).toBe('–');
    const points = [
      { start_datetime: '2026-06-01T00:00:00.000Z', views: 0, clicks: 0 },
      { start_datetime: '2026-06-01T01:00:00.000Z', views: 50, clicks: 5 },
    ];
    expect(chartOf({ points, bucket_seconds: 3_600 })).toEqual({
      times: [1_780_272_000, 1_780_275_600],
      views: [0, 50],
      clicks: [0, 5],
      rate: [null, 10],
      bucketSeconds: 3_600,
    });
  });
  test.each([
    [3_600, 'hour'],
    [86_400, 'day'],
    [604_800, 'week'],
    [1_209_600, '2 weeks'],
  ])('name an interval of %i seconds: %s', (seconds, text) => {
    expect(bucketText(seconds)).toBe(text);
  });
});
