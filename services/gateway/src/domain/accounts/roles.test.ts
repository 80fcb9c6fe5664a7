import { describe, expect, it } from '@jest/globals';
import { permission } from '@offer-ads/contracts/portal/session-api';
import { may, permissionsOf } from './roles.ts';

const all = permission.options;

describe('permissions', () => {
  it('give an admin everything', () => {
    expect(all.filter((permission) => may('admin', permission))).toEqual(all);
  });

  it('give a developer keys and the call log, and nothing else', () => {
    expect(all.filter((permission) => may('developer', permission))).toEqual(['keys', 'calls', 'webhooks']);
  });

  it('give a marketer offers, and nothing else', () => {
    expect(all.filter((permission) => may('marketer', permission))).toEqual(['offers']);
  });

  it.each(['admin', 'developer', 'marketer'] as const)('are listed for a %s as they are checked', (role) => {
    expect(permissionsOf(role)).toEqual(all.filter((permission) => may(role, permission)));
  });
});
