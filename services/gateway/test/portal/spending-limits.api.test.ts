/** What each person of a role may order; billing enforces it. */
import { expect, it } from '@jest/globals';
import { forAllTests, forEachTest } from '@offer-ads/testing/for-tests';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { lastCallerAt } from '../forwarding/fake-upstream.ts';
import { refusal } from '../gateway-under-test.ts';
import { organisationWithRoles, type TestMember } from './members.ts';
import { startPortalUnderTest } from './portal-under-test.ts';

const portal = forAllTests(() => startPortalUnderTest());
const cafe = forEachTest(() => organisationWithRoles(portal));

const none = { spendingPerDayMinor: null, spendingPerMonthMinor: null };
const set = (limits: object) => cafe.admin.call('PUT', '/spending-limits', limits);

async function spendingOf(person: TestMember, mode = 'test') {
  await person.call('GET', `/${mode}/offers`);
  return lastCallerAt(portal.gateway.offers).spending;
}

it('limits are set for one role, read by other admins of the organisation alone, and removed by null', async () => {
  expect(await cafe.admin.call('GET', '/spending-limits')).toMatchObject({
    body: { admin: none, marketer: none },
  });
  const marketer = { spendingPerDayMinor: '6000', spendingPerMonthMinor: null };
  const limited = { status: 200, body: { admin: none, marketer } };
  expect(await set({ role: 'marketer', ...marketer })).toMatchObject(limited);
  expect(await cafe.admin.call('GET', '/spending-limits')).toMatchObject(limited);
  const other = await organisationWithRoles(portal);
  expect((await other.admin.call('GET', '/spending-limits')).body).toEqual({ admin: none, marketer: none });
  expect((await set({ role: 'marketer', ...none })).body).toEqual({ admin: none, marketer: none });
});

it('services learn the limits of the role of the signed-in person, and each person counts alone', async () => {
  const { organisationId } = cafe;
  const ofAdmins = { role: 'admin', spendingPerDayMinor: null, spendingPerMonthMinor: '900000000000000000' };
  const byStaff = await portal.gateway.admin(
    'POST',
    `/organisations/${organisationId}/spending-limits`,
    ofAdmins,
  );
  expect(byStaff.status).toBe(200);
  await set({ role: 'marketer', spendingPerDayMinor: '6000', spendingPerMonthMinor: '20000' });
  for (const mode of ['test', 'live'])
    expect(await spendingOf(cafe.marketer, mode)).toEqual({
      spender: `person/${cafe.marketer.id}`,
      access: 'full',
      perDayMinor: '6000',
      perMonthMinor: '20000',
    });
  expect(await spendingOf(cafe.admin)).toEqual({
    spender: `person/${cafe.admin.id}`,
    access: 'full',
    perDayMinor: null,
    perMonthMinor: '900000000000000000',
  });
  expect((await spendingOf(cafe.viewer))?.perDayMinor).toBeNull();
});

it.each([
  [{ role: 'viewer', ...none }, 'role'],
  [{ role: 'marketer', ...none, spendingPerDayMinor: '-1' }, 'spendingPerDayMinor'],
  [{ role: 'marketer', spendingPerDayMinor: '60' }, 'spendingPerMonthMinor'],
])('%j is refused with 400, and %s is named', async (wrong, field) => {
  expect(await set(wrong)).toMatchObject(refusal(400, field));
});

it('the audit log says who has changed a limit, and how', async () => {
  await set({ role: 'marketer', ...none, spendingPerDayMinor: '6000' });
  await eventually(async () => {
    const audit = await portal.gateway.admin('GET', `/audit?organisationId=${cafe.organisationId}`);
    const { entries } = audit.body as { entries: object[] };
    expect(entries.filter((entry) => 'via' in entry && entry.via === 'portal')).toMatchObject([
      {
        actor: `people/${cafe.admin.id}`,
        roles: ['admin'],
        action: 'PUT /portal/api/spending-limits',
        details: { role: 'marketer', spendingPerDayMinor: '6000' },
        status: 200,
      },
    ]);
  });
});
