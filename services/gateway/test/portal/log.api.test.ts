import { expect, it } from '@jest/globals';
import { forAllTests } from '@offer-ads/testing/for-tests';
import { collectingLogger } from '@offer-ads/testing/logger';
import { startPortalUnderTest } from './portal-under-test.ts';

const { logger, lines } = collectingLogger('trace');
const portal = forAllTests(() => startPortalUnderTest({ logger }));

it('the log of a sign-in and of billing details holds no address, token, cookie or link, whatever goes wrong', async () => {
  const email = 'private.person@cafe.test';
  const organisationId = await portal.organisationOf(email);
  const browser = portal.browser();
  const secrets = [email, 'private.person'];
  const collect = () => secrets.push(browser.cookie?.split('=')[1] ?? '', browser.csrfToken ?? '');
  const see = (by = browser) => by.call('/portal/api/session');
  const post = (path: string, sent: object) =>
    browser.call(`/portal/api${path}`, { method: 'POST', ...sent });

  await browser.ask(email);
  const token = await portal.nextToken(email);
  secrets.push(token);
  await browser.complete(token);
  collect();
  await browser.complete(token);
  const headers = { 'content-type': 'application/json' };
  await post('/sign-in', { body: `{"email": ${email}}`, headers });
  await post('/sign-in', { json: { email: `${email}, ${email}` } });
  await post('/session/organisation', { json: { organisationId: email } });
  const address = '17 Hidden Lane';
  secrets.push(address, '980780684', 'PO 4711');
  const details = { address: [address], vatNumber: 'GB980780684', purchaseOrder: 'PO 4711' };
  const path = '/portal/api/organisation/billing-details';
  const set = (json: object) => browser.call(path, { method: 'PUT', json });
  expect((await set(details)).status).toBe(200);
  expect((await set({ ...details, vatNumber: 'DE980780684' })).status).toBe(400);
  const thief = portal.browser();
  thief.cookie = browser.cookie;
  portal.clock.advance(15 * 60_000);
  await see();
  collect();
  await see();
  portal.clock.advance(60_000);
  await see(thief);
  await portal.database.query('BEGIN');
  await portal.database.query('LOCK TABLE portal_sessions, sign_in_links, people');
  // Both wait until their time is over.
  await Promise.all([
    thief.call('/portal/api/session', { once: true }),
    post('/sign-in/complete', { json: { token }, once: true }),
  ]);
  await portal.database.query('ROLLBACK');
  await portal.gateway.admin('POST', `/organisations/${organisationId}/disable`);

  const log = lines.join('');
  expect(log).toContain('token-stolen');
  expect(log).toContain('/portal/api/sign-in/complete');
  for (const secret of secrets) {
    expect(secret).not.toBe('');
    expect(log).not.toContain(secret);
  }
});
