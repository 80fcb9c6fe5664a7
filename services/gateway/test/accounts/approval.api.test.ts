/** Organisations that the platform team has not approved: TEST mode with generated members, no LIVE mode; and how that changes. */
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { billingPaths } from '@offer-ads/contracts/portal/billing-operations';
import { portalOfferPaths } from '@offer-ads/contracts/portal/offers-operations';
import { forAllTests } from '@offer-ads/testing/for-tests';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { endpoints, webhookEndpoints } from '../../src/public-api/endpoints.ts';
import { everyEndpoint } from '../every-endpoint.ts';
import { lastCallerAt } from '../forwarding/fake-upstream.ts';
import { type GatewayUnderTest, metricOf, type Reply, refusal } from '../gateway-under-test.ts';
import { callBy, type TestMember } from '../portal/members.ts';
import { type PortalUnderTest, startPortalUnderTest } from '../portal/portal-under-test.ts';

const message =
  'Your organisation is not approved for LIVE mode yet. Use TEST mode until the platform team has approved it.';
const refusedInPortal = { status: 403, body: { message } };
const withdrawn = expect.stringContaining('withdrawn the approval');
/** What stays open in LIVE mode, besides reading. */
const staysOpen = new Set([
  'POST /offers/17/pause',
  'POST /offers/17/resume',
  'POST /offers/17/credit-estimate',
  'DELETE /offers/17',
  'POST /offer-groups/17/pause',
  'POST /offer-groups/17/resume',
  'DELETE /offer-groups/17',
  'POST /offers/pause',
  'POST /offers/resume',
]);
const isOpen = (method: string, path: string) =>
  method === 'GET' || path.startsWith('/webhooks') || staysOpen.has(`${method} ${path.replace(/\d+/, '17')}`);

const portal = forAllTests(() => startPortalUnderTest({ settings: { SIGN_UP: 'approval' } }));
let gateway: GatewayUnderTest;
beforeAll(async () => {
  gateway = portal.gateway;
});

let organisationId: number;
let admin: TestMember;
let people = 0;
beforeEach(async () => {
  gateway.resetUpstreams();
  ({ organisationId, admin } = await signUp(portal));
});

/** A person registers an organisation. */
async function signUp(on: PortalUnderTest): Promise<{ organisationId: number; admin: TestMember }> {
  const email = `owner-${(people += 1)}@bakery.test`;
  const browser = on.browser();
  const json = { name: 'Bakery', tradingName: 'Bakery', country: 'GB', currency: 'GBP', email };
  await browser.call('/portal/api/sign-up', { method: 'POST', json });
  const token = await on.signUpToken(email);
  const { body } = await browser.call('/portal/api/sign-up/complete', { method: 'POST', json: { token } });
  const { organisation, person } = body as { organisation: { id: number }; person: { id: number } };
  return { organisationId: organisation.id, admin: { ...person, email, browser, call: callBy(browser) } };
}

type Decision = 'approve' | 'withdraw-approval';
const reason = 'The company is not in the register.';
const decide = (what: Decision, id = organisationId, on = gateway) =>
  on.admin('POST', `/organisations/${id}/${what}`, what === 'approve' ? {} : { reason });
const createKey = (mode: string) =>
  gateway.admin('POST', '/keys', { organisationId, mode }) as Promise<
    Reply & { body: { id: number; key: string } }
  >;
const approvalOf = async (id: number, on = gateway) =>
  ((await on.admin('GET', `/organisations/${id}`)).body as { approval: unknown }).approval;
const isApproved = async () => {
  const { body } = await admin.call('GET', '/session');
  return (body as { organisation: { approved: boolean } }).organisation.approved;
};

/** What pricing learns of the caller of an estimate. */
async function callerOf(key: string, base = gateway.url) {
  const call = { method: 'POST', key, body: '{}', base };
  expect((await gateway.call('/offers/price-estimate', call)).status).toBe(200);
  return lastCallerAt(gateway.pricing);
}

const expectNothingForwarded = () =>
  expect([gateway.offers, gateway.pricing, gateway.billing].flatMap(({ seen }) => seen)).toEqual([]);

