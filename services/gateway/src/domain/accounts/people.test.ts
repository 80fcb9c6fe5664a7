import { describe, expect, it } from '@jest/globals';
import type { Role } from '@offer-ads/contracts/events/gateway';
import { defaultQuota, type Organisation, type Person } from './organisation.ts';
import {
  actorMay,
  changePerson,
  maxInvitationsADay,
  maxInvitationsOfOrganisationADay,
  maxPeople,
  type PersonChange,
  refuseAnotherMail,
  refuseInvitation,
  refuseInviter,
  refuseNewPerson,
} from './people.ts';

const admin: Person = { id: 1, email: 'ann@cafe.test', role: 'admin', enabled: true };
const second: Person = { id: 2, email: 'Bo@cafe.test', role: 'admin', enabled: true };
const developer: Person = { id: 3, email: 'dev@cafe.test', role: 'developer', enabled: true };
const by = (person: Person) => ({ personId: person.id });

function cafe(...people: Person[]): Organisation {
  return {
    id: 7,
    name: 'Corner Cafe Limited',
    tradingName: 'Corner Cafe',
    country: 'GB',
    currency: 'GBP',
    registeredAt: new Date('2026-06-01T12:00:00.000Z'),
    enabled: true,
    withdrawal: null,
    version: 1,
    people,
    quotas: { TEST: defaultQuota, LIVE: defaultQuota },
    termsAccepted: false,
    termsDueAt: null,
    billingDetails: { address: [], vatNumber: null, purchaseOrder: null },
    timeZone: null,
    approval: { at: new Date('2026-06-01T12:00:00.000Z'), by: 'ann' },
  };
}

describe('an actor', () => {
  it('needs a role with the permission', () => {
    const organisation = cafe(admin, developer);
    expect(actorMay(organisation, by(admin), 'people')).toBe(true);
    expect(actorMay(organisation, by(developer), 'people')).toBe(false);
    expect(actorMay(organisation, by(developer), 'keys')).toBe(true);
  });

  it('must be an enabled person of an enabled organisation', () => {
    expect(actorMay(cafe({ ...admin, enabled: false }), by(admin), 'people')).toBe(false);
    expect(actorMay(cafe(second), by(admin), 'people')).toBe(false);
    expect(actorMay({ ...cafe(admin), enabled: false }, by(admin), 'people')).toBe(false);
  });

  it('may do everything as the platform team', () => {
    expect(actorMay({ ...cafe(), enabled: false }, 'platform-team', 'people')).toBe(true);
  });
});

describe('changing a person', () => {
  const change = (people: Person[], actor: Person, target: Person, wish: PersonChange) =>
    changePerson(cafe(...people), by(actor), { id: target.id }, wish);

  it('changes the named facts only', () => {
    expect(change([admin, developer], admin, developer, { role: 'marketer' })).toEqual({
      ok: true,
      value: { ...developer, role: 'marketer' },
    });
    expect(change([admin, developer], admin, developer, { enabled: false })).toEqual({
      ok: true,
      value: { ...developer, enabled: false },
    });
  });

  it('finds a person by the address in any case', () => {
    const changed = changePerson(
      cafe(admin, second),
      'platform-team',
      { email: 'bO@Cafe.Test' },
      { enabled: false },
    );
    expect(changed).toMatchObject({ ok: true, value: { id: second.id } });
  });

  it.each<[string, PersonChange]>([
    ['disabled', { enabled: false }],
    ['demoted', { role: 'developer' }],
    ['disabled and demoted', { role: 'marketer', enabled: false }],
  ])('the last enabled admin is not %s', (_what, wish) => {
    const gone = { ...second, enabled: false };
    expect(change([admin, gone, developer], admin, admin, wish)).toEqual({
      ok: false,
      reason: 'last-admin',
    });
    expect(change([admin, second, developer], admin, admin, wish)).toMatchObject({ ok: true });
  });

  it('an admin who was invited and never signed in does not count as another admin, and may always be removed', () => {
    const invited = { ...second, awaited: true };
    for (const wish of [{ enabled: false }, { role: 'developer' }] as const) {
      expect(change([admin, invited], admin, admin, wish)).toEqual({ ok: false, reason: 'last-admin' });
      expect(change([admin, invited], admin, invited, wish)).toMatchObject({ ok: true });
    }
  });

  it('a disabled admin may be demoted, because the number of enabled admins stays the same', () => {
    const gone = { ...second, enabled: false };
    expect(change([admin, gone], admin, gone, { role: 'marketer' })).toMatchObject({ ok: true });
  });

  it('the platform team may disable the last admin, but not demote them', () => {
    const organisation = cafe(admin, developer);
    const ref = { id: admin.id };
    expect(changePerson(organisation, 'platform-team', ref, { enabled: false })).toMatchObject({ ok: true });
    expect(changePerson(organisation, 'platform-team', ref, { role: 'developer' })).toEqual({
      ok: false,
      reason: 'last-admin',
    });
  });

  it.each<Role>(['developer', 'marketer'])('a %s cannot raise their own role', (role) => {
    const self = { ...developer, role };
    expect(change([admin, self], self, self, { role: 'admin' })).toEqual({
      ok: false,
      reason: 'not-allowed',
    });
  });

  it('a disabled admin changes nobody', () => {
    expect(change([{ ...admin, enabled: false }, second], admin, second, { enabled: false })).toEqual({
      ok: false,
      reason: 'not-allowed',
    });
  });

  it('a person of another organisation is unknown', () => {
    expect(change([admin], admin, developer, { enabled: false })).toEqual({
      ok: false,
      reason: 'person-unknown',
    });
  });
});

