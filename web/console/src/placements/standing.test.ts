import { describe, expect, it } from '@jest/globals';
import { maskOf, replacedKeys, standingOf } from './standing.ts';

const now = new Date('2027-01-10T12:00:00Z');
const later = '2027-01-10T12:00:01.000Z';
const endless = { disabledAt: null, expiresAt: null };

describe('a placement key', () => {
  it.each([
    ['is in force', endless, false, { works: true, text: 'Active', kind: 'good' }],
    [
      'has expired at the instant of its expiry',
      { ...endless, expiresAt: now.toISOString() },
      false,
      { works: false, text: 'Expired', kind: 'muted' },
    ],
    [
      'that was disabled does not work, whatever its expiry',
      { disabledAt: now.toISOString(), expiresAt: later },
      false,
      { works: false, text: 'Disabled', kind: 'muted' },
    ],
    [
      'that was rolled with an overlap still works',
      { ...endless, expiresAt: later },
      true,
      { works: true, text: 'Rolled, still works', kind: 'warning' },
    ],
    [
      'that was rolled is told apart from one that was disabled',
      { ...endless, disabledAt: now.toISOString() },
      true,
      { works: false, text: 'Rolled', kind: 'muted' },
    ],
  ] as const)('%s', (_what, key, replaced, standing) => {
    expect(standingOf(key, { replaced, now })).toEqual(standing);
  });

  it('is shown by the beginning and the end of its secret', () => {
    expect(maskOf({ mode: 'LIVE', lastFour: 'a1B2' })).toBe('pk_place_live_…a1B2');
  });

  it('was replaced when another one was rolled from it', () => {
    expect([...replacedKeys([{ rolledFrom: null }, { rolledFrom: 7 }])]).toEqual([7]);
  });
});
