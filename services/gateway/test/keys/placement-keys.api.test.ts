/** Placement keys, on two replicas: the community platform's server asks with them, and with nothing else. */
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { PlacementKeysReply } from '@offer-ads/contracts/admin/gateway-api';
import { placementCaller, placementCallerHeader } from '@offer-ads/contracts/internal/placement-caller';
import { signedHeader } from '@offer-ads/platform/calls/caller-context';
import { systemClock } from '@offer-ads/platform/process/clock';
import { forAllTests } from '@offer-ads/testing/for-tests';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { type GatewayUnderTest, startGatewayUnderTest, unusedIp } from '../gateway-under-test.ts';

const gateway = forAllTests(() => startGatewayUnderTest());
let second: { readonly url: string };
let organisationId: number;
beforeAll(async () => {
  second = await gateway.startReplica();
  organisationId = await gateway.register();
});
beforeEach(() => gateway.resetUpstreams());

type Made = { readonly id: number; readonly key: string };
const create = async (wish: object = {}) =>
  (await gateway.admin('POST', '/placement-keys', { mode: 'TEST', ...wish })).body as Made;
const ask = (key: string | null, o: Partial<Parameters<GatewayUnderTest['call']>[1]> = {}) =>
  gateway.call('/placements', {
    method: 'POST',
    key,
    body: '{}',
    headers: { 'content-type': 'application/json' },
    ...o,
  });
const statuses = async (key: string) => [
  (await ask(key)).status,
  (await ask(key, { base: second.url })).status,
];
const unknown = { status: 401, body: { message: 'Unauthorised' } };