describe('inviting', () => {
  it('is refused for an address of the organisation, in any case', () => {
    expect(refuseNewPerson(cafe(admin, second), by(admin), 'BO@CAFE.TEST')).toBe('person-exists');
    expect(refuseNewPerson(cafe(admin), by(admin), 'bo@cafe.test')).toBeNull();
  });

  it('needs a verified organisation, unless the platform team invites', () => {
    const waiting = { ...cafe(admin), approval: null };
    expect(refuseInviter(waiting, by(admin))).toBe('not-verified');
    expect(refuseNewPerson(waiting, by(admin), 'bo@cafe.test')).toBe('not-verified');
    expect(refuseNewPerson(waiting, 'platform-team', 'bo@cafe.test')).toBeNull();
  });

  it('is refused if the organisation has the maximum number of people', () => {
    const crowd = Array.from({ length: maxPeople }, (_, index) => ({
      ...admin,
      id: index + 1,
      email: `p${index}@cafe.test`,
    }));
    expect(refuseNewPerson(cafe(...crowd), by(admin), 'new@cafe.test')).toBe('too-many-people');
    expect(refuseNewPerson(cafe(...crowd.slice(1)), { personId: 2 }, 'new@cafe.test')).toBeNull();
  });

  it('needs an admin', () => {
    expect(refuseNewPerson(cafe(admin, developer), by(developer), 'new@cafe.test')).toBe('not-allowed');
  });
});

describe('inviting again', () => {
  const now = new Date('2026-06-02T12:00:00Z');
  const hoursAgo = (hours: number) => new Date(now.getTime() - hours * 3_600_000);
  const open = { ...developer, joined: false };

  it('is refused for disabled people and for people who have signed in', () => {
    expect(refuseInvitation({ ...open, enabled: false })).toBe('person-disabled');
    expect(refuseInvitation({ ...open, joined: true })).toBe('already-joined');
    expect(refuseInvitation(open)).toBeNull();
  });

  it.each([
    ['toAddress', maxInvitationsADay, 'invited-too-often'],
    ['byOrganisation', maxInvitationsOfOrganisationADay, 'too-many-invitations'],
  ] as const)(
    'is refused after the maximum number within a day (%s), until the first is a day old',
    (counter, count, reason) => {
      const most = Array.from({ length: count }, (_, index) => hoursAgo(index / 10));
      const judged = (sentAt: readonly Date[]) =>
        refuseAnotherMail({ toAddress: [], byOrganisation: [], [counter]: sentAt }, now);
      expect(judged(most)).toBe(reason);
      expect(judged([...most.slice(1), hoursAgo(24)])).toBeNull();
      expect(judged([...most.slice(1), hoursAgo(23.999)])).toBe(reason);
    },
  );
});
