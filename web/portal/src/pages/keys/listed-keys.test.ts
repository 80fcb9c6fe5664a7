import { describe, expect, it } from '@jest/globals';
import type { ApiKey } from '@offer-ads/contracts/portal/organisation-api';
import { listKeys, maskOf, mayBeRolled, tryOut } from './listed-keys.ts';

const key: ApiKey = {
  id: 1,
  mode: 'TEST',
  name: 'Web shop',
  lastFour: 'aB3x',
  createdBy: { id: 7, email: 'dev@crown.example', role: 'developer', enabled: true },
  createdAt: '2026-01-01T00:00:00.000Z',
  expiresAt: null,
  lastUsedAt: null,
  disabledAt: null,
  disabledBy: null,
  requestsPerMinute: null,
  rights: { access: 'full', addresses: [], spendingPerDayMinor: null, spendingPerMonthMinor: null },
  rolledFrom: null,
  standing: 'works',
};
const live: ApiKey = { ...key, id: 2, mode: 'LIVE', name: 'Till' };
const disabled: ApiKey = { ...key, id: 3, standing: 'disabled' };
const ofOld: ApiKey = { ...key, id: 4, mode: null };
const waiting: ApiKey = { ...key, id: 5, standing: 'owner-disabled' };
const all = [key, live, disabled, ofOld, waiting];

function idsOf(o: { mode?: 'test' | 'live'; text?: string; withPast?: boolean }): number[] {
  return listKeys(all, { mode: 'test', text: '', withPast: false, ...o }).listed.map(({ id }) => id);
}

describe('the list of keys', () => {
  it('has the keys of its mode and those without a mode', () => {
    expect(idsOf({ mode: 'test' })).toEqual([1, 4, 5]);
    expect(idsOf({ mode: 'live' })).toEqual([2, 4]);
  });

  it('has disabled keys only on request', () => {
    expect(idsOf({ withPast: true })).toEqual([1, 3, 4, 5]);
  });

  it('is searched by name, last four characters and owner, in any case', () => {
    const other = {
      ...key,
      id: 9,
      name: 'Till',
      lastFour: 'zzzz',
      createdBy: { ...key.createdBy, email: 'Z@x.y' },
    };
    const found = (text: string) =>
      listKeys([key, other], { mode: 'test', text, withPast: false }).listed.map(({ id }) => id);
    expect(found('web SHOP ')).toEqual([1]);
    expect(found('ab3X')).toEqual([1]);
    expect(found('z@X')).toEqual([9]);
    expect(found('nothing')).toEqual([]);
  });

  it('counts keys in force, past keys and keys without a mode', () => {
    const { inForce, past, withoutMode } = listKeys(all, { mode: 'test', text: 'x', withPast: false });
    expect({ inForce, past, withoutMode }).toEqual({ inForce: 1, past: 1, withoutMode: 1 });
  });
});

describe('a key', () => {
  it('can be rolled only when it is in force and has a mode', () => {
    expect(all.filter(mayBeRolled).map(({ id }) => id)).toEqual([1, 2]);
  });

  it('is shown by its mode and last four characters', () => {
    expect(maskOf(key)).toBe('pk_test_…aB3x');
    expect(maskOf(ofOld)).toBe('…aB3x');
  });

  it('is tried out by a complete command', () => {
    expect(tryOut('https://ads.example', 'pk_test_1')).toBe(
      "curl https://ads.example/categories -H 'x-api-key: pk_test_1'",
    );
  });
});
