/** Sign-in by a sign-in service that plays its part by the rules, or breaks them; and what each role may do. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type NeededRole,
  type StaffCall,
  type StaffRole,
  staffCalls,
  staffRoles,
} from '@offer-ads/contracts/admin/staff-calls';
import { hashEntry } from '@offer-ads/platform/admin/tokens';
import { createLogger } from '@offer-ads/platform/telemetry/logging';
import { simulatedRoles } from '@offer-ads/simulators/identity/people';
import { type IdentitySimulator, startIdentitySimulator } from '@offer-ads/simulators/identity/server';
import type { IdentityFaults } from '@offer-ads/simulators/identity/tokens';
import { pagesAreBuilt } from '@offer-ads/testing/built-pages';
import { type TestClock, testClock } from '@offer-ads/testing/clock';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { readConsoleConfig } from '../src/console/config.ts';
import { type Console, startConsole } from '../src/console/service.ts';
import { settingsAt, standInServices } from './admin-under-test.ts';

const publicUrl = 'http://console.test';
const clientSecret = 'a-client-secret-that-only-tests-use-0123456789';
const lines: string[] = [];
let provider: IdentitySimulator;
let console_: Console;
let clock: TestClock;

const { received, address } = standInServices((_call, res) => {
  res.writeHead(200, { 'content-type': 'application/json' });
  res.end('{"done":true}');
});

const start = (issuer: string, env: NodeJS.ProcessEnv = {}) =>
  startConsole(
    readConsoleConfig({
      ...settingsAt(address()),
      PUBLIC_URL: publicUrl,
      PORT: '0',
      CONSOLE_OIDC_ISSUER: issuer,
      CONSOLE_OIDC_CLIENT_ID: 'console',
      CONSOLE_OIDC_CLIENT_SECRET: clientSecret,
      CONSOLE_OIDC_ROLES: simulatedRoles,
      ...env,
    }),
    {
      clock,
      logger: createLogger({
        service: 'console',
        level: 'info',
        destination: { write: (line) => lines.push(line) },
      }),
    },
  );

beforeAll(async () => {
  await pagesAreBuilt();
  clock = testClock('2026-11-20T09:00:00Z');
  provider = await startIdentitySimulator({ clientId: 'console', clientSecret, consoleUrl: publicUrl });
  console_ = await start(provider.issuer);
});
afterAll(async () => {
  await console_[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
});
beforeEach(() => {
  lines.length = 0;
});
afterEach(() => faults({}));

async function faults(asked: IdentityFaults): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify(asked);
  const reply = await fetch(`${provider.url}/sim/identity`, { method: 'POST', headers, body });
  expect(reply.status).toBe(200);
}

type Sent = { method?: string; json?: object; cookie?: string; csrfToken?: string; at?: Console };

async function call(path: string, { method = 'GET', json, cookie, csrfToken, at = console_ }: Sent = {}) {
  const response = await fetch(at.url + path, {
    method,
    redirect: 'manual',
    headers: {
      origin: publicUrl,
      ...(cookie !== undefined && { cookie }),
      ...(csrfToken !== undefined && { 'x-csrf-token': csrfToken }),
      ...(json !== undefined && { 'content-type': 'application/json' }),
    },
    ...(json !== undefined && { body: JSON.stringify(json) }),
  });
  const cookies = response.headers.getSetCookie().map((line) => line.split(';')[0] ?? '');
  return { status: response.status, headers: response.headers, cookies, body: await response.text() };
}

/** What the browser has after the first step: the address at the provider, and the cookie of the attempt. */
async function begin(json: object = {}, at = console_) {
  const reply = await call('/api/sign-in/begin', { method: 'POST', json, at });
  expect(reply.status).toBe(200);
  const { address: there } = JSON.parse(reply.body) as { address: string };
  return {
    there: new URL(there),
    cookie: reply.cookies[0] ?? '',
    setCookie: reply.headers.get('set-cookie') ?? '',
  };
}

