import { describe, expect, it } from '@jest/globals';
import { checkQuota, dayOf } from './quota.ts';

const quota = { perOrganisation: 5, perPerson: 2, freePerDay: 3 };
const paid = { mode: 'LIVE', netMinor: 1n } as const;
const free = { mode: 'LIVE', netMinor: 0n } as const;

describe('the quota', () => {
  it('allows an offer below both limits', () => {
    expect(checkQuota(quota, { ofOrganisation: 4, ofPerson: 1, freeToday: 9 }, paid)).toBeNull();
  });
  it('names the owner of the limit, the limit and the use', () => {
    expect(checkQuota(quota, { ofOrganisation: 4, ofPerson: 2, freeToday: 0 }, paid)).toMatchObject({
      whose: 'person',
      limit: 2,
      inUse: 2,
    });
    expect(checkQuota(quota, { ofOrganisation: 6, ofPerson: 0, freeToday: 0 }, paid)).toMatchObject({
      whose: 'organisation',
      limit: 5,
      inUse: 6,
    });
  });
});

describe('the quota of offers that cost 0.00', () => {
  const created = (freeToday: number) => ({ ofOrganisation: 0, ofPerson: 0, freeToday });

  it('limits LIVE offers that cost nothing, and no others', () => {
    expect(checkQuota(quota, created(2), free)).toBeNull();
    expect(checkQuota(quota, created(3), free)).toEqual({
      reason: 'free-quota-exceeded',
      limit: 3,
      created: 3,
    });
    expect(checkQuota(quota, created(3), paid)).toBeNull();
    expect(checkQuota(quota, created(3), { ...free, mode: 'TEST' })).toBeNull();
  });

  it('counts a day in UTC', () => {
    expect(dayOf(new Date('2026-03-29T23:59:59.999Z'))).toEqual(new Date('2026-03-29T00:00:00Z'));
    expect(dayOf(new Date('2026-03-30T00:00:00Z'))).toEqual(new Date('2026-03-30T00:00:00Z'));
  });
});
