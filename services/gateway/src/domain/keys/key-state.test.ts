import { describe, expect, it } from '@jest/globals';
import { keyState, refuseRoll } from './key-state.ts';

const now = new Date('2026-06-01T12:00:00Z');
const later = new Date('2026-06-01T12:00:00.001Z');
const key = {
  disabledAt: null,
  expiresAt: null,
  ownerEnabled: true,
  mode: 'TEST' as const,
  organisationApproved: false,
};

describe('a key', () => {
  it.each([
    ['is in force without an expiry', key, 'works'],
    ['is in force before its expiry', { ...key, expiresAt: later }, 'works'],
    ['has expired at its expiry', { ...key, expiresAt: now }, 'expired'],
    ['is disabled, also after its expiry', { ...key, disabledAt: now, expiresAt: now }, 'disabled'],
    ['of a disabled person does not work', { ...key, ownerEnabled: false }, 'owner-disabled'],
  ] as const)('%s', (_case, given, standing) => {
    expect(keyState(given, now)).toBe(standing);
  });
});

describe('rolling', () => {
  it.each([
    ['a key in force is allowed', key, null],
    ['a disabled key is refused', { ...key, disabledAt: now }, 'key-not-in-force'],
    ['an expired key is refused', { ...key, expiresAt: now }, 'key-not-in-force'],
    ['the key of a disabled person is refused', { ...key, ownerEnabled: false }, 'key-owner-disabled'],
    ['a key without a mode is refused', { ...key, mode: null }, 'key-without-mode'],
    [
      'a LIVE key of an organisation that is not approved is refused',
      { ...key, mode: 'LIVE' },
      'not-approved',
    ],
    ['a LIVE key is allowed', { ...key, mode: 'LIVE', organisationApproved: true }, null],
  ] as const)('%s', (_case, given, refusal) => {
    expect(refuseRoll(given, now)).toBe(refusal);
  });
});
