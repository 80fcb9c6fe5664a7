import { describe, expect, it } from '@jest/globals';
import { admit, type KeyFacts } from './admission.ts';

const now = new Date('2026-06-01T12:00:00Z');
const good: KeyFacts = {
  keyId: 9,
  mode: 'TEST',
  disabledAt: null,
  expiresAt: null,
  personId: 3,
  ownerEnabled: true,
  email: 'admin@example.com',
  organisationId: 7,
  organisationEnabled: true,
  currency: 'GBP',
  country: 'GB',
  tradingName: 'Corner Cafe',
  quota: { perPerson: 100, perOrganisation: 500 },
  termsAccepted: true,
  organisationApproved: true,
  approvalWithdrawn: false,
  requestsPerMinute: null,
};
const unauthorised = { ok: false, reason: 'unauthorised' };

describe('admission', () => {
  it('admits a key in force, as the caller that it belongs to', () => {
    expect(admit(good, now, false)).toEqual({
      ok: true,
      key: good,
      caller: {
        organisationId: 7,
        mode: 'TEST',
        personId: 3,
        keyId: 9,
        email: 'admin@example.com',
        currency: 'GBP',
        country: 'GB',
        tradingName: 'Corner Cafe',
        quota: { perPerson: 100, perOrganisation: 500 },
        termsAccepted: true,
        organisationApproved: true,
      },
    });
  });

  it.each([
    ['a key that nobody has', null],
    ['the key of a disabled person', { ...good, ownerEnabled: false }],
    ['a disabled organisation', { ...good, organisationEnabled: false }],
    ['a key at its expiry', { ...good, expiresAt: now }],
    ['a disabled key without a mode, like any other disabled key', { ...good, mode: null, disabledAt: now }],
  ])('refuses %s', (_case, key) => {
    expect(admit(key, now, false)).toEqual(unauthorised);
  });

  it('admits the TEST keys of an organisation that is not approved, and no LIVE key', () => {
    const waiting = { ...good, organisationApproved: false };
    expect(admit(waiting, now, false)).toMatchObject({ ok: true, caller: { organisationApproved: false } });
    expect(admit({ ...waiting, mode: 'LIVE' }, now, true)).toEqual({ ok: false, reason: 'not-approved' });
  });

  it('admits a LIVE key after a withdrawal to calls that stay open', () => {
    const withdrawn = {
      ...good,
      mode: 'LIVE',
      organisationApproved: false,
      approvalWithdrawn: true,
    } as const;
    expect(admit(withdrawn, now, true)).toMatchObject({ ok: true });
    expect(admit(withdrawn, now, false)).toEqual({ ok: false, reason: 'approval-withdrawn' });
    expect(admit({ ...withdrawn, mode: 'TEST' }, now, false)).toMatchObject({ ok: true });
  });

  it('has a reason of its own for a key without a recorded mode, because its owner must create a new one', () => {
    expect(admit({ ...good, mode: null, quota: null }, now, false)).toEqual({
      ok: false,
      reason: 'key-without-mode',
    });
  });
});
