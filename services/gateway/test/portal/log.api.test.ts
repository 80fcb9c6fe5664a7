import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLogger } from '@offer-ads/platform/telemetry/logging';
import { type PortalUnderTest, startPortalUnderTest } from './portal-under-test.ts';

const lines: string[] = [];
let portal: PortalUnderTest;

beforeAll(async () => {
  const destination = { write: (line: string) => void lines.push(line) };
  portal = await startPortalUnderTest({
    logger: createLogger({ service: 'gateway', level: 'trace', destination }),
  });
});
afterAll(async () => portal[Symbol.asyncDispose]());

describe('the log of a sign-in', () => {
  it('holds no address, token, cookie or link, whatever goes wrong on the way', async () => {
    const email = 'private.person@cafe.test';
    const organisationId = await portal.organisationOf(email);
    const browser = portal.browser();
    const secrets = [email, 'private.person'];
    const collect = () => secrets.push(browser.cookie?.split('=')[1] ?? '', browser.csrfToken ?? '');

    await browser.ask(email);
    const token = await portal.nextToken(email);
    secrets.push(token);
    await browser.complete(token);
    collect();
    await browser.complete(token);
    await browser.call('/portal/api/sign-in', {
      method: 'POST',
      body: `{"email": ${email}}`,
      headers: { 'content-type': 'application/json' },
    });
    await browser.call('/portal/api/sign-in', { method: 'POST', json: { email: `${email}, ${email}` } });
    await browser.call('/portal/api/session/organisation', {
      method: 'POST',
      json: { organisationId: email },
    });
    const thief = portal.browser();
    thief.cookie = browser.cookie;
    portal.clock.advance(15 * 60_000);
    await browser.call('/portal/api/session');
    collect();
    await browser.call('/portal/api/session');
    portal.clock.advance(60_000);
    await thief.call('/portal/api/session');
    await portal.database.query('BEGIN');
    await portal.database.query('LOCK TABLE portal_sessions, sign_in_links, people');
    await thief.call('/portal/api/session', { once: true });
    const json = { token };
    await browser.call('/portal/api/sign-in/complete', { method: 'POST', json, once: true });
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
});
