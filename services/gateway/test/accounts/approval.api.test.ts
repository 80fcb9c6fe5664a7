/** Organisations that the platform team has not approved: TEST mode with made-up members, no LIVE mode; and how that changes. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { CallerContext } from '@offer-ads/contracts/internal/caller-context';
import { billingPaths } from '@offer-ads/contracts/portal/billing-operations';
import { portalOfferPaths } from '@offer-ads/contracts/portal/offers-operations';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { endpoints } from '../../src/http/endpoints.ts';
import { everyEndpoint } from '../every-endpoint.ts';
import type { Reply } from '../gateway-under-test.ts';
import { callBy, type TestMember } from '../portal/members.ts';
import { type PortalUnderTest, startPortalUnderTest } from '../portal/portal-under-test.ts';

const message =
  'Your organisation is not approved for LIVE mode yet. Use TEST mode until the platform team has approved it.';
const refusedForKeys = { status: 401, body: { return_code: 'E1', status: 'Error', code: 401, message } };
const refusedInPortal = { status: 403, body: { message } };

let portal: PortalUnderTest;
beforeAll(async () => {
  portal = await startPortalUnderTest({ settings: { SIGN_UP: 'approval' } });
});
afterAll(async () => portal[Symbol.asyncDispose]());

let organisationId: number;
let admin: TestMember;
let people = 0;
beforeEach(async () => {
  ({ organisationId, admin } = await signUp(portal));
});

/** Somebody registers an organisation by themselves. */
async function signUp(on: PortalUnderTest): Promise<{ organisationId: number; admin: TestMember }> {
  const email = `owner-${(people += 1)}@bakery.test`;
  const browser = on.browser();
  const wish = { name: 'Bakery', tradingName: 'Bakery', country: 'GB', currency: 'GBP', email };
  await browser.call('/portal/api/sign-up', { method: 'POST', json: wish });
  const token = await eventually(() => {
    const url = on.signUpMailsTo(email)[0]?.data.url;
    if (url === undefined) throw new Error('no mail yet');
    return new URL(url).hash.slice(1);
  });
  const { body } = await browser.call('/portal/api/sign-up/complete', { method: 'POST', json: { token } });
  const { organisation, person } = body as { organisation: { id: number }; person: { id: number } };
  return { organisationId: organisation.id, admin: { ...person, email, browser, call: callBy(browser) } };
}

const decide = (what: 'approve' | 'withdraw-approval', id = organisationId) =>
  portal.gateway.admin('POST', `/organisations/${id}/${what}`, {});
const createKey = (mode: string) =>
  portal.gateway.admin('POST', '/keys', { organisationId, mode }) as Promise<
    Reply & { body: { id: number; key: string } }
  >;
const isApproved = async () => {
  const { body } = await admin.call('GET', '/session');
  return (body as { organisation: { approved: boolean } }).organisation.approved;
};

/** What pricing is told of the caller of an estimate. */
async function contextOf(key: string, base = portal.gateway.url): Promise<CallerContext> {
  const call = { method: 'POST', key, body: '{}', base };
  expect((await portal.gateway.call('/offers/price-estimate', call)).status).toBe(200);
  return lastContext();
}

function lastContext(): CallerContext {
  const token = String(portal.gateway.pricing.seen.at(-1)?.headers['x-caller-context']);
  return JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()) as CallerContext;
}

const services = ['offers', 'pricing', 'billing', 'notifier'] as const;
const forwarded = () => services.flatMap((service) => portal.gateway[service].seen).length;

