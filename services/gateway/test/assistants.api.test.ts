/** `POST /mcp`, by the client of the official SDK. */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { forAllTests } from '@offer-ads/testing/for-tests';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { lastCallerAt } from './forwarding/fake-upstream.ts';
import { startGatewayUnderTest, unusedIp } from './gateway-under-test.ts';

const gateway = forAllTests(() => startGatewayUnderTest());
let organisationId: number;
beforeAll(async () => {
  organisationId = await gateway.register();
});

let key: { readonly id: number; readonly key: string };
beforeEach(async () => {
  gateway.resetUpstreams();
  gateway.offers.answer(200, { categories: [{ category_id: 1, category_name: 'Food' }] });
  key = await gateway.createKey(organisationId);
});

async function connect(mode: 'legacy' | { pin: string } = { pin: '2026-07-28' }, ip = unusedIp()) {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  const headers = { 'x-api-key': key.key, 'x-forwarded-for': ip };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${gateway.url}/mcp`), { requestInit: { headers } }),
  );
  return client;
}

const list = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
const post = (
  o: { body?: string; headers?: Record<string, string>; ip?: string; method?: string; key?: null } = {},
) =>
  gateway.call('/mcp', {
    method: 'POST',
    key: key.key,
    body: list,
    once: true,
    ...o,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...o.headers,
    },
  });

describe('a tool', () => {
  it.each([{ pin: '2026-07-28' }, 'legacy'] as const)('answers a client of the revision %j', async (mode) => {
    const client = await connect(mode);
    const { structuredContent } = await client.callTool({ name: 'list_categories' });
    expect(structuredContent).toEqual({ categories: [{ category_id: 1, category_name: 'Food' }] });
    await client.close();
  });

  it('calls the API as the owner of the key, and both calls are in the log', async () => {
    const client = await connect();
    await client.callTool({ name: 'list_categories' });
    await client.close();
    expect(lastCallerAt(gateway.offers)).toMatchObject({ organisationId, keyId: key.id, mode: 'TEST' });
    await eventually(async () => {
      const calls = (await gateway.callsOf(organisationId)).filter(({ keyId }) => keyId === key.id);
      expect(calls.map(({ route }) => route)).toEqual(
        expect.arrayContaining(['POST /mcp list_categories', 'GET /categories']),
      );
    });
    const query = new URLSearchParams({ route: 'POST /mcp', key_id: `${key.id}` }).toString();
    const { body } = await gateway.admin('GET', `/organisations/${organisationId}/calls?${query}`);
    const found = (body as { calls: { route: string }[] }).calls.map(({ route }) => route);
    expect(found).toContain('POST /mcp list_categories');
    expect(found).not.toContain('GET /categories');
  });

  it('passes the address of its caller on to pricing', async () => {
    const [there, elsewhere] = [unusedIp(), unusedIp()];
    const networks = [];
    const estimate = {
      start_datetime: '2035-06-01T12:00:00Z',
      end_datetime: '2035-06-03T12:00:00Z',
      location: [51.5, -0.1],
      radius: 10,
    };
    for (const ip of [there, elsewhere]) {
      const client = await connect(undefined, ip);
      await client.callTool({ name: 'estimate_price', arguments: estimate });
      await client.close();
      networks.push(lastCallerAt(gateway.pricing).network);
    }
    const body = JSON.stringify(estimate);
    const headers = { 'content-type': 'application/json' };
    await gateway.call('/offers/price-estimate', { method: 'POST', key: key.key, ip: there, body, headers });
    expect(networks[0]).toBe(lastCallerAt(gateway.pricing).network);
    expect(networks[1]).not.toBe(networks[0]);
  });

  it('does not count against the limit of the address, which many assistants share', async () => {
    const ip = unusedIp();
    const client = await connect(undefined, ip);
    for (let call = 0; call < 3; call += 1) await client.callTool({ name: 'list_categories' });
    await client.close();
    const { headers } = await gateway.call('/categories', { key: key.key, ip });
    expect(headers.get('ratelimit')).toContain('"ip";r=59');
  });
});

describe('what is published', () => {
  it('are guides, as resources', async () => {
    const client = await connect();
    const { resources } = await client.listResources();
    expect(resources).toContainEqual(expect.objectContaining({ name: 'limits', title: 'Limits' }));
    const { contents } = await client.readResource({ uri: 'offer-ads://guides/limits' });
    expect(contents[0]).toMatchObject({ text: expect.stringMatching(/^# Limits/) as unknown });
    for (const name of ['nothing', '..', '%2e%2e%2fllms'])
      await expect(client.readResource({ uri: `offer-ads://guides/${name}` })).rejects.toThrow(/not found/i);
    await client.close();
  });

  it.each([
    ['Soho, London', 'GB', /^Soho,/, [51.5, -0.1]],
    ['BN1 1AA', 'GB', /^BN1 1AA/, [50.8, -0.1]],
    ['Québec', 'CA', /^Québec/, [46.8, -71.2]],
  ])('are places, such as %s', async (text, country, name, location) => {
    const client = await connect();
    const { structuredContent } = await client.callTool({
      name: 'find_place',
      arguments: { text, country },
    });
    await client.close();
    const [best] = (structuredContent as { places: { name: string; location: number[] }[] }).places;
    expect(best?.name).toMatch(name);
    expect(best?.location.map((degrees) => Math.round(degrees * 10) / 10)).toEqual(location);
  });
});

