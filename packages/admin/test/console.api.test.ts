/** The staff's console, with a stand-in for all services. */
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { adminCredential, hashEntry } from '@offer-ads/platform/admin/tokens';
import { createLogger } from '@offer-ads/platform/telemetry/logging';
import { pagesAreBuilt } from '@offer-ads/testing/built-pages';
import { type TestClock, testClock } from '@offer-ads/testing/clock';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { readConsoleConfig } from '../src/console/config.ts';
import { type Console, startConsole } from '../src/console/service.ts';
import { token as adminToken, settingsAt, standInServices } from './admin-under-test.ts';

const annToken = 'anns-access-token-that-only-tests-ever-use';
const boToken = 'bos-access-token-that-only-tests-ever-use-0';
const staffEntry = (name: string, token: string) => hashEntry(name, token, 'console');
const publicUrl = 'https://console.test';

let answer: { status: number; type: string; body: string; disposition?: string };
const lines: string[] = [];
let clock: TestClock;
let console_: Console;
let folder: string;
let staffFile: string;

const { received: everything, address } = standInServices((_call, res) => {
  const { status, type, disposition } = answer;
  const named = disposition === undefined ? {} : { 'content-disposition': disposition };
  res.writeHead(status, { 'content-type': type, 'set-cookie': 'from=service', ...named });
  res.end(answer.body);
});

/** Without the reports of sign-ins, which nobody waits for. */
const received = () => everything.filter(({ call }) => call !== 'POST /admin/console/sign-ins');

/** Refused sign-ins that are reported to the audit log: who, and why. */
const refusals = () =>
  everything
    .filter(({ call }) => call === 'POST /admin/console/sign-ins')
    .map(({ actor, body }) => [actor, (body as { result: string }).result])
    .filter(([, result]) => result !== 'signed in');