describe('an organisation that somebody registered by themselves', () => {
  it('sends invitations to nobody until it is approved, and then to anybody: 403, 201', async () => {
    const colleague = { email: `colleague-${people}@bakery.test`, role: 'marketer' };
    const refused = { status: 403, body: { message: expect.stringContaining('approved') } };
    expect(await admin.call('POST', '/people', colleague)).toMatchObject(refused);
    // The platform team may invite anybody.
    const path = `/organisations/${organisationId}/people`;
    const added = await portal.gateway.admin('POST', path, colleague);
    expect(added).toMatchObject({ status: 201 });
    const { id } = added.body as { id: number };
    expect(await admin.call('POST', `/people/${id}/invitation`)).toMatchObject(refused);
    await decide('approve');
    expect(await admin.call('POST', `/people/${id}/invitation`)).toMatchObject({ status: 200 });
    const another = { ...colleague, email: `another-${colleague.email}` };
    expect(await admin.call('POST', '/people', another)).toMatchObject({ status: 201 });
    await eventually(() => expect(portal.invitationsTo(colleague.email)).toHaveLength(2));
  });

  it('is told on the page where it registers that it will wait, where it will', async () => {
    const { body } = await portal.browser().call('/portal/api/sign-up');
    expect(body).toMatchObject({ open: true, approval: true });
  });

  it('waits for approval, and services are told so with every request in TEST mode', async () => {
    expect(await isApproved()).toBe(false);
    const { body } = await createKey('TEST');
    expect(await contextOf(body.key)).toMatchObject({ mode: 'TEST', organisationApproved: false });
    await admin.call('POST', '/test/offers/price-estimate', {});
    expect(lastContext()).toMatchObject({ mode: 'TEST', organisationApproved: false });
  });

  it('is approved at once where sign-up is open, and when the platform team registers it', async () => {
    await using open = await startPortalUnderTest({ settings: { SIGN_UP: 'open' } });
    expect((await open.browser().call('/portal/api/sign-up')).body).toMatchObject({ approval: false });
    const own = await signUp(open);
    expect((await open.gateway.admin('GET', `/organisations/${own.organisationId}`)).body).toMatchObject({
      approval: { at: open.clock.now().toISOString(), by: 'open sign-up' },
    });
    const registered = await portal.gateway.register();
    expect((await portal.gateway.admin('GET', `/organisations/${registered}`)).body).toMatchObject({
      approval: { by: 'console' },
    });
  });
});

describe('LIVE mode of an organisation that is not approved', () => {
  it('has no key: neither the portal nor the platform team can make or roll one, but anybody may disable an old one', async () => {
    await decide('approve');
    const { body: old } = await createKey('LIVE');
    await decide('withdraw-approval');
    expect(await createKey('LIVE')).toMatchObject(refusedInPortal);
    expect(await portal.gateway.admin('POST', `/keys/${old.id}/roll`)).toMatchObject(refusedInPortal);
    expect(await admin.call('POST', '/keys', { mode: 'LIVE', name: 'Till' })).toMatchObject(refusedInPortal);
    expect(await admin.call('POST', `/keys/${old.id}/roll`)).toMatchObject(refusedInPortal);
    expect((await admin.call('POST', `/keys/${old.id}/disable`)).status).toBe(200);
  });

  it('is refused to its keys at every endpoint of the public API, and nothing is passed on', async () => {
    await decide('approve');
    const { body: live } = await createKey('LIVE');
    await decide('withdraw-approval');
    const before = forwarded();
    for (const { method, path, body } of everyEndpoint) {
      const reply = await portal.gateway.call(path, { method, key: live.key, ...(body && { body }) });
      expect({ path, ...reply }).toMatchObject({ path, ...refusedForKeys });
    }
    expect(forwarded()).toBe(before);
  });

  it('is refused at every call of the portal that names a mode, and nothing is passed on', async () => {
    const ofThePortal = Object.entries({ ...billingPaths, ...portalOfferPaths })
      .filter(([path]) => path.startsWith('/{mode}/'))
      .flatMap(([path, calls]) => Object.keys(calls).map((method) => [method.toUpperCase(), path] as const));
    const ofThePublicApi = endpoints.map(
      ({ method, path }) => [method.toUpperCase(), `/{mode}${path}`] as const,
    );
    expect(ofThePortal.length).toBeGreaterThan(10);
    const before = forwarded();
    for (const [method, path] of [...ofThePortal, ...ofThePublicApi]) {
      const address = path.replace('{mode}', 'live').replaceAll(/\{\w+\}|:\w+/g, '17');
      const json = method === 'GET' || method === 'DELETE' ? undefined : {};
      expect({ path, ...(await admin.call(method, address, json)) }).toMatchObject({
        path,
        ...refusedInPortal,
      });
    }
    expect(forwarded()).toBe(before);
  });

  it('is not needed to choose the mails that one gets', async () => {
    expect((await admin.call('GET', '/mail-preferences')).status).toBe(200);
  });
});

