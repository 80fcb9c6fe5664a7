/** Authentication items 1, 7 and 8 of the specification and its rate limit: the same on any endpoint. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import pg from 'pg';
import { composeKey } from '../src/domain/keys/api-key.ts';
import { everyEndpoint, type SampleRequest } from './every-endpoint.ts';
import { type GatewayUnderTest, type Reply, startGatewayUnderTest, unusedIp } from './gateway-under-test.ts';

type Key = { readonly id: number; readonly key: string };

let gateway: GatewayUnderTest;
let organisationId: number;
let good: Key;

beforeAll(async () => {
  gateway = await startGatewayUnderTest();
  organisationId = await gateway.register();
  good = await gateway.createKey(organisationId);
});
afterAll(async () => gateway[Symbol.asyncDispose]());
beforeEach(() => {
  gateway.offers.seen.length = 0;
  gateway.pricing.seen.length = 0;
});

type Sent = { key?: string; ip?: string; headers?: Record<string, string>; query?: string };

/** What each endpoint answers; names of fields say what every reply must have. */
async function answersOfAll(sent: Sent) {
  const ask = async ({ method, path, route, body }: SampleRequest) => {
    const { query = '', ...rest } = sent;
    const reply = await gateway.call(`${path}${query}`, { method, ...(body && { body }), ...rest });
    return { route, status: reply.status, body: reply.body, missing: missingFields(reply) };
  };
  return Promise.all(everyEndpoint.map(ask));
}

const owed = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'x-request-id'];
/** No cache keeps replies, and no browser asks without TLS. */
const owedAs = { 'cache-control': 'no-store', 'strict-transport-security': 'max-age=31536000' };

function missingFields({ headers }: Reply): string[] {
  const wrong = Object.entries(owedAs).filter(([name, value]) => headers.get(name) !== value);
  return [...owed.filter((name) => !headers.has(name)), ...wrong.map(([name]) => name)];
}

const byAll = (status: number, body: unknown) =>
  everyEndpoint.map(({ route }) => ({ route, status, body, missing: [] }));

async function expectAllToRefuse(sent: Sent, body: unknown = { message: 'Unauthorised' }): Promise<void> {
  expect(await answersOfAll(sent)).toEqual(byAll(401, body));
  expect([...gateway.offers.seen, ...gateway.pricing.seen]).toEqual([]);
}

async function expectAllLogged({ id }: Key, of: { status: number; returnCode: string | null }) {
  const query = `key_id=${id}&status=${of.status}`;
  await eventually(async () => {
    const { body } = await gateway.admin('GET', `/organisations/${organisationId}/calls?${query}`);
    const { calls } = body as { calls: { route: string; returnCode: string | null }[] };
    const logged = calls.map(({ route, returnCode }) => ({ route, returnCode }));
    const expected = everyEndpoint.map(({ route }) => ({ route, returnCode: of.returnCode }));
    expect(logged.toSorted(byRoute)).toEqual(expected.toSorted(byRoute));
  });
}

function byRoute(one: { route: string }, other: { route: string }): number {
  return one.route.localeCompare(other.route);
}

describe('every endpoint', () => {
  it('answers a key in force, and tells its limit', async () => {
    const answers = await answersOfAll({ key: good.key });
    expect(answers).toEqual(byAll(200, expect.objectContaining({ return_code: 'S1' })));
    expect(gateway.offers.seen.length + gateway.pricing.seen.length).toBe(everyEndpoint.length);
    await expectAllLogged(good, { status: 200, returnCode: 'S1' });
  });
});

