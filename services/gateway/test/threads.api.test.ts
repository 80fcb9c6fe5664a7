/** The gateway as a process of its own, with several threads on its port. */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ServiceProcess } from '@offer-ads/testing/service-process';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { startGatewayProcess } from './gateway-process.ts';
import { type GatewayUnderTest, startGatewayUnderTest } from './gateway-under-test.ts';

const threads = 3;
const started = new AsyncDisposableStack();
let gateway: GatewayUnderTest;
let replica: ServiceProcess;
beforeAll(async () => {
  gateway = started.use(await startGatewayUnderTest({ settings: { GATEWAY_THREADS: `${threads}` } }));
  replica = started.use(await startGatewayProcess(gateway));
});
afterAll(() => started.disposeAsync());

/** Each on a connection of its own, so the system spreads them over the threads. */
const callEach = (calls: number, o: { key: string; ip?: string }) =>
  Promise.all(
    Array.from({ length: calls }, () =>
      gateway.call('/categories', {
        ...o,
        base: replica.url,
        once: true,
        headers: { connection: 'close' },
      }),
    ),
  );

async function metric(line: string): Promise<number[]> {
  const text = await (await fetch(`${replica.url}/metrics`, { headers: { connection: 'close' } })).text();
  return text
    .split('\n')
    .filter((each) => each.startsWith(line))
    .map((each) => Number(each.split(' ').at(-1)));
}

describe('a gateway with several threads', () => {
  it('allows a client exactly its limit, whichever threads its connections come to', async () => {
    const { key } = await gateway.createKey(await gateway.register());
    const replies = await callEach(150, { key, ip: '10.99.0.1' });
    expect(replies.filter(({ status }) => status === 429)).toHaveLength(90);
    const left = replies.map(({ headers }) => Number(headers.get('x-ratelimit-remaining')));
    expect(left.filter((remaining) => remaining > 0).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 59 }, (_, index) => index + 1),
    );
  });

  it('allows a key exactly its own limit', async () => {
    const { key } = await gateway.createKey(await gateway.register(), { requestsPerMinute: 7 });
    const replies = await callEach(40, { key });
    expect(replies.filter(({ status }) => status === 429)).toHaveLength(33);
  });

  it('logs the calls of all threads, and tells their sum and the process once in its metrics', async () => {
    const organisationId = await gateway.register();
    const { key } = await gateway.createKey(organisationId);
    const counted = 'rate_limit_requests_total{limit="ip",outcome="allowed"';
    const [before = 0] = await metric(counted);
    await callEach(100, { key });
    await eventually(async () =>
      expect(await gateway.callsOf(organisationId, 'limit=200')).toHaveLength(100),
    );
    for (let scrape = 0; scrape < 5; scrape += 1) expect(await metric(counted)).toEqual([before + 100]);
    expect(await metric('process_start_time_seconds')).toHaveLength(1);
    expect((await metric('process_start_time_seconds'))[0]).toBeLessThan(Date.now() / 1_000);
  });

  it('answers the status of the whole replica on each of its threads', async () => {
    const statuses = await Promise.all(
      Array.from({ length: 12 }, async () => {
        const reply = await fetch(`${replica.url}/status.json`, { headers: { connection: 'close' } });
        return (await reply.json()) as { dependencies: unknown[] };
      }),
    );
    expect(new Set(statuses.map(({ dependencies }) => dependencies.length)).size).toBe(1);
  });

  it('refuses to start on a port that another gateway serves', async () => {
    const port = new URL(replica.url).port;
    await expect(startGatewayProcess({ ...gateway, env: { ...gateway.env, PORT: port } })).rejects.toThrow(
      'the process ended before it listened',
    );
  });

  it('ends when one of its threads ends unexpectedly, so that the platform starts it again', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'thread-'));
    started.defer(() => rmSync(folder, { recursive: true }));
    const sign = join(folder, 'fail');
    const failing = `import { existsSync } from 'node:fs';
      import { isMainThread } from 'node:worker_threads';
      const look = () => { if (existsSync(${JSON.stringify(sign)})) throw new Error('a fault'); };
      if (!isMainThread) setInterval(look, 10);`;
    const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(failing)}`;
    const other = started.use(
      await startGatewayProcess({ ...gateway, env: { ...gateway.env, NODE_OPTIONS } }),
    );
    const exited = once(other.child, 'exit');
    writeFileSync(sign, '');
    expect(await exited).toEqual([1, null]);
  });

  it('ends on SIGTERM with all its threads', async () => {
    const exited = once(replica.child, 'exit');
    replica.child.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
  });
});
