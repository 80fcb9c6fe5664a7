import { describe, expect, it } from '@jest/globals';
import type { Organisation, Person } from './organisation.ts';
import { changePerson, maxPeople, refuseNewPerson } from './people.ts';

const admin: Person = { id: 1, email: 'ann@cafe.test', role: 'admin', enabled: true };
const second: Person = { id: 2, email: 'bo@cafe.test', role: 'admin', enabled: true };
const by = { personId: admin.id };
/** What the rules read of an organisation. */
const cafe = (...people: Person[]) =>
  ({ enabled: true, people, approval: { at: new Date(0), by: 'ann' } }) as unknown as Organisation;

describe('changing a person', () => {
  it('an admin who was invited and never signed in does not count as another admin, and may always be removed', () => {
    const organisation = cafe(admin, { ...second, awaited: true });
    for (const wish of [{ enabled: false }, { role: 'developer' }] as const) {
      expect(changePerson(organisation, by, { id: admin.id }, wish)).toEqual({
        ok: false,
        reason: 'last-admin',
      });
      expect(changePerson(organisation, by, { id: second.id }, wish)).toMatchObject({ ok: true });
    }
  });

  it('a disabled admin may be demoted, because the number of enabled admins stays the same', () => {
    const organisation = cafe(admin, { ...second, enabled: false });
    expect(changePerson(organisation, by, { id: second.id }, { role: 'marketer' })).toMatchObject({
      ok: true,
    });
  });
});

describe('inviting', () => {
  it('is refused if the organisation has the maximum number of people', () => {
    const crowd = Array.from({ length: maxPeople }, (_, id) => ({ ...admin, id, email: `p${id}@cafe.test` }));
    expect(refuseNewPerson(cafe(...crowd), by, 'new@cafe.test')).toBe('too-many-people');
    expect(refuseNewPerson(cafe(...crowd.slice(1)), by, 'new@cafe.test')).toBeNull();
  });
});