describe('a placement key', () => {
  it.each(['TEST', 'LIVE'] as const)(
    'in mode %s opens placements and views, and says which key and mode',
    async (mode) => {
      const { id, key } = await create({ mode });
      expect(key).toMatch(new RegExp(`^pk_place_${mode.toLowerCase()}_\\w{38}$`));
      const verify = signedHeader(
        { secret: gateway.config.OFFERS_CONTEXT_SECRET, audience: 'offers', clock: systemClock },
        placementCallerHeader,
        placementCaller,
      );
      for (const path of ['/placements', '/placements/views']) {
        gateway.resetUpstreams();
        const headers = { 'content-type': 'application/json', [placementCallerHeader]: 'forged' };
        const reply = await gateway.call(path, { method: 'POST', key, body: '{}', headers });
        expect(reply.status).toBe(200);
        const [forwarded] = gateway.offers.seen;
        expect(forwarded).toMatchObject({ method: 'POST', url: path });
        expect(verify({ headers: forwarded?.headers } as never)).toMatchObject({ mode, placementKeyId: id });
        expect(forwarded?.headers).not.toHaveProperty('x-caller-context');
      }
    },
  );

  it('opens nothing else, and no API key opens placements: the answer is that to an unknown key', async () => {
    const { key } = await create();
    const api = await gateway.createKey(organisationId);
    for (const path of ['/categories', '/offers?environment=test'])
      expect(await gateway.call(path, { key })).toMatchObject(unknown);
    for (const sent of [
      api.key,
      null,
      'pk_place_test_',
      `${key}x`,
      key.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
    ])
      expect(await ask(sent)).toMatchObject(unknown);
    expect(gateway.offers.seen).toEqual([]);
  });

  it('that was rolled or disabled is dead on every replica when the answer comes', async () => {
    const first = await create({ name: 'Main site', requestsPerMinute: 500 });
    expect(await statuses(first.key)).toEqual([200, 200]);
    const rolled = (await gateway.admin('POST', `/placement-keys/${first.id}/roll`)).body as Made;
    expect([await statuses(first.key), await statuses(rolled.key)]).toEqual([
      [401, 401],
      [200, 200],
    ]);
    const { keys } = (await gateway.admin('GET', '/placement-keys')).body as { keys: object[] };
    expect(keys[0]).toMatchObject({
      id: rolled.id,
      name: 'Main site',
      requestsPerMinute: 500,
      rolledFrom: first.id,
    });
    expect(JSON.stringify(keys)).not.toContain(rolled.key);
    await gateway.admin('POST', `/placement-keys/${rolled.id}/disable`);
    expect(await statuses(rolled.key)).toEqual([401, 401]);
    expect((await gateway.admin('POST', `/placement-keys/${rolled.id}/roll`)).status).toBe(409);
  });

  it('that was rolled with an overlap works beside the new one until its end, and never beyond its own expiry', async () => {
    const first = await create();
    const rolled = (await gateway.admin('POST', `/placement-keys/${first.id}/roll`, { overlapHours: 24 }))
      .body as Made;
    expect([await statuses(first.key), await statuses(rolled.key)]).toEqual([
      [200, 200],
      [200, 200],
    ]);
    const expiryOf = async (id: number) => {
      const { keys } = (await gateway.admin('GET', '/placement-keys')).body as PlacementKeysReply;
      return keys.find((key) => key.id === id)?.expiresAt ?? null;
    };
    const hoursLeft = (Date.parse((await expiryOf(first.id)) ?? '') - Date.now()) / 3_600_000;
    expect(hoursLeft).toBeGreaterThan(23.9);
    expect(hoursLeft).toBeLessThanOrEqual(24);
    expect(await expiryOf(rolled.id)).toBeNull();

    const soon = new Date(Date.now() + 3_600_000).toISOString();
    const ending = await create({ expiresAt: soon });
    await gateway.admin('POST', `/placement-keys/${ending.id}/roll`, { overlapHours: 24 });
    expect(await expiryOf(ending.id)).toBe(soon);
    const tooLong = await gateway.admin('POST', `/placement-keys/${ending.id}/roll`, { overlapHours: 169 });
    expect(tooLong.status).toBe(400);
  });

  it('works until its expiry', async () => {
    const { id, key } = await create({ expiresAt: '2100-01-01T00:00:00Z' });
    expect((await ask(key)).status).toBe(200);
    await gateway.database.query('UPDATE api_keys SET expires_at = now() WHERE id = $1', [id]);
    await eventually(async () => expect(await statuses(key)).toEqual([401, 401]));
  });

  it('has a limit of its own, and none for the address of the server that uses it', async () => {
    const { id, key } = await create({ requestsPerMinute: 70 });
    const ip = unusedIp();
    const replies = [];
    for (let count = 0; count < 71; count += 1) replies.push((await ask(key, { ip })).status);
    expect(replies).toEqual([...Array.from({ length: 70 }, () => 200), 429]);
    await gateway.admin('POST', `/placement-keys/${id}/limit`, { requestsPerMinute: 1_000 });
    expect((await ask(key, { ip })).status).toBe(200);
  });

  it('that is wrong counts against the address', async () => {
    const ip = unusedIp();
    for (let count = 0; count < 60; count += 1) await ask('pk_place_test_wrong', { ip });
    expect((await ask('pk_place_test_wrong', { ip })).status).toBe(429);
    expect((await ask((await create()).key, { ip })).status).toBe(200);
  });

  it('has its calls in the log of the platform, and in that of no organisation', async () => {
    const { id, key } = await create();
    await ask(key);
    await eventually(async () => {
      const { body } = await gateway.admin('GET', `/placement-keys/calls?key_id=${id}`);
      expect(body).toMatchObject({ calls: [{ route: 'POST /placements', status: 200 }] });
    });
    await gateway.admin('POST', `/placement-keys/${id}/disable`);
    expect((await ask(key)).status).toBe(401);
    await eventually(async () => {
      const { body } = await gateway.admin('GET', `/placement-keys/calls?key_id=${id}&status=401`);
      expect(body).toMatchObject({ calls: [{ route: 'POST /placements', status: 401 }] });
    });
    expect(await gateway.callsOf(organisationId, `key_id=${id}`)).toEqual([]);
    await eventually(async () => {
      const { keys } = (await gateway.admin('GET', '/placement-keys')).body as {
        keys: { lastUsedAt: unknown }[];
      };
      expect(keys[0]?.lastUsedAt).not.toBeNull();
    });
  });

  it('cannot be touched by what is for API keys', async () => {
    const { id, key } = await create();
    for (const change of ['roll', 'disable'])
      expect((await gateway.admin('POST', `/keys/${id}/${change}`)).status).toBe(404);
    const api = await gateway.createKey(organisationId);
    expect((await gateway.admin('POST', `/placement-keys/${api.id}/disable`)).status).toBe(404);
    expect((await ask(key)).status).toBe(200);
  });
});