describe('401 Unauthorised, and no more words, on every endpoint', () => {
  it('without a key', () => expectAllToRefuse({}));

  it.each<[string, () => Sent]>([
    ['as a bearer token', () => ({ headers: { authorization: `Bearer ${good.key}` } })],
    ['as a password', () => ({ headers: { authorization: `Basic ${btoa(`${good.key}:`)}` } })],
    ['as a cookie', () => ({ headers: { cookie: `x-api-key=${good.key}` } })],
    ['in the query string', () => ({ query: `?x-api-key=${good.key}&api_key=${good.key}` })],
  ])('with a good key that is sent %s', (_how, sent) => expectAllToRefuse(sent()));

  const digits = Array.from({ length: 32 }, (_, index) => index);
  it.each<[string, () => string]>([
    ['is empty', () => ''],
    ['is no key', () => 'nonsense'],
    ['nobody has', () => composeKey('TEST', digits)],
    ['has a typo', () => good.key.replace(/.$/, (last) => (last === '0' ? '1' : '0'))],
    ['says that it is of the other mode', () => good.key.replace('pk_test_', 'pk_live_')],
    ['has lost its last character', () => good.key.slice(0, -1)],
    ['has more behind it', () => `${good.key}0`],
    ['stands in quotes', () => `"${good.key}"`],
    ['is written in small letters', () => good.key.toLowerCase()],
  ])('with a key that %s', (_case, key) => expectAllToRefuse({ key: key() }));

  const admin = async (path: string, json?: object) => {
    expect((await gateway.admin('POST', path, json)).status).toBeLessThan(300);
  };
  async function keyOfAColleague(): Promise<Key & { readonly email: string }> {
    const email = `colleague-${(colleagues += 1)}@cafe.test`;
    await admin(`/organisations/${organisationId}/people`, { email, role: 'developer' });
    return { email, ...(await gateway.createKey(organisationId, { personEmail: email })) };
  }
  let colleagues = 0;

  it.each<[string, () => Promise<Key>]>([
    [
      'is disabled',
      async () => {
        const key = await gateway.createKey(organisationId);
        await admin(`/keys/${key.id}/disable`);
        return key;
      },
    ],
    [
      'was rolled',
      async () => {
        const key = await gateway.createKey(organisationId);
        await admin(`/keys/${key.id}/roll`);
        return key;
      },
    ],
    ['has expired', () => gateway.createKey(organisationId, { expiresAt: '2026-01-01T00:00:00Z' })],
    [
      'has neither a mode nor time left',
      () => gateway.createKey(organisationId, { mode: null, expiresAt: '2026-01-01T00:00:00Z' }),
    ],
    [
      'is of a person who is disabled',
      async () => {
        const key = await keyOfAColleague();
        await admin(`/organisations/${organisationId}/people/disable`, { email: key.email });
        return key;
      },
    ],
  ])('with a key that %s, and each refusal is logged', async (_case, make) => {
    const key = await make();
    await expectAllToRefuse({ key: key.key });
    await expectAllLogged(key, { status: 401, returnCode: null });
  });

  it('with every key of an organisation that is disabled, and each refusal is logged', async () => {
    await admin(`/organisations/${organisationId}/disable`);
    try {
      await expectAllToRefuse({ key: good.key });
      await expectAllLogged(good, { status: 401, returnCode: null });
    } finally {
      await admin(`/organisations/${organisationId}/enable`);
    }
  });
});

describe('a key with no recorded mode', () => {
  const refusal = {
    return_code: 'E1',
    status: 'Error',
    code: 401,
    message: expect.stringMatching(/create a new key/i),
  };

  it.each<[string, () => Promise<Key>]>([
    ['an old one, which names none', () => gateway.createKey(organisationId, { mode: null })],
    [
      'one that names a mode which is not on record',
      async () => {
        const key = await gateway.createKey(organisationId, { mode: 'LIVE' });
        const database = new pg.Client({ connectionString: gateway.databaseUrl });
        await database.connect();
        await database.query('UPDATE api_keys SET mode = NULL WHERE id = $1', [key.id]);
        await database.end();
        return key;
      },
    ],
  ])('is told on every endpoint to create a new one: %s', async (_case, make) => {
    const key = await make();
    await expectAllToRefuse({ key: key.key }, refusal);
    await expectAllLogged(key, { status: 401, returnCode: 'E1' });
  });
});

describe('60 requests a minute of one address', () => {
  it('are counted over all endpoints together; then each of them is 429, and nothing is asked of a service', async () => {
    const ip = unusedIp();
    const unknown: SampleRequest = { method: 'GET', path: '/nowhere', route: 'none', body: undefined };
    const all = [...everyEndpoint, unknown];
    for (let count = 0; count < 60; count += 1) {
      const { method, path, body } = all[count % all.length]!;
      const { status } = await gateway.call(path, { method, ip, key: good.key, ...(body && { body }) });
      expect([path, status]).toEqual([path, path === '/nowhere' ? 404 : 200]);
    }
    gateway.offers.seen.length = 0;
    gateway.pricing.seen.length = 0;
    expect(await answersOfAll({ key: good.key, ip })).toEqual(byAll(429, { message: 'Too many requests' }));
    expect([...gateway.offers.seen, ...gateway.pricing.seen]).toEqual([]);
    const { headers } = await gateway.call('/categories', { ip });
    expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    await expectAllLogged(good, { status: 429, returnCode: null });
  });
});
