import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Role, role } from '@offer-ads/contracts/events/gateway';
import { billingPaths } from '@offer-ads/contracts/portal/billing-operations';
import { mailPaths } from '@offer-ads/contracts/portal/mail-operations';
import { portalOfferPaths } from '@offer-ads/contracts/portal/offers-operations';
import { ownPaths } from '@offer-ads/contracts/portal/operations';
import { webhookPaths } from '@offer-ads/contracts/public/openapi';
import { allMails } from '@offer-ads/testing/all-mails';
import { forAllTests } from '@offer-ads/testing/for-tests';
import { callBy, organisationWithRoles, type TestOrganisation } from './members.ts';
import { startPortalUnderTest } from './portal-under-test.ts';

const everybody: readonly Role[] = role.options;
const ofKeys: readonly Role[] = ['admin', 'developer'];
const ofOffers: readonly Role[] = ['admin', 'marketer'];
const viewers: readonly Role[] = ['admin', 'marketer', 'viewer'];
const ofBilling: readonly Role[] = ['admin', 'finance'];
const admins: readonly Role[] = ['admin'];

/** Each route, the roles that may call it, their answer, and a body that changes nothing. */
const routes: readonly [string, string, readonly Role[], number, unknown?][] = [
  ['GET', '/organisation', everybody, 200],
  ['PATCH', '/organisation', admins, 400, { tradingName: '' }],
  ['PUT', '/organisation/time-zone', admins, 400, { timeZone: 'Europe/Nowhere' }],
  ['GET', '/organisation/billing-details', ofBilling, 200],
  ['PUT', '/organisation/billing-details', ofBilling, 400, { address: [] }],
  ['GET', '/places', ofOffers, 200],
  ['POST', '/places', ofOffers, 400, { name: '' }],
  ['PUT', '/places/{id}', ofOffers, 400, { name: '' }],
  ['DELETE', '/places/{id}', ofOffers, 404],
  ['GET', '/people', admins, 200],
  ['POST', '/people', admins, 400, { email: 'nobody', role: 'admin' }],
  ['GET', '/authors', viewers, 200],
  ['PATCH', '/people/{id}', admins, 404, { role: 'admin' }],
  ['POST', '/people/{id}/invitation', admins, 404],
  ['GET', '/spending-limits', admins, 200],
  ['PUT', '/spending-limits', admins, 400, { role: 'viewer' }],
  ['GET', '/terms', everybody, 200],
  ['GET', '/terms/text', everybody, 400],
  ['POST', '/terms/acceptance', admins, 409, { version: 'never published' }],
  ['GET', '/keys', ofKeys, 200],
  ['POST', '/keys', ofKeys, 400, { mode: 'BOTH' }],
  ['PATCH', '/keys/{id}/rights', admins, 404, { access: 'full' }],
  ['POST', '/keys/{id}/roll', ofKeys, 404],
  ['POST', '/keys/{id}/disable', ofKeys, 404],
  ['GET', '/calls', ofKeys, 200],
  ['GET', '/mail-preferences', everybody, 200],
  ['PUT', '/mail-preferences', everybody, 200, { ...allMails, offerEnded: false }],
  ['GET', '/{mode}/balance', ofBilling, 200],
  ['GET', '/{mode}/billing/statement', ofBilling, 200],
  ['GET', '/{mode}/billing/statement.csv', ofBilling, 200],
  ['GET', '/{mode}/billing/low-balance-threshold', ofBilling, 200],
  ['PUT', '/{mode}/billing/low-balance-threshold', ofBilling, 200, { thresholdMinor: null }],
  ['POST', '/{mode}/billing/top-ups', ofBilling, 200, { amountMinor: '1000' }],
  ['POST', '/test/billing/play-money', ofBilling, 200, { amountMinor: '1000' }],
  ['GET', '/{mode}/billing/invoices', ofBilling, 200],
  ['GET', '/{mode}/billing/invoices/{file}', ofBilling, 200],
  ['GET', '/{mode}/offers', viewers, 200],
  ['GET', '/{mode}/offers.csv', viewers, 200],
  ['GET', '/{mode}/results', viewers, 200],
  ['GET', '/link-tags', viewers, 200],
  ['PUT', '/link-tags', admins, 200, { on: false, source: 'a', medium: 'b' }],
  ['POST', '/{mode}/offers/pause', ofOffers, 200, { offer_ids: [1] }],
  ['POST', '/{mode}/offers/resume', ofOffers, 200, { offer_ids: [1] }],
  ['GET', '/{mode}/creations/{idempotency_key}', viewers, 200],
  ['GET', '/{mode}/offers/{offer_id}', viewers, 200],
  ['GET', '/{mode}/offer-groups/{group_id}', viewers, 200],
  ['POST', '/{mode}/offer-groups/check', ofOffers, 200, {}],
  ['GET', '/{mode}/offers/{offer_id}/credit', viewers, 200],
  ['POST', '/{mode}/offers/{offer_id}/review-request', ofOffers, 200],
  ['GET', '/{mode}/offers/{offer_id}/changes', viewers, 200],
  ['GET', '/{mode}/offers/{offer_id}/analytics/series', viewers, 200],
  ['GET', '/{mode}/offers/{offer_id}/analytics.csv', viewers, 200],
  ['GET', '/{mode}/offer-groups/{group_id}/analytics/series', viewers, 200],
  ['GET', '/{mode}/offer-groups/{group_id}/analytics.csv', viewers, 200],
  ['POST', '/test/offers/{offer_id}/simulated-traffic', ofOffers, 200, { views: 1, clicks: 0 }],
  ['GET', '/test/clock', viewers, 200],
  ['POST', '/test/clock', ofOffers, 200, { advance_seconds: 60 }],
  ['DELETE', '/test/clock', ofOffers, 200],
  ['POST', '/{mode}/webhooks', ofKeys, 200, { url: 'https://shop.example/' }],
  ['GET', '/{mode}/webhooks', ofKeys, 200],
  ['POST', '/{mode}/webhooks/{webhook_id}/test', ofKeys, 200],
  ['GET', '/{mode}/webhooks/{webhook_id}/messages', ofKeys, 200],
  ['POST', '/{mode}/webhooks/{webhook_id}/messages/{message_id}/resend', ofKeys, 200],
  ['POST', '/{mode}/webhooks/{webhook_id}/resend', ofKeys, 200, { since: '2026-06-01T12:00:00Z' }],
  ['POST', '/{mode}/webhooks/{webhook_id}/roll-secret', ofKeys, 200],
  ['POST', '/{mode}/webhooks/{webhook_id}/disable', ofKeys, 200],
  ['POST', '/{mode}/webhooks/{webhook_id}/enable', ofKeys, 200],
  ['GET', '/{mode}/webhooks/{webhook_id}', ofKeys, 200],
  ['PUT', '/{mode}/webhooks/{webhook_id}', ofKeys, 200, { url: 'https://shop.example/' }],
  ['DELETE', '/{mode}/webhooks/{webhook_id}', ofKeys, 200],
];

