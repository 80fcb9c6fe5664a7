import { describe, expect, test } from '@jest/globals';
import { actionsOf } from '@offer-ads/contracts/values/offer-actions';
import { offerStatuses } from '@offer-ads/contracts/values/primitives';
import { figuresOf } from '../../../amounts/figures.ts';
import { bucketText, chartOf, lateBeginning, localTime } from '../one/series.ts';
import { badgeOf, lostMinor, nextText } from '../standing.ts';
import { exportQuery, filterAddress, isFiltered, listQuery, readFilters } from './filters.ts';
import { bulkActionsOf, type Choosable, chosenOf, offersFor, outcomeOf } from './selection.ts';

describe('filters', () => {
  const filters = {
    search: 'two for one',
    status: 'scheduled',
    disabled: true,
    from: '2026-06-01',
    to: '2026-06-30',
    sort: 'most_views',
  } as const;
  test('are read back from their address', () => {
    const query = Object.fromEntries(new URLSearchParams(filterAddress(filters)));
    expect(readFilters(query)).toEqual(filters);
    expect(filterAddress(readFilters({}))).toBe('');
  });
  test('with unknown values are ignored', () => {
    expect(
      readFilters({ search: '  ', state: 'gone', disabled: '1', from: 'yesterday', to: '', sort: 'best' }),
    ).toEqual({
      search: '',
      status: '',
      disabled: false,
      from: '',
      to: '',
      sort: 'newest',
    });
    expect(isFiltered(readFilters({ sort: 'most_views' }))).toBe(false);
    expect(isFiltered(readFilters({ search: 'two' }))).toBe(true);
  });
  test('request whole local days, including the last one', () => {
    const query = new URLSearchParams(listQuery(filters, 'abc'));
    const milliseconds =
      Date.parse(query.get('created_before') ?? '') - Date.parse(query.get('created_after') ?? '');
    expect(milliseconds).toBe(30 * 86_400_000 - 1);
    expect(Object.fromEntries(query)).toMatchObject({
      offer_status: 'scheduled',
      status: 'disabled',
      search: 'two for one',
      sort: 'most_views',
      cursor: 'abc',
      limit: '20',
    });
    const file = new URLSearchParams(exportQuery(filters));
    expect([file.get('search'), file.get('created_after'), file.get('sort'), file.get('limit')]).toEqual([
      'two for one',
      query.get('created_after'),
      null,
      null,
    ]);
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
  test('of an unpaid offer says what its passing time is worth, from its start or its creation on', () => {
    const unpaid = {
      ...offer,
      offer_status: 'Awaiting Payment',
      creation_datetime: '2026-05-30T00:00:00Z',
      cost_minor: '7000',
    } as const;
    const lost = (now: string, o: Partial<Parameters<typeof lostMinor>[0]> = {}) =>
      lostMinor({ ...unpaid, ...o }, new Date(now));
    expect(lost('2026-06-01T11:59:59Z')).toBeNull();
    expect(lost('2026-06-02T12:00:00Z')).toBe(1000n);
    expect(lost('2026-06-03T12:00:00Z', { creation_datetime: '2026-06-02T12:00:00Z' })).toBe(1000n);
    expect(lost('2026-06-03T12:00:00Z', { offer_status: 'Active' })).toBeNull();
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

describe('offers chosen for one command', () => {
  const offer = (id: number, status: Choosable['offer_status'], o: Partial<Choosable> = {}): Choosable => ({
    offer_id: id,
    title: `Offer ${id}`,
    offer_status: status,
    status: 'enabled',
    deleted_datetime: null,
    ...o,
  });
  const listed = [
    offer(1, 'Active'),
    offer(2, 'Paused'),
    offer(3, 'Ended'),
    offer(4, 'Active', { deleted_datetime: '2026-06-01T12:00:00.000Z' }),
    offer(5, 'Active', { status: 'disabled' }),
  ];

  test('are those that a command fits', () => {
    expect(listed.map((each) => bulkActionsOf(each))).toEqual([['pause'], ['resume'], [], [], []]);
    const chosen = chosenOf(listed, new Set([1, 2, 3, 4, 5, 6]));
    expect(chosen.map(({ offer_id: id }) => id)).toEqual([1, 2]);
    expect(offersFor(chosen, 'resume').map(({ offer_id: id }) => id)).toEqual([2]);
  });
  test('are at most as many as one request takes', () => {
    const many = Array.from({ length: 150 }, (_, id) => offer(id, 'Active'));
    expect(chosenOf(many, new Set(many.map(({ offer_id: id }) => id)))).toHaveLength(100);
  });
  test('are named with the reason if they were refused', () => {
    const results = [
      { offer_id: 1, done: true, message: 'Offer has been paused' },
      { offer_id: 2, done: false, message: 'Offer is already paused' },
    ];
    expect(outcomeOf(listed, results)).toEqual({
      done: 1,
      failed: [{ title: 'Offer 2', message: 'Offer is already paused' }],
    });
  });
});

describe('figures', () => {
  const { changeText, percentText } = figuresOf('GB');
  test('have a rate and a change only where there is something to compare with', () => {
    expect([percentText({ views: 240, clicks: 17 }), percentText({ views: 0, clicks: 0 })]).toEqual([
      '7.1%',
      '–',
    ]);
    expect([
      changeText(12, 10),
      changeText(10, 10),
      changeText(5, 10),
      changeText(1, 0),
      changeText(null, 5),
      changeText(200, 1),
    ]).toEqual(['+20%', '0%', '-50%', null, null, null]);
  });
  test('have the number format of the amounts beside them', () => {
    const texts = ['GB', 'DE', 'CH', 'IN'].map((country) => {
      const { countText, unitPriceText, percentText: percent } = figuresOf(country);
      const all = [countText(1_234_567), unitPriceText(0.001145), percent({ views: 240, clicks: 17 })];
      return all.join(' ').replaceAll('\u00a0', ' ').replaceAll('’', "'");
    });
    expect(texts).toEqual([
      '1,234,567 0.001145 7.1%',
      '1.234.567 0,001145 7,1 %',
      "1'234'567 0.001145 7.1%",
      '12,34,567 0.001145 7.1%',
    ]);
  });
  test.each([
    ['2026-06-01T01:30:00.000Z', true],
    ['2026-06-01T01:59:59.999Z', false],
  ])('until %s are drawn; their last hour is not over: %s', (end_datetime, isLastOpen) => {
    const points = [
      { start_datetime: '2026-06-01T00:00:00.000Z', views: 0, clicks: 0 },
      { start_datetime: '2026-06-01T01:00:00.000Z', views: 50, clicks: 5 },
    ];
    expect(chartOf({ points, bucket_seconds: 3_600, time_zone: 'UTC', end_datetime })).toEqual({
      times: [1_780_272_000, 1_780_275_600],
      views: [0, 50],
      clicks: [0, 5],
      isLastOpen,
      bucketSeconds: 3_600,
      timeZone: 'UTC',
    });
  });
  test('have times of the zone, and say when days begin late', () => {
    expect(localTime('2026-06-01T12:00:00.000Z', 'America/New_York')).toBe('1 Jun 2026, 08:00');
    const series = (time_zone: string, at: string) => ({
      points: ['2026-06-01T12:00:00.000Z', at].map((start_datetime) => ({
        start_datetime,
        views: 0,
        clicks: 0,
      })),
      bucket_seconds: 86_400,
      time_zone,
    });
    expect(lateBeginning(series('Asia/Kolkata', '2026-06-01T19:00:00.000Z'))).toBe('00:30');
    expect(lateBeginning(series('Europe/London', '2026-06-01T23:00:00.000Z'))).toBeNull();
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
