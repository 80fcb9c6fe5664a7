import { describe, expect, it } from '@jest/globals';
import { may, permissions, permissionsOf } from './permissions.ts';

describe('permissions', () => {
  it('give an admin everything', () => {
    expect(permissions.filter((permission) => may('admin', permission))).toEqual([...permissions]);
  });

  it('give a developer keys and the call log, and nothing else', () => {
    expect(permissions.filter((permission) => may('developer', permission))).toEqual(['keys', 'calls']);
  });

  it('give a marketer offers, and nothing else', () => {
    expect(permissions.filter((permission) => may('marketer', permission))).toEqual(['offers']);
  });

  it.each(['admin', 'developer', 'marketer'] as const)('are listed for a %s as they are checked', (role) => {
    expect(permissionsOf(role)).toEqual(permissions.filter((permission) => may(role, permission)));
  });
});