/** The provider sends the browser back: the path of the callback, with its query. */
async function choose(person: string, there: URL): Promise<string> {
  const chosen = new URL(there);
  chosen.searchParams.set('login_hint', `${person}@platform.example`);
  const reply = await fetch(chosen, { redirect: 'manual' });
  const back = new URL(reply.headers.get('location') ?? '');
  expect(back.origin).toBe(publicUrl);
  return back.pathname + back.search;
}

const problemOf = ({ headers }: { headers: Headers }) =>
  new URL(headers.get('location') ?? '', publicUrl).searchParams.get('problem');
const sessionIn = (cookies: readonly string[]) => cookies.find((cookie) => /^console=./.test(cookie));

async function signIn(person: string, o: { json?: object; at?: Console } = {}) {
  const { there, cookie } = await begin(o.json, o.at);
  return call(await choose(person, there), { cookie, ...(o.at && { at: o.at }) });
}

async function signedIn(person: string): Promise<{ cookie: string; csrfToken: string }> {
  const reply = await signIn(person);
  const cookie = sessionIn(reply.cookies) ?? '';
  const { body } = await call('/api/session', { cookie });
  return { cookie, csrfToken: (JSON.parse(body) as { csrfToken: string }).csrfToken };
}

describe('sign-in', () => {
  it('leads to the provider with PKCE, state and nonce, and back to the page with a session and the roles', async () => {
    const { there, cookie, setCookie } = await begin({ returnTo: '/offers/7?tab=x' });
    expect(setCookie).toMatch(/^console-sign-in=[\w.-]+; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/);
    expect(Object.fromEntries(there.searchParams)).toMatchObject({
      response_type: 'code',
      redirect_uri: `${publicUrl}/sign-in/callback`,
      code_challenge_method: 'S256',
      scope: 'openid email profile',
    });
    const back = await call(await choose('sam', there), { cookie });
    expect([back.status, back.headers.get('location')]).toEqual([303, '/offers/7?tab=x']);
    expect(back.headers.get('cache-control')).toBe('no-store');
    const session = await call('/api/session', { cookie: sessionIn(back.cookies) ?? '' });
    expect(JSON.parse(session.body)).toEqual({
      name: 'sam@platform.example',
      roles: ['support'],
      isEmergency: false,
      csrfToken: expect.any(String),
    });
    await eventually(() =>
      expect(received).toContainEqual(
        expect.objectContaining({
          call: 'POST /admin/console/sign-ins',
          actor: 'sam@platform.example',
          subject: 'simulated-sam',
          roles: 'support',
          via: 'console',
        }),
      ),
    );
  });

  it('gives each person a secret, state, nonce and challenge of their own', async () => {
    const both = await Promise.all([begin(), begin()]);
    for (const name of ['state', 'nonce', 'code_challenge'])
      expect(new Set(both.map(({ there }) => there.searchParams.get(name))).size).toBe(2);
    expect(both[0].there.href).not.toContain(both[0].cookie.split(/[=.]/)[1]);
  });

  it.each([
    'https://evil.test/',
    '//evil.test',
    '/\\evil.test',
    '/%09/evil.test',
    'javascript:alert(1)',
    '/a b',
  ])('does not lead to %s afterwards', async (returnTo) => {
    const reply = await signIn('ada', { json: { returnTo } });
    expect([reply.status, reply.headers.get('location')]).toEqual([303, '/']);
  });

  it('does not lead to another site when the browser changes its own cookie', async () => {
    const { there, cookie } = await begin();
    const changed = `${cookie.split('.')[0]}.${Buffer.from('//evil.test').toString('base64url')}`;
    const reply = await call(await choose('ada', there), { cookie: changed });
    expect(reply.headers.get('location')).toBe('/');
  });

  it('is refused to a person without a group that has a role, and the refusal says so', async () => {
    const reply = await signIn('nora');
    expect([reply.status, problemOf(reply), sessionIn(reply.cookies)]).toEqual([303, 'no-role', undefined]);
    await eventually(() =>
      expect(received).toContainEqual(
        expect.objectContaining({
          call: 'POST /admin/console/sign-ins',
          actor: 'nora@platform.example',
          subject: 'simulated-nora',
          roles: '',
          body: { result: 'no role' },
        }),
      ),
    );
    await faults({ claims: { groups: ['administrator', 'ads-administrators2', ['ads-administrators'], 7] } });
    expect(problemOf(await signIn('ada'))).toBe('no-role');
    await faults({ claims: { groups: null } });
    expect(problemOf(await signIn('ada'))).toBe('no-role');
  });

  it('is refused to an address that is not verified', async () => {
    await faults({ claims: { email_verified: false } });
    expect(problemOf(await signIn('ada'))).toBe('no-name');
  });

  it('ends a session that was in the browser before, and never takes over its id', async () => {
    const before = await signedIn('vera');
    const { there, cookie } = await begin();
    const back = await call(await choose('ada', there), { cookie: `${cookie}; ${before.cookie}` });
    expect(sessionIn(back.cookies)).not.toBe(before.cookie);
    expect((await call('/api/session', before)).status).toBe(401);
    const planted = 'console=planted-by-an-attacker';
    const again = await begin();
    const reply = await call(await choose('ada', again.there), { cookie: `${again.cookie}; ${planted}` });
    expect(sessionIn(reply.cookies)).not.toBe(planted);
    expect((await call('/api/session', { cookie: planted })).status).toBe(401);
  });
});