describe('an organisation that registered itself', () => {
  it('sends no invitations until it is approved, unless the platform team does: 403, 201', async () => {
    const colleague = { email: `colleague-${people}@bakery.test`, role: 'marketer' };
    const refused = refusal(403, 'approved');
    expect(await admin.call('POST', '/people', colleague)).toMatchObject(refused);
    const added = await gateway.admin('POST', `/organisations/${organisationId}/people`, colleague);
    expect(added).toMatchObject({ status: 201 });
    const { id } = added.body as { id: number };
    expect(await admin.call('POST', `/people/${id}/invitation`)).toMatchObject(refused);
    await decide('approve');
    expect(await admin.call('POST', `/people/${id}/invitation`)).toMatchObject({ status: 200 });
    const another = { ...colleague, email: `another-${colleague.email}` };
    expect(await admin.call('POST', '/people', another)).toMatchObject({ status: 201 });
    await eventually(() => expect(portal.invitationsTo(colleague.email)).toHaveLength(2));
  });

  it('waits for approval: the page of sign-up, the session and every request in TEST mode say so', async () => {
    const { body } = await portal.browser().call('/portal/api/sign-up');
    expect(body).toMatchObject({ open: true, approval: true });
    expect(await isApproved()).toBe(false);
    const { body: issued } = await createKey('TEST');
    const waiting = { mode: 'TEST', organisationApproved: false };
    expect(await callerOf(issued.key)).toMatchObject(waiting);
    await admin.call('POST', '/test/offers/price-estimate', {});
    expect(lastCallerAt(gateway.pricing)).toMatchObject(waiting);
  });

  it('is approved at once if sign-up is open, as one that the platform team registers', async () => {
    await using open = await startPortalUnderTest({ settings: { SIGN_UP: 'open' } });
    expect((await open.browser().call('/portal/api/sign-up')).body).toMatchObject({ approval: false });
    const own = await signUp(open);
    const at = open.clock.now().toISOString();
    expect(await approvalOf(own.organisationId, open.gateway)).toEqual({ at, by: 'open sign-up' });
    expect(await approvalOf(await gateway.register())).toMatchObject({ by: 'console' });
  });
});

describe('LIVE mode of an organisation that is not approved', () => {
  /** A LIVE key from the time when the organisation was approved. */
  async function oldLiveKey() {
    await decide('approve');
    const { body } = await createKey('LIVE');
    await decide('withdraw-approval');
    return body;
  }

  it('has no keys: neither the portal nor the platform team creates or rolls one, but an old one can be disabled', async () => {
    const old = await oldLiveKey();
    expect(await createKey('LIVE')).toMatchObject(refusedInPortal);
    expect(await gateway.admin('POST', `/keys/${old.id}/roll`)).toMatchObject(refusedInPortal);
    expect(await admin.call('POST', '/keys', { mode: 'LIVE', name: 'Till' })).toMatchObject(refusedInPortal);
    expect(await admin.call('POST', `/keys/${old.id}/roll`)).toMatchObject(refusedInPortal);
    expect((await admin.call('POST', `/keys/${old.id}/disable`)).status).toBe(200);
  });

  it('is left to keys after a withdrawal for reading, pausing, resuming and deleting; all else is refused: 401', async () => {
    const { key } = await oldLiveKey();
    for (const { method, path, body } of everyEndpoint) {
      gateway.resetUpstreams();
      const { status, body: said } = await gateway.call(path, { method, key, ...(body && { body }) });
      const isAllowed = isOpen(method, path.split('?')[0] ?? '');
      expect({ method, path, status }).toEqual({ method, path, status: isAllowed ? 200 : 401 });
      if (isAllowed) continue;
      expect(said).toMatchObject({ return_code: 'E1', code: 401, message: withdrawn });
      expectNothingForwarded();
    }
  });

  it('is left to people after a withdrawal, with invoices and the reason; nothing can be bought: 403', async () => {
    await oldLiveKey();
    const at = portal.clock.now().toISOString();
    const { body } = await admin.call('GET', '/session');
    expect(body).toMatchObject({ organisation: { approved: false, withdrawal: { at, reason } } });
    for (const [method, path] of routesWithMode()) {
      gateway.resetUpstreams();
      const json = method === 'GET' || method === 'DELETE' ? undefined : {};
      const { status } = await admin.call(method, `/live${path}`, json);
      expect({ method, path, status }).toEqual({ method, path, status: isOpen(method, path) ? 200 : 403 });
    }
    for (const path of ['/offers', '/offers/price-estimate', '/billing/top-ups'])
      expect(await admin.call('POST', `/live${path}`, {})).toMatchObject({
        status: 403,
        body: { message: withdrawn },
      });
  });

  /** Every route of the portal with a mode, without the mode. */
  function routesWithMode() {
    const ofThePortal = Object.entries({ ...billingPaths, ...portalOfferPaths })
      .filter(([path]) => path.startsWith('/{mode}/'))
      .flatMap(([path, calls]) => Object.keys(calls).map((method) => [method.toUpperCase(), path] as const));
    const ofThePublicApi = [...endpoints, ...webhookEndpoints]
      .filter(({ byApiKeyOnly }) => byApiKeyOnly !== true)
      .map(({ method, path }) => [method.toUpperCase(), `/{mode}${path}`] as const);
    expect(ofThePortal.length).toBeGreaterThan(10);
    return [...ofThePortal, ...ofThePublicApi].map(
      ([method, path]) => [method, path.replace('/{mode}', '').replaceAll(/\{\w+\}|:\w+/g, '17')] as const,
    );
  }

  it('does not exist before the first approval: every route of the portal with a mode is 403, and nothing is forwarded; mail preferences have none', async () => {
    for (const [method, path] of routesWithMode()) {
      const address = `/live${path}`;
      const json = method === 'GET' || method === 'DELETE' ? undefined : {};
      const reply = await admin.call(method, address, json);
      expect({ path, ...reply }).toMatchObject({ path, ...refusedInPortal });
    }
    expectNothingForwarded();
    expect((await admin.call('GET', '/mail-preferences')).status).toBe(200);
  });
});