beforeAll(async () => {
  await pagesAreBuilt();
  folder = mkdtempSync(join(tmpdir(), 'console-staff-'));
  staffFile = join(folder, 'staff');
  writeStaff(`${staffEntry('ann', annToken)},${staffEntry('bo', boToken)}`);
  clock = testClock('2026-11-20T09:00:00Z');
  const config = readConsoleConfig({
    ...settingsAt(address()),
    NOTIFIER_ADMIN_URL: 'http://127.0.0.1:1',
    CONSOLE_BREAK_GLASS_FILE: staffFile,
    PUBLIC_URL: publicUrl,
    PORT: '0',
  });
  const destination = { write: (line: string) => lines.push(line) };
  const logger = createLogger({ service: 'console', level: 'info', destination });
  console_ = await startConsole(config, { clock, logger });
});
afterAll(async () => {
  await console_[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  writeStaff(`${staffEntry('ann', annToken)},${staffEntry('bo', boToken)}`);
  // Attempts of the previous test no longer count, and the file is read again.
  clock.advance(11 * 60_000);
  lines.length = 0;
  answer = { status: 200, type: 'application/json', body: '{"done":true}' };
});

function writeStaff(staff: string): void {
  writeFileSync(staffFile, `${staff}\n`);
  chmodSync(staffFile, 0o600);
}

type Caller = { cookie?: string; csrfToken?: string };
type Sent = { method?: string; json?: unknown; headers?: Record<string, string> };

async function call(path: string, { cookie, csrfToken }: Caller = {}, o: Sent = {}) {
  const response = await fetch(console_.url + path, {
    method: o.method ?? 'GET',
    headers: {
      origin: publicUrl,
      'sec-fetch-site': 'same-origin',
      ...(cookie !== undefined && { cookie }),
      ...(csrfToken !== undefined && { 'x-csrf-token': csrfToken }),
      ...(o.json !== undefined && { 'content-type': 'application/json' }),
      ...o.headers,
    },
    ...(o.json !== undefined && { body: JSON.stringify(o.json) }),
  });
  return { status: response.status, headers: response.headers, body: await response.text() };
}

/** Sends the path as it is: `fetch` would resolve the dots. */
async function statusOf(method: string, path: string, { cookie, csrfToken }: Caller): Promise<number> {
  const headers = { origin: publicUrl, cookie, 'x-csrf-token': csrfToken };
  const sent = request(console_.url, { method, path, headers }).end();
  const [reply] = (await once(sent, 'response')) as [IncomingMessage];
  reply.resume();
  await once(reply, 'end');
  return reply.statusCode ?? 0;
}

const signInAs = (name: string, token: string, o: Sent = {}) =>
  call('/api/sign-in', {}, { method: 'POST', json: { name, token }, ...o });

async function signedIn(name = 'ann', token = annToken): Promise<Required<Caller>> {
  const reply = await signInAs(name, token);
  expect(reply.status).toBe(204);
  const cookie = reply.headers.get('set-cookie')?.split(';')[0] ?? '';
  const session = await call('/api/session', { cookie });
  return { cookie, csrfToken: (JSON.parse(session.body) as { csrfToken: string }).csrfToken };
}

const disable = (caller: Caller, o: Sent = {}) =>
  call('/api/gateway/organisations/3/disable', caller, { method: 'POST', json: { reason: 'unpaid' }, ...o });

describe('sign-in with an emergency token', () => {
  it('takes a name and its token, and sets a cookie that only pages of this origin send', async () => {
    const reply = await signInAs('ann', annToken);
    expect([reply.status, reply.body]).toEqual([204, '']);
    expect(reply.headers.get('set-cookie')).toMatch(
      /^__Host-console=[\w-]{43}; Max-Age=28800; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
    );
    expect(lines.join()).toContain(
      '"actor":"ann","via":"emergency","msg":"signed in to the console with an emergency token"',
    );
    await eventually(() =>
      expect(everything).toContainEqual(
        expect.objectContaining({
          call: 'POST /admin/console/sign-ins',
          actor: 'ann',
          roles: 'administrator',
          via: 'emergency',
          body: { result: 'signed in' },
        }),
      ),
    );
  });

  it.each([
    ['a wrong token', 'ann', boToken],
    ['an unknown name', 'somebody-unknown', annToken],
    ['nothing', '', ''],
  ])('refuses %s with the same message, and logs neither name nor token', async (_what, name, token) => {
    const reply = await signInAs(name, token);
    expect([reply.status, JSON.parse(reply.body)]).toEqual([
      401,
      { message: 'The name or the emergency token is wrong' },
    ]);
    expect(reply.headers.get('set-cookie')).toBeNull();
    expect(lines.some((line) => line.includes('"audit":true'))).toBe(true);
    expect(lines.join()).not.toContain(annToken);
    expect(lines.join()).not.toContain('somebody-unknown');
    await eventually(() =>
      expect(refusals()).toEqual([[name === 'ann' ? 'ann' : 'unknown', 'wrong emergency token']]),
    );
  });

  it('is refused from another site', async () => {
    const foreign = await signInAs('ann', annToken, { headers: { origin: 'https://evil.test' } });
    expect(foreign.status).toBe(403);
  });

  it('is refused to a person after ten attempts, and not to others at the same address', async () => {
    for (let attempt = 0; attempt < 10; attempt += 1)
      expect((await signInAs('ann', 'wrong')).status).toBe(401);
    const tooMany = await signInAs('ann', annToken);
    expect(tooMany.status).toBe(429);
    expect(Number(tooMany.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await signInAs('bo', boToken)).status).toBe(204);
  });

  it('that is refused again and again has a bounded number of entries in the audit log', async () => {
    for (let name = 0; name < 15; name += 1) await signInAs(`made-up-${name}`, 'wrong');
    await signedIn();
    await eventually(() =>
      expect(everything).toContainEqual(expect.objectContaining({ body: { result: 'signed in' } })),
    );
    // Reports of the test before may come late.
    expect(refusals().filter(([actor]) => actor === 'unknown')).toHaveLength(10);
  });
});

describe('without a session', () => {
  it.each([
    '/api/session',
    '/api/health',
    '/api/gateway/organisations',
    '/api/moderation/pictures',
    '/api/x',
  ])('%s answers 401 and asks no service', async (path) => {
    for (const cookie of [undefined, '__Host-console=made-up'])
      expect((await call(path, { ...(cookie && { cookie }) })).status).toBe(401);
    expect(received()).toEqual([]);
  });
});

describe('a session', () => {
  it('ends for a person whose emergency token is removed, and for all with one when the file is wrong', async () => {
    const ann = await signedIn();
    const bo = await signedIn('bo', boToken);
    writeStaff(staffEntry('bo', boToken));
    clock.advance(1_001);
    expect((await disable(ann)).status).toBe(401);
    expect((await disable(bo)).status).toBe(200);
    writeStaff('not a list');
    clock.advance(1_001);
    expect((await disable(bo)).status).toBe(401);
    expect(lines.join()).toContain('nobody can sign in with an emergency token');
  });

  it('ends when its person signs out', async () => {
    const ann = await signedIn();
    const reply = await call('/api/sign-out', ann, { method: 'POST' });
    expect([reply.status, reply.body]).toEqual([200, '{"address":null}']);
    expect((await call('/api/session', ann)).status).toBe(401);
  });
});

describe('a change', () => {
  it('is made with the name of the session and the credential of the service, which the browser never sees', async () => {
    const reply = await disable(await signedIn(), { headers: { 'x-admin-actor': 'bo' } });
    expect([reply.status, reply.body]).toEqual([200, '{"done":true}']);
    expect(received()).toEqual([
      {
        call: 'POST /admin/organisations/3/disable',
        actor: 'ann',
        subject: '',
        roles: 'administrator',
        via: 'emergency',
        requestId: expect.stringMatching(/^[\w-]{8,}$/),
        token: `Bearer ${adminCredential(adminToken, 'gateway')}`,
        owner: 'gateway',
        body: { reason: 'unpaid' },
      },
    ]);
    const seen = [...reply.headers.values()].join();
    for (const secret of [adminToken, adminCredential(adminToken, 'gateway')])
      expect(seen).not.toContain(secret);
    expect(reply.headers.get('set-cookie')).toBeNull();
  });

  it.each([
    ['without the token of the session', {}, { csrfToken: '' }],
    ['with the token of another session', {}, { csrfToken: 'made-up' }],
    ['from another site', { headers: { 'sec-fetch-site': 'cross-site' } }, {}],
    ['from another origin', { headers: { origin: 'https://evil.test' } }, {}],
  ])('is refused %s', async (_how, sent, other) => {
    expect((await disable({ ...(await signedIn()), ...other }, sent)).status).toBe(403);
    expect(received()).toEqual([]);
  });

  it.each([
    ['an organisation', '/api/gateway/organisations/3/disable', { reason: 'unpaid' }],
    ['a picture', '/api/moderation/rulings', { action: 'block', name: '0'.repeat(64), reason: 'stolen' }],
    ['a refund', '/api/billing/card-problems/settle', { id: 're_1', borneBy: 'platform', reason: 'ours' }],
    [
      'a balance',
      '/api/billing/balances/top-up',
      { organisationId: 3, amountMinor: '100', reason: 'goodwill' },
    ],
    ['a fixing', '/api/pricing/rates/refresh', { acceptJump: '2026-11-20', reason: 'it is true' }],
    ['an approval', '/api/gateway/organisations/3/withdraw-approval', { reason: 'approved by mistake' }],
    ['a placement key', '/api/gateway/placement-keys/3/roll', { overlapHours: 24, reason: 'each year' }],
    ['parked events', '/api/offers/parked/drop', { ids: ['a', 'b'], reason: 'unreadable' }],
  ])('of %s asks a second person first, whose page is older', async (_what, path, json) => {
    const [ann, bo] = [await signedIn(), await signedIn('bo', boToken)];
    expect((await call(path, ann, { method: 'POST', json })).status).toBe(200);
    clock.advance(30_000);
    const again = (seenMsAgo: string) =>
      call(path, bo, { method: 'POST', json, headers: { 'x-seen-ms-ago': seenMsAgo } });
    const second = await again('60000');
    expect([second.status, second.body]).toEqual([
      409,
      expect.stringMatching(
        `Meanwhile ann has decided about this, 30 seconds ago: .*, because: ${json.reason}`,
      ),
    ]);
    expect(received()).toHaveLength(1);
    expect((await again('10000')).status).toBe(200);
  });

  it('that a service refused does not count as a decision', async () => {
    answer = { status: 409, type: 'application/json', body: '{"message":"too low"}' };
    expect((await disable(await signedIn())).status).toBe(409);
    answer = { status: 200, type: 'application/json', body: '{"done":true}' };
    const bo = await signedIn('bo', boToken);
    expect((await disable(bo, { headers: { 'x-seen-ms-ago': '60000' } })).status).toBe(200);
  });

  it('of the catalogue is passed on as PUT', async () => {
    const json = { version: 7, categories: [], interests: [], reason: 'retired' };
    const ann = await signedIn();
    expect((await call('/api/offers/catalogue', ann, { method: 'PUT', json })).status).toBe(200);
    expect(received()).toMatchObject([
      { call: 'PUT /admin/catalogue', owner: 'offers', body: json, actor: 'ann' },
    ]);
    const other = await call('/api/offers/catalogue', { ...ann, csrfToken: '' }, { method: 'PUT', json });
    expect([other.status, received().length]).toEqual([403, 1]);
  });

  it('may have the longest text of terms, also escaped; a sign-in may not', async () => {
    const text = 'ä'.repeat(100_000);
    const escaped = JSON.stringify({ version: '2026-12', text }).replaceAll('ä', String.raw`\ud83d\ude00`);
    const ann = await signedIn();
    const headers = { 'content-type': 'application/json' };
    const send = (path: string, caller: Caller) =>
      fetch(console_.url + path, {
        method: 'POST',
        headers: {
          ...headers,
          origin: publicUrl,
          cookie: caller.cookie ?? '',
          'x-csrf-token': caller.csrfToken ?? '',
        },
        body: escaped,
      });
    expect((await send('/api/gateway/terms', ann)).status).toBe(200);
    expect((await send('/api/sign-in', {})).status).toBe(413);
  });

  it('without a page is not passed on', async () => {
    const ann = await signedIn();
    for (const path of ['/api/gateway/keys', '/api/billing/payments/7/void', '/api/pricing/members/import'])
      expect((await call(path, ann, { method: 'POST', json: {} })).status).toBe(404);
    for (const path of ['/api/gateway/parked', '/api/moderation/parked', '/api/gateway/..%2flivez'])
      expect((await call(path, ann)).status).toBe(404);
    expect(received()).toEqual([]);
  });

  it('is not passed on to a route that dots in the path lead to', async () => {
    const ann = await signedIn();
    for (const dots of ['.', '..', '%2e', '%2e%2e', '.%2E'])
      for (const path of [`gateway/organisations/${dots}`, `gateway/organisations/${dots}/keys`])
        expect(await statusOf('GET', `/api/${path}`, ann)).toBe(404);
    expect(await statusOf('POST', '/api/offers/offers/%2e%2e/disable', ann)).toBe(404);
    expect(received()).toEqual([]);
  });
});

describe('the reply of a service', () => {
  it('is passed on with its status; query and ids reach it unchanged', async () => {
    answer = { status: 409, type: 'application/json', body: '{"message":"Offer is already disabled"}' };
    const ann = await signedIn();
    const refused = await call('/api/offers/offers/7/disable', ann, { method: 'POST', json: {} });
    expect([refused.status, refused.body]).toEqual([409, answer.body]);
    await call('/api/gateway/organisations?search=a%26b&limit=5', ann);
    await call('/api/offers/offers/..%2F..%2Flivez', ann);
    expect(received().map((one) => one.call)).toEqual([
      'POST /admin/offers/7/disable',
      'GET /admin/organisations?search=a%26b&limit=5',
      'GET /admin/offers/..%2F..%2Flivez',
    ]);
  });

  it('is passed on as a picture where it is one, and never as something that a browser runs', async () => {
    const ann = await signedIn();
    const name = '0'.repeat(64);
    answer = { status: 200, type: 'application/json', body: JSON.stringify({ jpegBase64: 'AAEC' }) };
    const copy = await call(`/api/moderation/pictures/${name}/copy`, ann);
    expect([copy.headers.get('content-type'), copy.body]).toEqual(['image/jpeg', '\0\u0001\u0002']);
    answer = { status: 200, type: 'text/html', body: '<script>' };
    expect((await call(`/api/offers/images/${name}`, ann)).status).toBe(502);
  });

  it('is passed on as an invoice to download, with its name', async () => {
    const disposition = 'attachment; filename="INV-000001.pdf"';
    answer = { status: 200, type: 'application/pdf', body: '%PDF', disposition };
    const invoice = await call('/api/billing/invoices/INV-000001.pdf', await signedIn());
    const { headers } = invoice;
    expect([headers.get('content-type'), headers.get('content-disposition'), invoice.body]).toEqual([
      'application/pdf',
      disposition,
      '%PDF',
    ]);
    expect(received()).toMatchObject([{ call: 'GET /admin/invoices/INV-000001.pdf', owner: 'billing' }]);
  });

  it('becomes 502, not 401, when the credential is refused or the service is away', async () => {
    const ann = await signedIn();
    answer = { status: 401, type: 'application/json', body: '{}' };
    expect((await call('/api/gateway/organisations', ann)).status).toBe(502);
    const away = await call('/api/notifier/parked', ann);
    expect([away.status, away.body]).toEqual([502, expect.stringContaining('notifier does not answer')]);
    expect(away.body).not.toContain('127.0.0.1');
  });
});

describe('the audit log', () => {
  const entry = {
    id: '00000000-0000-4000-8000-000000000001',
    at: '2026-11-20T09:00:00.000Z',
    actor: 'ann',
    subject: null,
    roles: [],
    via: 'console',
    action: 'POST /offers/:id/disable',
    targets: ['offers/7'],
    organisationId: 3,
    reason: '=stolen',
    details: {},
    requestId: 'a-request',
    traceId: null,
    status: 200,
  };
  const answerWithEntry = () => {
    answer = { status: 200, type: 'application/json', body: JSON.stringify({ entries: [entry] }) };
  };

  it('is merged from all services with the filters, and names the one that is away', async () => {
    const ann = await signedIn();
    answerWithEntry();
    const { status, body } = await call('/api/audit?organisationId=3&limit=3', ann);
    expect(status).toBe(200);
    expect(JSON.parse(body)).toMatchObject({
      entries: [entry, entry, entry],
      nextCursor: expect.any(String),
      missing: ['notifier'],
    });
    expect(received()).toHaveLength(5);
    expect(received()[0]).toMatchObject({ call: 'GET /admin/audit?organisationId=3&limit=3', actor: 'ann' });
    expect((await call('/api/audit?cursor=made-up', ann)).status).toBe(400);
  });

  it('is not exported while a service is away, and the person is told which', async () => {
    const ann = await signedIn();
    answerWithEntry();
    const reply = await call('/api/audit/export?format=csv', ann);
    expect([reply.status, reply.body]).toEqual([502, expect.stringContaining('no answer from notifier')]);
    expect(reply.headers.get('content-disposition')).toBeNull();
    expect((await call('/api/audit/export?format=exe', ann)).status).toBe(400);
  });
});

describe('the health', () => {
  it('is read from the services; one that is away "does not answer"', async () => {
    const ann = await signedIn();
    answer = {
      status: 200,
      type: 'text/plain',
      body: 'queue_messages{queue="parked"} 2\nledger_check_problems 0\norganisations_waiting_for_approval 3\n',
    };
    // On a busy machine a service may not answer within three seconds; it is asked again after two more.
    await eventually(async () => {
      clock.advance(2_000);
      const { body } = await call('/api/health', ann);
      const health = JSON.parse(body) as {
        services: { name: string; parked: number | null; ready: boolean }[];
        waitingForApproval: number | null;
      };
      expect(health.waitingForApproval).toBe(3);
      expect(health.services.find(({ name }) => name === 'offers')).toMatchObject({ ready: true, parked: 2 });
      expect(health.services.find(({ name }) => name === 'notifier')).toMatchObject({
        ready: false,
        parked: null,
        problems: ['does not answer'],
      });
    });
  });
});

describe('a page', () => {
  it.each(['/', '/organisations/3', '/pictures/decisions'])(
    'at %s runs only own scripts, cannot be framed and is not cached',
    async (path) => {
      const { status, headers, body } = await call(path);
      expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'; script-src 'self'");
      expect(policy).toContain("require-trusted-types-for 'script'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(body).not.toMatch(/<script(?![^>]* src=)/);
      for (const [, address = ''] of body.matchAll(/(?:src|href)="([^"]+)"/g))
        expect([address, (await call(address)).status]).toEqual([address, 200]);
    },
  );

  it.each(['/index.html', '/.env', '/assets/none.js', '/a.b'])('does not exist at %s', async (path) => {
    expect((await call(path)).status).toBe(404);
  });
});
