/** Authentication items 1, 7 and 8 of the specification and its rate limit: the same on every endpoint. */
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { forAllTests } from '@offer-ads/testing/for-tests';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { composeKey } from '../src/domain/keys/api-key.ts';
import { everyEndpoint, type SampleRequest } from './every-endpoint.ts';
import { type Reply, startGatewayUnderTest, unusedIp } from './gateway-under-test.ts';

type Key = { readonly id: number; readonly key: string };

const gateway = forAllTests(() => startGatewayUnderTest());
let organisationId: number;
let good: Key;

beforeAll(async () => {
  organisationId = await gateway.register();
  good = await gateway.createKey(organisationId);
});
beforeEach(() => gateway.resetUpstreams());

const forwarded = () =>
  gateway.offers.seen.length +
  gateway.pricing.seen.length +
  gateway.billing.seen.length +
  gateway.notifier.seen.length;

type Sent = { key?: string; ip?: string; headers?: Record<string, string>; query?: string };

/** The answer of each endpoint. `missing` lists the headers that every reply must have and this one has not. */
async function answersOfAll({ query = '', ...sent }: Sent) {
  const ask = async ({ method, path, route, body }: SampleRequest) => {
    const reply = await gateway.call(`${path}${query}`, { method, ...(body && { body }), ...sent });
    const missing = [...missingHeaders(reply), ...(reply.status < 400 || hasHelp(reply) ? [] : ['link'])];
    return { route, status: reply.status, body: reply.body, missing };
  };
  return Promise.all(everyEndpoint.map(ask));
}

const required = {
  'x-ratelimit-limit': '60',
  'x-ratelimit-remaining': /^\d+$/,
  'x-ratelimit-reset': /^\d+$/,
  'x-request-id': /^[0-9a-f-]{36}$/,
  // No cache may keep a reply, and no browser may ask without TLS.
  'cache-control': 'no-store',
  'strict-transport-security': 'max-age=31536000',
};

function missingHeaders({ headers }: Reply): string[] {
  const isAs = (value: string, wanted: string | RegExp) =>
    typeof wanted === 'string' ? value === wanted : wanted.test(value);
  return Object.entries(required)
    .filter(([name, wanted]) => !isAs(headers.get(name) ?? '', wanted))
    .map(([name]) => name);
}

/** A refusal says where the guide explains it. */
function hasHelp({ status, headers }: Reply): boolean {
  return new RegExp(`^<https?://[^>]+/docs/errors#[\\w-]*${status}[\\w-]*>; rel="help"`).test(
    headers.get('link') ?? '',
  );
}

const byAll = (status: number, body: unknown) =>
  everyEndpoint.map(({ route }) => ({ route, status, body, missing: [] }));

async function expectAllToRefuse(sent: Sent, body: unknown = { message: 'Unauthorised' }): Promise<void> {
  expect(await answersOfAll(sent)).toEqual(byAll(401, body));
  expect(forwarded()).toBe(0);
}

async function expectAllLogged({ id }: Key, of: { status: number; returnCode: string | null }) {
  await eventually(async () => {
    const calls = await gateway.callsOf(organisationId, `key_id=${id}&status=${of.status}`);
    const logged = calls.map(({ route, returnCode }) => `${route} ${returnCode}`);
    expect(logged.toSorted()).toEqual(
      everyEndpoint.map(({ route }) => `${route} ${of.returnCode}`).toSorted(),
    );
  });
}

async function admin(path: string, json?: object): Promise<void> {
  expect((await gateway.admin('POST', path, json)).status).toBeLessThan(300);
}

async function keyThen(change: (key: Key) => Promise<unknown>, overrides = {}): Promise<Key> {
  const key = await gateway.createKey(organisationId, overrides);
  await change(key);
  return key;
}

describe('every endpoint', () => {
  it('answers a key in force, and shows its limit', async () => {
    const answers = await answersOfAll({ key: good.key });
    expect(answers).toEqual(byAll(200, { return_code: 'S1' }));
    expect(forwarded()).toBe(everyEndpoint.length);
    await expectAllLogged(good, { status: 200, returnCode: 'S1' });
  });
});

