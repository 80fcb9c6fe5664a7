/** The rate limit over replicas that count in one store, and while that store is unavailable. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { collectingLogger, silentLogger } from '@offer-ads/testing/logger';
import { runs } from '@offer-ads/testing/profile';
import { startTcpProxy, type TcpProxy } from '@offer-ads/testing/stores/tcp-proxy';
import { testValkey } from '@offer-ads/testing/stores/valkey';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { inTime } from '@offer-ads/testing/waiting/in-time';
import type { Gateway } from '../../src/service.ts';
import {
  type GatewayUnderTest,
  metricOf,
  startGatewayUnderTest,
  unusedIp,
  whenCountedTogether,
} from '../gateway-under-test.ts';

type Replica = Pick<Gateway, 'url' | 'adminUrl'>;

const open = new AsyncDisposableStack();
const { logger, lines: logged } = collectingLogger();
let wire: TcpProxy;
let first: GatewayUnderTest;
let second: Replica;
/** Two more that reach the store without the wire: it runs in this process, which is busy with all the requests. */
let direct: readonly [Replica, Replica];

beforeAll(async () => {
  const valkey = testValkey();
  wire = open.use(await startTcpProxy(valkey.url));
  const overrides = { logger, limitsNamespace: valkey.namespace, limitsAnswerMs: 1_000 };
  first = open.use(await startGatewayUnderTest({ settings: { VALKEY_URL: wire.url }, overrides }));
  second = await first.startReplica();
  const changed = { config: { VALKEY_URL: valkey.url }, overrides: { logger: silentLogger } };
  direct = [await first.startReplica(changed), await first.startReplica(changed)];
  for (const replica of [first, second, ...direct]) await whenCountedTogether(replica);
});
afterAll(async () => open.disposeAsync());
afterEach(async () => {
  wire.bringBack();
  await eventually(storeIsUp(1));
});

/** An unauthorised request counts like any other. */
async function ask(replica: Replica, ip: string) {
  const { status, headers } = await fetch(`${replica.url}/categories`, {
    headers: { 'x-forwarded-for': ip },
  });
  return { passed: status === 401, status, headers };
}

async function askTimes(times: number, replica: Replica, ip: string): Promise<number> {
  let passed = 0;
  for (let count = 0; count < times; count += 1) if ((await ask(replica, ip)).passed) passed += 1;
  return passed;
}

/** All at once, every other one to the second replica. */
async function askBothAtOnce(
  times: number,
  ip: string,
  [one, other]: readonly [Replica, Replica] = direct,
): Promise<number> {
  const replies = await Promise.all(
    Array.from({ length: times }, (_, index) => ask(index % 2 === 0 ? one : other, ip)),
  );
  expect(replies.filter(({ passed, status }) => !passed && status !== 429)).toEqual([]);
  return replies.filter(({ passed }) => passed).length;
}

const storeIsUp = (value: 0 | 1) => async () => {
  for (const replica of [first, second]) expect(await metricOf(replica, 'rate_limit_store_up')).toBe(value);
};

describe('the rate limit over two replicas', () => {
  it('lets exactly 60 of 120 concurrent requests pass', async () => {
    for (let round = 0; round < runs(5, 100); round += 1)
      expect(await askBothAtOnce(120, unusedIp())).toBe(60);
  });

  it('shows how many requests are left on all replicas together, and refuses on one what another has used up', async () => {
    const ip = unusedIp();
    const remaining: (string | null)[] = [];
    for (const replica of [first, second, second, first])
      remaining.push((await ask(replica, ip)).headers.get('x-ratelimit-remaining'));
    expect(remaining).toEqual(['59', '58', '57', '56']);
    expect(await askTimes(56, first, ip)).toBe(56);
    const { status, headers } = await ask(second, ip);
    const retryAfter = Number(headers.get('retry-after'));
    expect([status, headers.get('ratelimit')]).toEqual([429, `"ip";r=0;t=${retryAfter}`]);
    expect(retryAfter).toBeGreaterThan(30);
    expect(retryAfter).toBeLessThanOrEqual(60);
  });
});

describe('while the store is unavailable', () => {
  it('each replica counts for itself, at most the whole limit, and logs it once; afterwards the store goes on where it was', async () => {
    logged.length = 0;
    const ip = unusedIp();
    expect(await askTimes(10, first, ip)).toBe(10);
    const countedBefore = await metricOf(first, 'rate_limit_counted_in_memory_total');
    wire.takeDown();
    await eventually(storeIsUp(0));
    expect(await askTimes(70, first, ip)).toBe(60);
    expect((await metricOf(first, 'rate_limit_counted_in_memory_total')) - countedBefore).toBe(70);
    expect(await askTimes(15, second, ip)).toBe(15);
    wire.bringBack();
    await eventually(storeIsUp(1));
    expect((await ask(second, ip)).headers.get('x-ratelimit-remaining')).toBe('49');
    // A busy machine may log more about other stores.
    const lines = logged.map((line) => JSON.parse(line)).filter(({ msg }) => /rate limits/.test(msg));
    const away = ['warn', 'the store of rate limits is away: each replica counts for itself'];
    const back = ['info', 'rate limits are counted in the shared store'];
    expect(lines.map(({ level, msg }) => [level, msg])).toEqual([away, away, back, back]);
  });

  it('only the requests that notice its silence wait for it', async () => {
    wire.freeze();
    // If each request waited for an answer, this would take a minute.
    await inTime(5_000, async () => expect(await askTimes(60, first, unusedIp())).toBe(60));
    // The connection notices by itself that it is frozen, and is opened again.
    await askTimes(1, second, unusedIp());
    await eventually(storeIsUp(1));
  });

  it('a replica starts without it, and uses it as soon as it is there', async () => {
    wire.takeDown();
    const overrides = { limitsNamespace: testValkey().namespace };
    await using late = await first.startReplica({ overrides });
    expect((await ask(late, unusedIp())).passed).toBe(true);
    expect(await metricOf(late, 'rate_limit_store_up')).toBe(0);
    wire.bringBack();
    await whenCountedTogether(late);
  });
});