describe('POST /admin/organisations/{id}/approve and /withdraw-approval', () => {
  it('are in force on every replica once they have answered, for keys and in the portal', async () => {
    const replica = await portal.startReplica();
    const { body: test } = await createKey('TEST');
    expect(await contextOf(test.key, replica)).toMatchObject({ organisationApproved: false });

    expect((await decide('approve')).status).toBe(200);
    expect(await contextOf(test.key, replica)).toMatchObject({ organisationApproved: true });
    const { body: live } = await createKey('LIVE');
    expect(await contextOf(live.key, replica)).toMatchObject({ mode: 'LIVE', organisationApproved: true });
    admin.browser.url = replica;
    expect(await isApproved()).toBe(true);
    expect((await admin.call('GET', '/live/categories')).status).toBe(200);

    expect((await decide('withdraw-approval')).status).toBe(200);
    expect(await portal.gateway.call('/categories', { key: live.key, base: replica })).toMatchObject(
      refusedForKeys,
    );
    expect(await contextOf(test.key, replica)).toMatchObject({ organisationApproved: false });
    expect(await admin.call('GET', '/live/categories')).toMatchObject(refusedInPortal);
  });

  it('tell the admins of the organisation, once for each approval and not for a withdrawal', async () => {
    await decide('approve');
    await decide('approve');
    await decide('withdraw-approval');
    const other = await signUp(portal);
    await decide('approve', other.organisationId);
    // Events leave in the order in which they were written.
    await eventually(() => expect(portal.approvalsOf(other.organisationId)).toHaveLength(1));
    expect(portal.approvalsOf(organisationId)).toHaveLength(1);
  });

  it('keep who approved first and when, and answer 404 for an organisation that does not exist', async () => {
    const approval = { at: portal.clock.now().toISOString(), by: 'console' };
    expect((await decide('approve')).body).toMatchObject({ id: organisationId, approval });
    portal.clock.advance(60_000);
    expect((await decide('approve')).body).toMatchObject({ approval });
    expect((await decide('withdraw-approval')).body).toMatchObject({ approval: null });
    for (const what of ['approve', 'withdraw-approval'] as const)
      expect((await decide(what, 999_999)).status).toBe(404);
  });
});

describe('GET /admin/organisations?approved=', () => {
  it('lists those that wait, or those that are approved', async () => {
    const listed = async (query: string) => {
      const { body } = await portal.gateway.admin('GET', `/organisations?${query}`);
      return (body as { organisations: { id: number }[] }).organisations.map(({ id }) => id);
    };
    const other = await signUp(portal);
    await decide('approve', other.organisationId);
    expect(await listed('approved=false')).toContain(organisationId);
    expect(await listed('approved=false')).not.toContain(other.organisationId);
    expect(await listed('approved=true')).toContain(other.organisationId);
    expect(await listed('approved=true')).not.toContain(organisationId);
  });
});

describe('the metrics', () => {
  it('tell how many organisations wait and since when, without those that were disabled', async () => {
    await using fresh = await startPortalUnderTest({ settings: { SIGN_UP: 'approval' } });
    await signUp(fresh);
    const second = await signUp(fresh);
    await fresh.gateway.register();
    await fresh.gateway.admin('POST', `/organisations/${second.organisationId}/disable`);
    fresh.clock.advance(3_600_000);
    // A replica looks when it starts.
    const replica = await fresh.startReplica();
    const told = async () => (await fetch(`${replica}/metrics`)).text();
    await eventually(async () =>
      expect(await told()).toMatch(/^organisations_waiting_for_approval\{[^}]*\} 1$/m),
    );
    expect(await told()).toMatch(/^organisations_waiting_oldest_seconds\{[^}]*\} 3600$/m);
  });
});