describe('every endpoint answers 401 Unauthorised and nothing more', () => {
  const unknownKey = composeKey(
    'TEST',
    Array.from({ length: 32 }, (_, index) => index),
  );
  it.each<[string, () => Sent]>([
    ['without a key', () => ({})],
    ['to a key sent as a bearer token', () => ({ headers: { authorization: `Bearer ${good.key}` } })],
    ['to a key sent as a password', () => ({ headers: { authorization: `Basic ${btoa(`${good.key}:`)}` } })],
    ['to a key sent as a cookie', () => ({ headers: { cookie: `x-api-key=${good.key}` } })],
    ['to a key in the query string', () => ({ query: `?x-api-key=${good.key}&api_key=${good.key}` })],
    ['to an empty key', () => ({ key: '' })],
    ['to a text that is no key', () => ({ key: 'nonsense' })],
    ['to a key that nobody has', () => ({ key: unknownKey })],
    ['to a key with a typo', () => ({ key: good.key.replace(/.$/, (last) => (last === '0' ? '1' : '0')) })],
    ['to a key with the prefix of the other mode', () => ({ key: good.key.replace('_test_', '_live_') })],
    ['to a key without its last character', () => ({ key: good.key.slice(0, -1) })],
    ['to a key with a character behind it', () => ({ key: `${good.key}0` })],
    ['to a key in quotes', () => ({ key: `"${good.key}"` })],
    ['to a key in small letters', () => ({ key: good.key.toLowerCase() })],
  ])('%s', (_case, sent) => expectAllToRefuse(sent()));

  const past = '2026-01-01T00:00:00Z';
  const colleague = 'colleague@cafe.test';
  const atPeople = (action: string) => `/organisations/${organisationId}/people${action}`;
  it.each<[string, () => Promise<Key>]>([
    ['is disabled', () => keyThen(({ id }) => admin(`/keys/${id}/disable`))],
    ['was rolled', () => keyThen(({ id }) => admin(`/keys/${id}/roll`))],
    ['has expired', () => gateway.createKey(organisationId, { expiresAt: past })],
    ['has expired and has no mode', () => gateway.createKey(organisationId, { mode: null, expiresAt: past })],
    [
      'belongs to a disabled person',
      async () => {
        await admin(atPeople(''), { email: colleague, role: 'developer' });
        const disableOwner = () => admin(atPeople('/disable'), { email: colleague });
        return keyThen(disableOwner, { personEmail: colleague });
      },
    ],
  ])('to a key that %s, and logs each refusal', async (_case, make) => {
    const key = await make();
    await expectAllToRefuse({ key: key.key });
    await expectAllLogged(key, { status: 401, returnCode: null });
  });

  it('to every key of a disabled organisation, and logs each refusal', async () => {
    await admin(`/organisations/${organisationId}/disable`);
    try {
      await expectAllToRefuse({ key: good.key });
      await expectAllLogged(good, { status: 401, returnCode: null });
    } finally {
      await admin(`/organisations/${organisationId}/enable`);
    }
  });
});

describe('every endpoint tells the owner of a key without a recorded mode to create a new key', () => {
  const forgetMode = ({ id }: Key) =>
    gateway.database.query('UPDATE api_keys SET mode = NULL WHERE id = $1', [id]);
  it.each<[string, () => Promise<Key>]>([
    ['a key of the old form', () => gateway.createKey(organisationId, { mode: null })],
    ['a key whose prefix names a mode', () => keyThen(forgetMode, { mode: 'LIVE' })],
  ])('%s', async (_case, make) => {
    const key = await make();
    const message: unknown = expect.stringMatching(/create a new key/i);
    await expectAllToRefuse({ key: key.key }, { return_code: 'E1', status: 'Error', code: 401, message });
    await expectAllLogged(key, { status: 401, returnCode: 'E1' });
  });
});

describe('every endpoint says which methods its path has', () => {
  it('to a request with another one, which it does not forward', async () => {
    gateway.resetUpstreams();
    const pathsOf = Map.groupBy(everyEndpoint, ({ path }) => path);
    for (const [path, those] of pathsOf) {
      const methods = those.map(({ method }) => method);
      const other = ['PUT', 'GET', 'PATCH'].find((method) => !methods.includes(method));
      const reply = await gateway.call(path, { method: other ?? '', ip: unusedIp(), key: good.key });
      const allowed = (reply.headers.get('allow') ?? '').split(', ').filter((method) => method !== 'HEAD');
      expect([path, reply.status, reply.body]).toEqual([path, 405, { message: 'Method not allowed' }]);
      expect([path, allowed.toSorted()]).toEqual([path, methods.toSorted()]);
      expect(reply.headers.get('allow')?.includes('HEAD')).toBe(methods.includes('GET'));
    }
    expect(forwarded()).toBe(0);
  });
});

describe('60 requests a minute of one address', () => {
  it('are counted over all endpoints; then every endpoint answers 429, logs it, and forwards nothing', async () => {
    const ip = unusedIp();
    const unknown: SampleRequest = { method: 'GET', path: '/nowhere', route: 'none', body: undefined };
    const all = [...everyEndpoint, unknown];
    for (let count = 0; count < 60; count += 1) {
      const { method, path, body } = all[count % all.length]!;
      const { status } = await gateway.call(path, { method, ip, key: good.key, ...(body && { body }) });
      expect([path, status]).toEqual([path, path === '/nowhere' ? 404 : 200]);
    }
    gateway.resetUpstreams();
    expect(await answersOfAll({ key: good.key, ip })).toEqual(byAll(429, { message: 'Too many requests' }));
    expect(forwarded()).toBe(0);
    await expectAllLogged(good, { status: 429, returnCode: null });
  });
});
