import { describe, expect, it } from '@jest/globals';
import { addressOf, linkExpiry, type Membership, membershipToSignIn, signInUrl } from './sign-in-link.ts';

const at = new Date('2026-06-01T12:00:00.000Z');

describe('a one-time link', () => {
  it('is valid for 15 minutes, and as an invitation for 72 hours', () => {
    expect(linkExpiry('sign-in', at).toISOString()).toBe('2026-06-01T12:15:00.000Z');
    expect(linkExpiry('invitation', at).toISOString()).toBe('2026-06-04T12:00:00.000Z');
  });

  it('has its token in the fragment, which browsers do not send', () => {
    const url = new URL(signInUrl('https://ads.example.test', 'the-token'));
    expect([url.pathname, url.search, url.hash]).toEqual(['/portal/sign-in', '', '#the-token']);
  });
});

describe('an address', () => {
  it('is the same in any case', () => {
    expect(addressOf('Owner@Cafe.Test')).toBe('owner@cafe.test');
  });

  it('signs in to the organisation where it was last', () => {
    const chosen = membershipToSignIn([
      membership(1, null),
      membership(2, '2026-05-01T00:00:00Z'),
      membership(3, '2026-05-02T00:00:00Z'),
    ]);
    expect(chosen?.personId).toBe(3);
  });

  it('signs in to the first organisation when it never signed in', () => {
    expect(membershipToSignIn([membership(8, null), membership(7, null)])?.personId).toBe(7);
    expect(membershipToSignIn([])).toBeUndefined();
  });
});

function membership(personId: number, lastSignedInAt: string | null): Membership {
  return {
    personId,
    organisationId: personId * 10,
    email: 'owner@cafe.test',
    lastSignedInAt: lastSignedInAt === null ? null : new Date(lastSignedInAt),
  };
}
