import { beforeEach, describe, expect, it } from '@jest/globals';
import { testClock } from '@offer-ads/testing/clock';
import { forAllTests } from '@offer-ads/testing/for-tests';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { inTime } from '@offer-ads/testing/waiting/in-time';
import { patiently } from '@offer-ads/testing/waiting/patiently';
import { everyEndpoint } from '../every-endpoint.ts';
import { startGatewayUnderTest, unusedIp } from '../gateway-under-test.ts';

const gateway = forAllTests(() => startGatewayUnderTest());
beforeEach(() => gateway.resetUpstreams());

/** A key of an organisation of its own, and how to read its log. */
async function freshKey(overrides: Record<string, unknown> = {}) {
  const organisationId = await gateway.register();
  const { id, key } = await gateway.createKey(organisationId, overrides);
  const allCalls = (query?: string) => gateway.callsOf(organisationId, query);
  /** Without the 503s that a busy machine may have answered first. */
  const calls = async (query?: string) => (await allCalls(query)).filter(({ status }) => status !== 503);
  return { organisationId, id, key, calls, allCalls };
}

describe('the call log', () => {
  it('holds exactly the key, route, status, return code, duration, time and request id, and shows when the key was last used', async () => {
    const { organisationId, id, key, calls } = await freshKey();
    const other = await freshKey();
    gateway.offers.answer(200, { return_code: 'E3', message: 'paused' });
    const { headers } = await gateway.call('/offers/4711/pause?token=hush', { method: 'POST', key });
    await eventually(async () => expect(await calls()).toHaveLength(1));
    expect(await calls()).toEqual([
      {
        keyId: id,
        mode: 'TEST',
        lastFour: key.slice(-4),
        route: 'POST /offers/{offer_id}/pause',
        status: 200,
        returnCode: 'E3',
        durationMs: expect.any(Number),
        at: expect.stringMatching(/^\d{4}-.*Z$/),
        requestId: headers.get('x-request-id'),
      },
    ]);
    expect(await other.calls()).toEqual([]);
    const { body } = await gateway.admin('GET', `/organisations/${organisationId}/keys`);
    expect(body).toMatchObject({ keys: [{ lastUsedAt: expect.stringMatching(/Z$/) }] });
  });

  it('holds refused requests: with a disabled key, to an unknown route, over the limit', async () => {
    const { id, key, calls } = await freshKey();
    const ip = unusedIp();
    for (let count = 0; count < 60; count += 1) await gateway.call('/nowhere', { ip });
    await gateway.call('/interests', { ip, key });
    await gateway.call('/nowhere/17', { key });
    await gateway.admin('POST', `/keys/${id}/disable`);
    await gateway.call('/categories', { key });
    // In any order, because two may come within one millisecond.
    await eventually(async () =>
      expect(
        (await calls()).map(({ route, status, returnCode }) => `${route} ${status} ${returnCode}`).toSorted(),
      ).toEqual(['GET /categories 401 null', 'GET /interests 429 null', 'GET unmatched 404 null']),
    );
  });

  it('takes no return code from a listing, of any size', async () => {
    const { key, calls } = await freshKey();
    const body = { data: [{ return_code: 'not one', text: 'x'.repeat(200_000) }], return_code: 'beyond' };
    gateway.offers.answer(200, body);
    expect((await gateway.call('/offers', { key })).body).toEqual(body);
    await eventually(async () => expect(await calls()).toMatchObject([{ returnCode: null }]));
  });

  it('changes neither request nor reply, and no request waits for it', async () => {
    const { organisationId, id, key } = await freshKey();
    const { offers, pricing, billing, notifier, database } = gateway;
    let answered = 0;
    /** Calls every endpoint, and returns what services and callers saw. */
    const callAll = async () => {
      const seen: unknown[] = [];
      const replies = [];
      for (const { method, path, body } of everyEndpoint) {
        const headers = { 'x-request-id': 'always-the-same', 'idempotency-key': 'one' };
        const call = { method, key, headers, once: true, ...(body !== undefined && { body }) };
        // A request that waited for the locked table would take two seconds at least.
        const reply = await inTime(1_900, async () => {
          const reply = await patiently(() => {
            gateway.resetUpstreams();
            return gateway.call(path, call);
          });
          answered += 1;
          return reply;
        });
        for (const { headers, body, ...same } of [
          ...offers.seen,
          ...pricing.seen,
          ...billing.seen,
          ...notifier.seen,
        ]) {
          const { 'x-caller-context': _token, traceparent: _trace, ...others } = headers;
          seen.push({ ...same, headers: others, body: body.toString() });
        }
        const { date: _date, ...others } = Object.fromEntries(reply.headers);
        replies.push({ status: reply.status, headers: others, body: reply.body });
      }
      return { seen, replies };
    };
    const whenLogged = () =>
      eventually(async () =>
        expect(await gateway.callsOf(organisationId, `key_id=${id}&status=200`)).toHaveLength(answered),
      );
    const asUsual = await callAll();
    expect(asUsual.seen).toHaveLength(everyEndpoint.length);
    await whenLogged();

    await database.query('BEGIN');
    await database.query('LOCK TABLE calls');
    try {
      expect(await callAll()).toEqual(asUsual);
    } finally {
      await database.query('ROLLBACK');
    }
    await whenLogged();
  });

  it('shows a record for 90 days to the millisecond, and deletes its day later', async () => {
    const dayMs = 24 * 60 * 60 * 1_000;
    const clock = testClock(new Date(Date.now() - 92 * dayMs));
    await using past = await startGatewayUnderTest({ clock });
    const organisationId = await past.register();
    const { key } = await past.createKey(organisationId);
    const calledAt = clock.now();
    await past.call('/categories', { key });
    const shown = () => past.callsOf(organisationId, `status=200&from=${calledAt.toISOString()}`);
    await eventually(async () => expect(await shown()).toMatchObject([{ at: calledAt.toISOString() }]));
    clock.set(new Date(calledAt.getTime() + 90 * dayMs));
    expect(await shown()).toHaveLength(1);
    clock.advance(1);
    expect(await shown()).toEqual([]);

    const stored = async () => (await past.database.query('SELECT 1 FROM calls WHERE status = 200')).rowCount;
    expect(await stored()).toBe(1);
    clock.set(new Date());
    // A replica looks when it starts, and then every hour.
    await using _replica = await past.startReplica();
    await eventually(async () => expect(await stored()).toBe(0));
  });
});