describe('POST /admin/organisations/{id}/approve and /withdraw-approval', () => {
  it('are in force on every replica once they are answered, for keys and in the portal', async () => {
    const replica = await portal.startReplica();
    const { body: test } = await createKey('TEST');
    expect(await callerOf(test.key, replica)).toMatchObject({ organisationApproved: false });

    expect((await decide('approve')).status).toBe(200);
    expect(await callerOf(test.key, replica)).toMatchObject({ organisationApproved: true });
    const { body: live } = await createKey('LIVE');
    expect(await callerOf(live.key, replica)).toMatchObject({ mode: 'LIVE', organisationApproved: true });
    admin.browser.url = replica;
    expect(await isApproved()).toBe(true);
    expect((await admin.call('GET', '/live/categories')).status).toBe(200);

    expect((await decide('withdraw-approval')).status).toBe(200);
    const estimate = { method: 'POST', body: '{}', key: live.key, base: replica };
    expect((await gateway.call('/offers/price-estimate', estimate)).status).toBe(401);
    expect(await callerOf(test.key, replica)).toMatchObject({ organisationApproved: false });
    expect((await admin.call('POST', '/live/offers/price-estimate', {})).status).toBe(403);
  });

  it('send the admins one mail for each approval and each withdrawal', async () => {
    for (const what of ['approve', 'approve', 'withdraw-approval', 'withdraw-approval'] as const)
      await decide(what);
    const other = await signUp(portal);
    await decide('approve', other.organisationId);
    // Events leave in the order in which they were written.
    await eventually(() => expect(portal.approvalsOf(other.organisationId)).toHaveLength(1));
    expect(portal.approvalsOf(organisationId)).toHaveLength(1);
    expect(portal.withdrawalsOf(organisationId).map(({ data }) => data)).toEqual([
      { organisationId, reason },
    ]);
  });

  it('keep the record of the first approval, and answer 404 for an unknown organisation', async () => {
    const approval = { at: portal.clock.now().toISOString(), by: 'console' };
    expect((await decide('approve')).body).toMatchObject({ id: organisationId, approval });
    portal.clock.advance(60_000);
    expect((await decide('approve')).body).toMatchObject({ approval });
    const withdrawal = { at: portal.clock.now().toISOString(), reason };
    expect((await decide('withdraw-approval')).body).toMatchObject({ approval: null, withdrawal });
    const waiting = (await gateway.admin('GET', '/organisations?approved=false')).body;
    expect((waiting as { organisations: object[] }).organisations).not.toContainEqual(
      expect.objectContaining({ id: organisationId }),
    );
    expect((await decide('approve')).body).toMatchObject({ withdrawal: null });
    expect(
      await gateway.admin('POST', `/organisations/${organisationId}/withdraw-approval`, {}),
    ).toMatchObject(refusal(400, 'reason'));
    for (const what of ['approve', 'withdraw-approval'] as const)
      expect((await decide(what, 999_999)).status).toBe(404);
  });
});

describe('the platform team', () => {
  it('lists the organisations that wait, or those that are approved', async () => {
    const other = await signUp(portal);
    await decide('approve', other.organisationId);
    for (const [approved, id] of [
      [false, organisationId],
      [true, other.organisationId],
    ] as const) {
      const { body } = await gateway.admin('GET', `/organisations?approved=${approved}`);
      const listed = (body as { organisations: { id: number }[] }).organisations.map((one) => one.id);
      const either = new Set([organisationId, other.organisationId]);
      expect(listed.filter((one) => either.has(one))).toEqual([id]);
    }
  });

  it('sees by a metric how many enabled organisations wait', async () => {
    await using fresh = await startPortalUnderTest({ settings: { SIGN_UP: 'approval' } });
    await signUp(fresh);
    const second = await signUp(fresh);
    await fresh.gateway.register();
    await fresh.gateway.admin('POST', `/organisations/${second.organisationId}/disable`);
    // A replica measures when it starts.
    await using replica = await fresh.gateway.startReplica();
    await eventually(async () =>
      expect(await metricOf(replica, 'organisations_waiting_for_approval')).toBe(1),
    );
  });
});
