/** What a key may do, from where, and how much it may spend. */
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { KeyRightsChange } from '@offer-ads/contracts/values/key-rights';
import { forAllTests } from '@offer-ads/testing/for-tests';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { lastCallerAt } from '../forwarding/fake-upstream.ts';
import { refusal, startGatewayUnderTest } from '../gateway-under-test.ts';

const gateway = forAllTests(() => startGatewayUnderTest());
let organisationId: number;
beforeAll(async () => {
  organisationId = await gateway.register();
});

const keyWith = (rights: KeyRightsChange) => gateway.createKey(organisationId, { rights });
const change = (id: number, rights: object) => gateway.admin('POST', `/keys/${id}/rights`, rights);
const refused = (words: string) => ({
  status: 403,
  body: { return_code: 'E1', status: 'Error', code: 403, message: expect.stringContaining(words) as unknown },
});

describe('a key that only reads', () => {
  it('reads and estimates, and is refused what creates or changes something, before a service is asked', async () => {
    const { key } = await keyWith({ access: 'read-only' });
    for (const [method, path] of [
      ['GET', '/categories'],
      ['GET', '/offers'],
      ['GET', '/key'],
      ['GET', '/results'],
      ['GET', '/offers/7/changes'],
      ['GET', '/webhooks'],
      ['POST', '/offers/price-estimate'],
      ['POST', '/offers/7/credit-estimate'],
    ] as const)
      expect([path, (await gateway.call(path, { method, key })).status]).toEqual([path, 200]);
    gateway.resetUpstreams();
    for (const [method, path] of [
      ['POST', '/offers'],
      ['PATCH', '/offers/7'],
      ['DELETE', '/offers/7'],
      ['POST', '/offers/7/pause'],
      ['POST', '/offers/7/resume'],
      ['POST', '/webhooks'],
      ['DELETE', '/webhooks/wh_1'],
      ['POST', '/test/clock'],
    ] as const)
      expect({ path, ...(await gateway.call(path, { method, key })) }).toMatchObject({
        path,
        ...refused('only reads'),
      });
    expect(gateway.offers.seen).toEqual([]);
    expect(gateway.notifier.seen).toEqual([]);
  });
});

describe('a key with addresses', () => {
  const statusFrom = async (key: string, ip: string) =>
    (await gateway.call('/categories', { key, ip })).status;

  it('works from these addresses and ranges alone', async () => {
    const { key } = await keyWith({
      addresses: ['192.0.2.7', '198.51.100.0/25', '2001:db8:1::/48', '2001:db8::9'],
    });
    for (const [ip, status] of [
      ['192.0.2.7', 200],
      ['192.0.2.8', 403],
      ['198.51.100.127', 200],
      ['198.51.100.128', 403],
      ['2001:db8:1:ffff::1', 200],
      ['2001:db8:2::1', 403],
      ['2001:db8::9', 200],
      ['2001:db8::a', 403],
      ['::ffff:192.0.2.7', 200],
    ] as const)
      expect([ip, await statusFrom(key, ip)]).toEqual([ip, status]);
    expect(await gateway.call('/categories', { key, ip: '203.0.113.1' })).toMatchObject(
      refused('may not be used from this IP address'),
    );
    await eventually(async () => {
      const [latest] = await gateway.callsOf(organisationId);
      expect(latest).toMatchObject({ status: 403, returnCode: 'E1' });
    });
  });

  it('tells nobody that a disabled key exists', async () => {
    const { id, key } = await keyWith({ addresses: ['192.0.2.7'] });
    await gateway.admin('POST', `/keys/${id}/disable`);
    expect(await statusFrom(key, '203.0.113.1')).toBe(401);
  });
});

describe('the limits of a key', () => {
  it('go to the service with each request, also those of a rolled key, which counts as the first', async () => {
    const { id, key } = await keyWith({ access: 'no-spending', spendingPerDayMinor: '6000' });
    const callerOf = async (of: string) => {
      await gateway.call('/categories', { key: of });
      return lastCallerAt(gateway.offers).spending;
    };
    const spending = {
      spender: `key/${id}`,
      access: 'no-spending',
      perDayMinor: '6000',
      perMonthMinor: null,
    };
    expect(await callerOf(key)).toEqual(spending);
    const second = (await gateway.admin('POST', `/keys/${id}/roll`)).body as { id: number; key: string };
    const third = (await gateway.admin('POST', `/keys/${second.id}/roll`)).body as {
      id: number;
      key: string;
    };
    expect(await callerOf(third.key)).toEqual(spending);
    const changed = await change(third.id, { access: 'full', spendingPerMonthMinor: '100000' });
    const rights = {
      access: 'full',
      addresses: [],
      spendingPerDayMinor: '6000',
      spendingPerMonthMinor: '100000',
    };
    expect(changed).toMatchObject({ status: 200, body: { id: third.id, rights } });
    expect(await callerOf(third.key)).toEqual({ ...spending, access: 'full', perMonthMinor: '100000' });
    await change(third.id, { spendingPerDayMinor: null });
    expect(await callerOf(third.key)).toMatchObject({ perDayMinor: null, perMonthMinor: '100000' });
    const { keys } = (await gateway.admin('GET', `/organisations/${organisationId}/keys`)).body as {
      keys: object[];
    };
    expect(keys).toContainEqual(
      expect.objectContaining({ id: third.id, rights: { ...rights, spendingPerDayMinor: null } }),
    );
  });

  it.each<[object, string]>([
    [{}, 'must name what changes'],
    [{ access: 'all' }, 'access'],
    [{ spendingPerDayMinor: '-1' }, 'spendingPerDayMinor: must not be negative'],
    [{ spendingPerDayMinor: 60 }, 'spendingPerDayMinor'],
    [{ spendingPerMonthMinor: '1.5' }, 'spendingPerMonthMinor'],
    [{ addresses: ['192.0.2.300'] }, 'addresses.0: must be an IP address'],
    [{ addresses: ['192.0.2.0/33'] }, 'addresses.0: must be an IP address'],
    [{ addresses: ['::ffff:192.0.2.7'] }, 'addresses.0: must be an IP address'],
    [{ addresses: Array.from({ length: 21 }, () => '192.0.2.7') }, 'at most 20'],
  ])('cannot be %j', async (rights, words) => {
    expect(await change(1, rights)).toMatchObject(refusal(400, words));
  });
});