describe('the answer of the provider', () => {
  const refusedAs = async (asked: IdentityFaults) => {
    await faults(asked);
    const reply = await signIn('ada');
    expect(sessionIn(reply.cookies)).toBeUndefined();
    return problemOf(reply);
  };
  const seconds = (from: number) => Math.floor(Date.now() / 1_000) + from;

  it.each([
    ['a forged signature', { signature: 'other-key' }],
    ['no signature', { signature: 'none' }],
    ["an HMAC with the client's secret", { signature: 'HS256' }],
    ['an HMAC with the published key', { signature: 'HS256-of-key' }],
    ['the nonce of another sign-in', { claims: { nonce: 'the-nonce-of-another-sign-in' } }],
    ['no nonce', { claims: { nonce: null } }],
    ['another audience', { claims: { aud: 'another-client' } }],
    ['several audiences without being told for whom', { claims: { aud: ['console', 'another-client'] } }],
    ['another issuer', { claims: { iss: 'https://evil.test' } }],
    ['a time that has passed', { claims: { exp: seconds(-60) } }],
    ['no end', { claims: { exp: null } }],
    ['a beginning in the future', { claims: { nbf: seconds(120) } }],
    ['no subject', { claims: { sub: null } }],
  ] satisfies [string, IdentityFaults][])('is refused with %s', async (_what, asked) => {
    expect(await refusedAs(asked)).toBe('invalid');
  });

  it('that is refused is in the audit log, without a name', async () => {
    // Refusals of the tests before no longer count.
    clock.advance(11 * 60_000);
    await refusedAs({ signature: 'none' });
    await eventually(() =>
      expect(received).toContainEqual(
        expect.objectContaining({
          actor: 'unknown',
          body: { result: 'answer of the sign-in service refused' },
        }),
      ),
    );
  });

  it('is accepted while clocks differ by less than half a minute', async () => {
    await faults({ claims: { exp: seconds(-15) } });
    expect(sessionIn((await signIn('ada')).cookies)).toBeDefined();
  });

  it('is refused with the state of another sign-in, or without the cookie of its own', async () => {
    const [mine, other] = await Promise.all([begin(), begin()]);
    const path = await choose('ada', mine.there);
    for (const [cookie, problem] of [
      [other.cookie, 'invalid'],
      ['', 'expired'],
    ] as const) {
      const reply = await call(path, { cookie });
      expect([problemOf(reply), sessionIn(reply.cookies)]).toEqual([problem, undefined]);
    }
    const forged = path.replace(/state=[\w-]+/, 'state=forged-by-an-attacker');
    expect(problemOf(await call(forged, mine))).toBe('invalid');
    // The code was not spent by the attempts.
    expect(sessionIn((await call(path, mine)).cookies)).toBeDefined();
  });

  it('works once: the same code is refused afterwards', async () => {
    const { there, cookie } = await begin();
    const path = await choose('ada', there);
    const first = await call(path, { cookie });
    expect(sessionIn(first.cookies)).toBeDefined();
    // The cookie of the attempt is deleted, and with a copy of it the provider refuses the code.
    expect(first.cookies).toContain('console-sign-in=');
    expect(problemOf(await call(path, { cookie }))).toBe('invalid');
  });

  it('is refused with a code that was stolen from another browser, because its PKCE verifier is there', async () => {
    const [thief, victim] = await Promise.all([begin(), begin()]);
    const stolen = new URLSearchParams((await choose('ada', victim.there)).split('?')[1]).get('code') ?? '';
    const path = (await choose('vera', thief.there)).replace(/code=[\w-]+/, `code=${stolen}`);
    expect(problemOf(await call(path, thief))).toBe('invalid');
  });

  it('is accepted at once after the provider has replaced its keys', async () => {
    expect(sessionIn((await signIn('ada')).cookies)).toBeDefined();
    await fetch(`${provider.url}/sim/identity/rotate`, { method: 'POST' });
    expect(sessionIn((await signIn('ada')).cookies)).toBeDefined();
  });

  it('that says no is told to the person', async () => {
    const { there, cookie } = await begin();
    const query = new URLSearchParams({
      error: 'access_denied',
      state: there.searchParams.get('state') ?? '',
      iss: provider.issuer,
    });
    expect(problemOf(await call(`/sign-in/callback?${query.toString()}`, { cookie }))).toBe('refused');
  });

  it.each([
    ['too long', { padding: 1_000_000 }],
    ['an error', { status: 500 }],
    ['late', { slowMs: 6_000 }],
  ] satisfies [string, IdentityFaults][])('is given up when it is %s', async (_what, asked) => {
    const { there, cookie } = await begin();
    const path = await choose('ada', there);
    await faults(asked);
    const before = performance.now();
    const reply = await call(path, { cookie });
    expect([problemOf(reply), sessionIn(reply.cookies)]).toEqual(['unavailable', undefined]);
    expect(performance.now() - before).toBeLessThan(5_900);
  });

  it('is logged without tokens, codes and secrets', async () => {
    await refusedAs({ signature: 'other-key' });
    const log = lines.join();
    expect(log).toContain('the answer of the sign-in service was refused');
    for (const secret of [clientSecret, 'eyJ', 'code=']) expect(log).not.toContain(secret);
  });
});

