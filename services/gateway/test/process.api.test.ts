/** The gateway as a process of its own, as it runs in production: what it still does when it is told to stop. */
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { startGatewayProcess } from './gateway-process.ts';
import { type GatewayUnderTest, startGatewayUnderTest } from './gateway-under-test.ts';

const started = new AsyncDisposableStack();
let gateway: GatewayUnderTest;
beforeAll(async () => {
  gateway = started.use(await startGatewayUnderTest());
});
afterAll(() => started.disposeAsync());

const startProcess = async () => started.use(await startGatewayProcess(gateway));

describe('a gateway that gets SIGTERM', () => {
  it('finishes the requests in flight, takes no new ones, and has logged every call when it ends', async () => {
    const organisationId = await gateway.register();
    const { key } = await gateway.createKey(organisationId);
    const { url: base, child } = await startProcess();
    const exited = once(child, 'exit') as Promise<[number | null, string | null]>;

    const close = { connection: 'close' };
    const callTimes = async (times: number) => {
      const replies = await Promise.all(
        // No idle connections stay: the process would leave them to their callers for six seconds.
        Array.from({ length: times }, () => gateway.call('/categories', { base, key, headers: close })),
      );
      expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
    };
    // The log cannot write its first batch, so later calls are in memory only.
    const { database } = gateway;
    await database.query('BEGIN');
    await database.query('LOCK TABLE calls');
    await callTimes(20);
    await eventually(async () => {
      const { rows } = await database.query(
        `SELECT 1 FROM pg_locks WHERE NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
      );
      expect(rows).toHaveLength(1);
    });
    await callTimes(130);

    const arrived = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<void>();
    const disconnected = Promise.withResolvers<void>();
    gateway.offers.respond = (req, res) => {
      arrived.resolve();
      req.socket.once('close', () => disconnected.resolve());
      req.resume();
      void answered.promise.then(() => res.end('{"return_code":"S1","late":true}'));
    };
    // A creation has the longest budget, so it can wait for a busy machine.
    const inFlight = gateway.call('/offers', {
      base,
      key,
      method: 'POST',
      body: '--b--',
      headers: { ...close, 'content-type': 'multipart/form-data; boundary=b' },
    });
    await arrived.promise;
    child.kill('SIGTERM');

    await eventually(async () =>
      expect((await fetch(`${base}/readyz`, { headers: close })).status).toBe(503),
    );
    answered.resolve();
    expect(await inFlight).toMatchObject({ status: 200, body: '{"return_code":"S1","late":true}' });
    await eventually(async () => {
      await expect(fetch(`${base}/livez`)).rejects.toThrow('fetch failed');
    });
    expect(child.exitCode).toBeNull();
    // The process closes its connections to the services just before it writes the log.
    await disconnected.promise;
    await database.query('ROLLBACK');
    expect(await exited).toEqual([0, null]);

    // A busy machine may have answered 503 first.
    const served = (await gateway.callsOf(organisationId, 'status=200&limit=200')).map(({ route }) => route);
    expect(served.filter((route) => route === 'GET /categories')).toHaveLength(150);
    expect(served.filter((route) => route === 'POST /offers')).toHaveLength(1);
  });
});