describe('a message', () => {
  it('makes no session', async () => {
    const { status, headers } = await post();
    expect([status, headers.get('mcp-session-id')]).toEqual([200, null]);
  });

  it('is refused above 60 a minute with one key, from whatever address', async () => {
    const statuses = [];
    for (let call = 0; call < 61; call += 1) statuses.push((await post()).status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(60);
    expect(statuses.at(-1)).toBe(429);
  });

  it('of a page of another site is refused, before anything is asked', async () => {
    const { status } = await post({ headers: { origin: 'https://evil.example' } });
    expect(status).toBe(403);
    expect((await post({ headers: { origin: 'https://ads.example.test' } })).status).toBe(200);
  });

  it('without a key in force is refused, and counts against the limit of the address', async () => {
    await gateway.admin('POST', `/keys/${key.id}/roll`);
    const ip = unusedIp();
    const { status, body, headers } = await post({ ip });
    expect([status, body]).toEqual([401, { message: 'Unauthorised' }]);
    expect(headers.get('ratelimit')).toContain('"ip";r=59');
  });

  it('with its key as a Bearer token is refused: keys come in x-api-key alone', async () => {
    const { status, body } = await post({ key: null, headers: { authorization: `Bearer ${key.key}` } });
    expect([status, body]).toEqual([401, { message: 'Unauthorised' }]);
  });

  it.each([
    ['too long', { body: `{"a":"${'a'.repeat(8 * 1024 * 1024)}"}` }, 413],
    ['not JSON', { body: 'jsonrpc' }, 400],
    ['of another type', { headers: { 'content-type': 'text/plain' } }, 415],
  ])('that is %s is refused', async (_, o, status) => {
    expect((await post(o)).status).toBe(status);
  });

  it('with a picture keeps only its own key waiting, and only for other pictures', async () => {
    const big = JSON.stringify({ ...JSON.parse(list), params: { picture: 'a'.repeat(100_000) } });
    const other = await gateway.createKey(organisationId);
    // The rest of the first one comes later.
    const slow = request(`${gateway.url}/mcp`, {
      method: 'POST',
      headers: {
        'x-api-key': key.key,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'content-length': big.length,
      },
    });
    const answered = once(slow, 'response') as Promise<[IncomingMessage]>;
    slow.write(big.slice(0, 1_000));
    // It has its turn once it was counted against the limit of the key.
    let asked = 0;
    await eventually(async () => {
      asked += 1;
      expect((await post()).headers.get('ratelimit')).toContain(`"mcp";r=${60 - asked - 1};`);
    });
    let isWaiting = true;
    const next = post({ body: big }).finally(() => {
      isWaiting = false;
    });
    expect((await post()).status).toBe(200);
    expect((await post({ body: big, headers: { 'x-api-key': other.key } })).status).toBe(200);
    expect(isWaiting).toBe(true);
    slow.end(big.slice(1_000));
    const [reply] = await answered;
    reply.resume();
    expect([reply.statusCode, (await next).status]).toEqual([200, 200]);
  });

  it('is refused from an address that the key does not have', async () => {
    key = await gateway.createKey(organisationId, { rights: { addresses: ['192.0.2.7'] } });
    expect((await post({ ip: '192.0.2.8' })).status).toBe(403);
    const client = await connect(undefined, '192.0.2.7');
    expect(await client.callTool({ name: 'list_categories' })).not.toHaveProperty('isError');
    await client.close();
  });

  it('cannot do more than its key', async () => {
    key = await gateway.createKey(organisationId, { rights: { access: 'read-only' } });
    const client = await connect();
    const reply = await client.callTool({ name: 'pause_offer', arguments: { offer_id: 7 } });
    expect(reply).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/only reads.*read_key/) }],
    });
    expect(gateway.offers.seen).toEqual([]);
    await client.close();
  });

  it.each(['GET', 'DELETE'])('by %s is answered with the method that is allowed', async (method) => {
    const { status, headers } = await gateway.call('/mcp', { method, key: key.key });
    expect([status, headers.get('allow')]).toEqual([405, 'POST']);
  });
});

it('a caller who claims to be a tool is a caller like any other', async () => {
  const ip = unusedIp();
  const headers = { 'x-tool-call': `${'a'.repeat(43)} 192.0.2.1` };
  const reply = await gateway.call('/categories', { key: key.key, ip, headers });
  expect(reply.headers.get('ratelimit')).toContain('"ip";r=59');
});
