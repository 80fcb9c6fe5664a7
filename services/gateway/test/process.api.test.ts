/** The gateway as a process of its own, as it runs in production, and what a stop leaves behind. */
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import pg from 'pg';
import { startGatewayProcess } from './gateway-process.ts';
import { type GatewayUnderTest, startGatewayUnderTest } from './gateway-under-test.ts';

const started = new AsyncDisposableStack();
let gateway: GatewayUnderTest;
beforeAll(async () => {
  gateway = started.use(await startGatewayUnderTest());
});
afterAll(() => started.disposeAsync());

const startProcess = async () => started.use(await startGatewayProcess(gateway));

async function callsOf(organisationId: number): Promise<{ route: string; status: number }[]> {
  const { body } = await gateway.admin('GET', `/organisations/${organisationId}/calls?limit=200`);
  return (body as { calls: { route: string; status: number }[] }).calls;
}

describe('a gateway that is told to stop', () => {
  it('finishes what is in flight, takes nothing new, and every call just made is in the log when it is gone', async () => {
    const organisationId = await gateway.register();
    const { key } = await gateway.createKey(organisationId);
    const { url: base, child } = await startProcess();
    const exited = once(child, 'exit') as Promise<[number | null, string | null]>;

    const callTimes = async (times: number) => {
      const replies = await Promise.all(
        Array.from({ length: times }, () => gateway.call('/categories', { base, key })),
      );
      expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
    };
    // The log is stuck, so that the calls after those that it is stuck with are in memory alone.
    const other = new pg.Client({ connectionString: gateway.databaseUrl });
    await other.connect();
    await other.query('BEGIN');
    await other.query('LOCK TABLE calls');
    await callTimes(20);
    await eventually(async () => {
      const { rows } = await other.query(
        `SELECT 1 FROM pg_locks WHERE NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
      );
      expect(rows).toHaveLength(1);
    });
    await callTimes(130);

    const arrived = Promise.withResolvers<void>();
    const before = gateway.offers.respond;
    const answered = Promise.withResolvers<void>();
    const leftAlone = Promise.withResolvers<void>();
    gateway.offers.respond = (req, res) => {
      arrived.resolve();
      req.socket.once('close', () => leftAlone.resolve());
      req.resume();
      void answered.promise.then(() => res.end('{"return_code":"S1","late":true}'));
    };
    // A creation, because it may take longest: an answer that waits for a busy machine is in time all the same.
    const inFlight = gateway.call('/offers', {
      base,
      key,
      method: 'POST',
      body: '--b--',
      headers: { 'content-type': 'multipart/form-data; boundary=b' },
    });
    await arrived.promise;
    child.kill('SIGTERM');

    await eventually(async () => expect((await fetch(`${base}/readyz`)).status).toBe(503));
    answered.resolve();
    expect(await inFlight).toMatchObject({ status: 200, body: '{"return_code":"S1","late":true}' });
    await eventually(async () => {
      await expect(fetch(`${base}/livez`)).rejects.toThrow('fetch failed');
    });
    expect(child.exitCode).toBeNull();
    // Its connections to the services are the last that the process closes before it sees to the log.
    await leftAlone.promise;
    await other.end();
    expect(await exited).toEqual([0, null]);
    gateway.offers.respond = before;

    const logged = await callsOf(organisationId);
    // Beside them a 503 that a busy machine may have given first.
    const served = logged.filter(({ status }) => status === 200).map(({ route }) => route);
    expect(served.filter((route) => route === 'GET /categories')).toHaveLength(150);
    expect(served.filter((route) => route === 'POST /offers')).toHaveLength(1);
  });
});
