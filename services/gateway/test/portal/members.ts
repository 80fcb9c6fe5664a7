/** An organisation of the portal with a person of each role, all signed in. */
import { expect } from '@jest/globals';
import type { Role } from '@offer-ads/contracts/events/gateway';
import type { Reply } from '../gateway-under-test.ts';
import type { Browser, PortalUnderTest } from './portal-under-test.ts';

export type TestMember = {
  readonly id: number;
  readonly email: string;
  readonly browser: Browser;
  /** The path is below `/portal/api`. */
  readonly call: (
    method: string,
    path: string,
    json?: unknown,
    o?: { once?: boolean; headers?: Record<string, string> },
  ) => Promise<Reply>;
};
export type TestOrganisation = Readonly<Record<Role, TestMember>> & { readonly organisationId: number };

let organisations = 0;

export async function organisationWithRoles(portal: PortalUnderTest): Promise<TestOrganisation> {
  const place = `cafe-${(organisations += 1)}.test`;
  const organisationId = await portal.organisationOf(`admin@${place}`);
  const invite = async (role: Role) => {
    const email = `${role}@${place}`;
    await portal.gateway.admin('POST', `/organisations/${organisationId}/people`, { email, role });
    return signedIn(portal, email);
  };
  const [admin, developer, marketer, finance, viewer] = await Promise.all([
    signedIn(portal, `admin@${place}`),
    invite('developer'),
    invite('marketer'),
    invite('finance'),
    invite('viewer'),
  ]);
  return { organisationId, admin, developer, marketer, finance, viewer };
}

export async function signedIn(portal: PortalUnderTest, email: string): Promise<TestMember> {
  const browser = portal.browser();
  const reply = await browser.signIn(email);
  expect(reply.status).toBe(200);
  const { person } = reply.body as { person: { id: number } };
  return { id: person.id, email, browser, call: callBy(browser) };
}

export function callBy(browser: Browser): TestMember['call'] {
  return (method, path, json, o) =>
    browser.call(`/portal/api${path}`, { method, ...(json !== undefined && { json }), ...o });
}
