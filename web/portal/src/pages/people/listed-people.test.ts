import { describe, expect, it } from '@jest/globals';
import type { PortalPerson } from '@offer-ads/contracts/portal/organisation-api';
import { findPeople, isOnlyAdmin, keysText, standingOf } from './listed-people.ts';

const admin: PortalPerson = {
  id: 1,
  email: 'Ann@crown.example',
  role: 'admin',
  enabled: true,
  invitedAt: '2026-01-01T00:00:00.000Z',
  invitedBy: null,
  lastSignedInAt: '2026-01-02T00:00:00.000Z',
  keysInForce: 0,
};
const developer: PortalPerson = { ...admin, id: 2, email: 'bob@crown.example', role: 'developer' };

describe('people', () => {
  it('are found by a part of their address, in any case, or by their role', () => {
    const found = (text: string) => findPeople([admin, developer], text).map(({ id }) => id);
    expect(found('')).toEqual([1, 2]);
    expect(found(' ann@')).toEqual([1]);
    expect(found('Developer')).toEqual([2]);
    expect(found('dev')).toEqual([]);
  });

  it('are invited until they sign in, unless they are disabled', () => {
    expect(standingOf(admin)).toBe('active');
    expect(standingOf({ ...admin, lastSignedInAt: null })).toBe('invited');
    expect(standingOf({ ...admin, enabled: false })).toBe('disabled');
    expect(standingOf({ ...admin, enabled: false, lastSignedInAt: null })).toBe('disabled');
  });

  it('are the only admin while no other admin has signed in', () => {
    const other = { ...admin, id: 3, email: 'eve@crown.example' };
    expect(isOnlyAdmin(admin, [admin, developer])).toBe(true);
    expect(isOnlyAdmin(admin, [admin, { ...other, lastSignedInAt: null }])).toBe(true);
    expect(isOnlyAdmin(admin, [admin, { ...other, enabled: false }])).toBe(true);
    expect(isOnlyAdmin(admin, [admin, other])).toBe(false);
    expect(isOnlyAdmin(developer, [admin, developer])).toBe(false);
  });

  it('have "1 API key" or "2 API keys"', () => {
    expect([1, 2].map(keysText)).toEqual(['1 API key', '2 API keys']);
  });
});