const portal = forAllTests(() => startPortalUnderTest());
let cafe: TestOrganisation;
beforeAll(async () => {
  cafe = await organisationWithRoles(portal);
});

const at = (path: string) =>
  path
    .replace('{id}', '999999')
    .replace('{mode}', 'live')
    .replace('{offer_id}', '999999')
    .replace('{webhook_id}', 'we_999999')
    .replace('{message_id}', 'msg_999999')
    .replace('{idempotency_key}', 'of-nothing')
    .replace('{file}', 'INV-000001.pdf');

describe.each(routes)('%s %s', (method, path, roles, status, json) => {
  it.each(everybody)(`answers the %s as the role allows`, async (role) => {
    const reply = await cafe[role].call(method, at(path), json);
    if (roles.includes(role)) expect(reply.status).toBe(status);
    else {
      expect(reply).toMatchObject({
        status: 403,
        body: { message: 'Your role in the organisation does not allow this' },
      });
    }
  });

  it('is only for signed-in people', async () => {
    const stranger = callBy(portal.browser());
    expect(await stranger(method, at(path), json)).toMatchObject({
      status: 401,
      body: { message: 'Sign in first' },
    });
  });
});

describe('the table above', () => {
  it('names every described route of the portal, except signing in, signing up and sessions', () => {
    const ofOthers = /^\/(sign-|session)/;
    const ofWebhooks = Object.fromEntries(
      Object.entries(webhookPaths).map(([path, calls]) => [`/{mode}${path}`, calls]),
    );
    const ofPortal = { ...ownPaths, ...mailPaths, ...billingPaths, ...portalOfferPaths, ...ofWebhooks };
    const described = Object.entries(ofPortal)
      .filter(([path]) => !ofOthers.test(path))
      .flatMap(([path, calls]) => Object.keys(calls).map((method) => `${method.toUpperCase()} ${path}`));
    expect(routes.map(([method, path]) => `${method} ${path}`)).toEqual(described);
  });
});
