import { describe, expect, it } from '@jest/globals';
import { approvalAtSignUp, mayWorkIn } from './approval.ts';

describe('an organisation that registered itself', () => {
  const at = new Date('2026-11-20T12:00:00Z');

  it('is approved at once only if sign-up is open', () => {
    expect(approvalAtSignUp('open', at)).toEqual({ at, by: 'open sign-up' });
    expect(approvalAtSignUp('approval', at)).toBeNull();
    expect(approvalAtSignUp('closed', at)).toBeNull();
  });
});

describe('the modes of an organisation', () => {
  it('are both once it is approved, and TEST alone before', () => {
    expect([mayWorkIn('TEST', true), mayWorkIn('LIVE', true)]).toEqual([true, true]);
    expect([mayWorkIn('TEST', false), mayWorkIn('LIVE', false)]).toEqual([true, false]);
  });
});