describe('a provider that does not answer', () => {
  let away: Server;
  beforeAll(async () => {
    away = createServer((req) => req.socket.destroy()).listen(0, '127.0.0.1');
    await new Promise((resolve) => away.once('listening', resolve));
  });
  afterAll(() => void away.close());

  it('is a clear message, and an emergency token works meanwhile where it is configured', async () => {
    const issuer = `http://127.0.0.1:${(away.address() as AddressInfo).port}`;
    await using alone = await start(issuer);
    const refused = await call('/api/sign-in/begin', { method: 'POST', json: {}, at: alone });
    expect([refused.status, refused.body]).toEqual([
      502,
      expect.stringContaining('sign-in service of your company'),
    ]);
    const ways = await call('/api/sign-in', { at: alone });
    expect(JSON.parse(ways.body)).toEqual({ service: true, emergencyToken: false });
    const json = { name: 'ann', token: 'x'.repeat(32) };
    expect((await call('/api/sign-in', { method: 'POST', json, at: alone })).status).toBe(404);
    await using prepared = await start(issuer, {
      CONSOLE_BREAK_GLASS: hashEntry('ann', json.token, 'console'),
    });
    const opened = await call('/api/sign-in', { method: 'POST', json, at: prepared });
    expect(opened.status).toBe(204);
    const session = await call('/api/session', { cookie: sessionIn(opened.cookies) ?? '', at: prepared });
    expect(JSON.parse(session.body)).toMatchObject({
      name: 'ann',
      roles: ['administrator'],
      isEmergency: true,
    });
  });

  it('with another issuer in its document is not used', async () => {
    await using wrong = await start(provider.url.replace('127.0.0.1', 'localhost'));
    expect((await call('/api/sign-in/begin', { method: 'POST', json: {}, at: wrong })).status).toBe(502);
  });
});

