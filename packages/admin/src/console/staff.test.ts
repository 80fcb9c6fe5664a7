import { describe, expect, it } from '@jest/globals';
import { hashEntry } from '@offer-ads/platform/admin/tokens';
import { parseStaff, type Staff } from './staff.ts';

const annToken = 'a'.repeat(32);
const boToken = 'b'.repeat(32);
const entry = (name: string, token: string) => hashEntry(name, token, 'console');

function staffIn(setting: string): Staff {
  const parsed = parseStaff(setting);
  if (!parsed.ok) throw new Error(parsed.problem);
  return parsed.staff;
}

describe('the staff in a setting', () => {
  it('sign in with their own name and token only', () => {
    const staff = staffIn(`${entry('ann', annToken)},${entry('bo', boToken)}`);
    expect(staff.prove('ann', annToken)).not.toBeNull();
    expect(staff.prove('bo', annToken)).toBeNull();
    expect(staff.prove('ann', `${annToken}a`)).toBeNull();
    expect(staff.prove('ann', '')).toBeNull();
    expect(staff.prove('', annToken)).toBeNull();
  });

  it('cannot sign in with a hash of the setting, nor with the hash for a service', () => {
    const setting = entry('ann', annToken);
    expect(staffIn(setting).prove('ann', setting.slice('ann:'.length))).toBeNull();
    expect(staffIn(hashEntry('ann', annToken, 'billing')).prove('ann', annToken)).toBeNull();
  });
});
