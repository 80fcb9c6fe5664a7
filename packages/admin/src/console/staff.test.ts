import { describe, expect, it } from '@jest/globals';
import { parseStaff } from './staff.ts';

const annToken = 'a'.repeat(32);
const annNewToken = 'n'.repeat(32);
const boToken = 'b'.repeat(32);

function staffIn(setting: string) {
  const parsed = parseStaff(setting);
  if (!parsed.ok) throw new Error(parsed.problem);
  return parsed.staff;
}

describe('the staff that a setting names', () => {
  it('prove themselves by their own name and token only', () => {
    const staff = staffIn(`ann:${annToken},bo:${boToken}`);
    expect(staff.prove('ann', annToken)).not.toBeNull();
    expect(staff.prove('bo', annToken)).toBeNull();
    expect(staff.prove('ann', `${annToken}a`)).toBeNull();
    expect(staff.prove('ann', '')).toBeNull();
    expect(staff.prove('', annToken)).toBeNull();
  });

  it('may have two tokens while one is replaced', () => {
    const staff = staffIn(`ann:${annToken},ann:${annNewToken}`);
    expect(staff.prove('ann', annToken)).not.toBeNull();
    expect(staff.prove('ann', annNewToken)).not.toBeNull();
  });

  it('are no longer known by a proof whose token was taken out', () => {
    const proof = staffIn(`ann:${annToken}`).prove('ann', annToken)!;
    expect(staffIn(`ann:${annToken},bo:${boToken}`).has('ann', proof)).toBe(true);
    expect(staffIn(`ann:${annNewToken},bo:${boToken}`).has('ann', proof)).toBe(false);
    expect(staffIn(`bo:${annToken}`).has('ann', proof)).toBe(false);
  });

  it.each([
    ['', 'entry 1 must begin with a name'],
    [annToken, 'entry 1 must begin with a name'],
    [`Ann:${annToken}`, 'entry 1 must begin with a name'],
    [`ann\nbo:${annToken}`, 'entry 1 must begin with a name'],
    [`ann:${annToken}, bo:${boToken}`, 'entry 2 must begin with a name'],
    ['ann:short', 'entry 1 must have a token of 32'],
    [`ann:${annToken} `, 'entry 1 must have a token of 32'],
    [`ann:${annToken},bo:${annToken}`, 'entry 2 has the token of another entry'],
  ])('are refused in %j, without a token in the message', (setting, problem) => {
    const parsed = parseStaff(setting);
    expect(parsed).toEqual({ ok: false, problem: expect.stringContaining(problem) });
    expect(JSON.stringify(parsed)).not.toContain(annToken);
  });
});