describe('a session', () => {
  it('ends at the provider too', async () => {
    const ada = await signedIn('ada');
    const reply = await call('/api/sign-out', { ...ada, method: 'POST', json: {} });
    const there = new URL((JSON.parse(reply.body) as { address: string }).address);
    expect(there.href.startsWith(`${provider.issuer}/sign-out?`)).toBe(true);
    expect(there.searchParams.get('post_logout_redirect_uri')).toBe(`${publicUrl}/`);
    expect(there.searchParams.get('id_token_hint')).toMatch(/^eyJ/);
    expect((await call('/api/session', ada)).status).toBe(401);
  });
});

describe('a role', () => {
  const people: Readonly<Record<StaffRole, string>> = {
    viewer: 'vera',
    support: 'sam',
    finance: 'fay',
    administrator: 'ada',
  };
  const pathOf = (listed: StaffCall) =>
    `/api${listed.split(' ')[1]}`.replace(/:\w+/g, '7').replace('/7/copy', `/${'0'.repeat(64)}/copy`);

  it.each(staffRoles)('%s may make the calls of the table for it, and no others', async (role) => {
    const person = await signedIn(people[role]);
    for (const [listed, needed] of Object.entries(staffCalls) as [StaffCall, NeededRole][]) {
      const [method = ''] = listed.split(' ');
      const json = method === 'GET' ? {} : { json: { reason: 'a test' } };
      const reply = await call(pathOf(listed), { ...person, method, ...json });
      const isAllowed = role === 'administrator' || needed === 'viewer' || needed.includes(role);
      expect([listed, reply.status === 403]).toEqual([listed, !isAllowed]);
      if (!isAllowed) expect(reply.body).toContain(`This needs the role ${needed}. You have: ${role}`);
    }
    const changes = received.filter(
      ({ call: made }) => !made.startsWith('GET ') && !made.endsWith('/sign-ins'),
    );
    const allowed = Object.entries(staffCalls).filter(
      ([listed, needed]) => !listed.startsWith('GET ') && (role === 'administrator' || needed.includes(role)),
    );
    expect(changes).toHaveLength(allowed.length);
  });

  it('is not taken from the request', async () => {
    const { cookie, csrfToken } = await signedIn('vera');
    const reply = await fetch(`${console_.url}/api/gateway/organisations/7/disable`, {
      method: 'POST',
      headers: {
        cookie,
        'x-csrf-token': csrfToken,
        origin: publicUrl,
        'content-type': 'application/json',
        'x-admin-roles': 'administrator',
        'x-admin-via': 'emergency',
        'x-http-method-override': 'GET',
      },
      body: JSON.stringify({ reason: 'a test', roles: ['administrator'] }),
    });
    expect(reply.status).toBe(403);
    expect(lines.join()).toContain('a call without the role for it');
  });

  it('of several groups are several roles', async () => {
    await faults({ claims: { groups: ['ads-finance', 'ads-support', 'everyone'] } });
    const reply = await signIn('vera');
    const session = await call('/api/session', { cookie: sessionIn(reply.cookies) ?? '' });
    expect(JSON.parse(session.body)).toMatchObject({ roles: ['finance', 'support'] });
  });
});
