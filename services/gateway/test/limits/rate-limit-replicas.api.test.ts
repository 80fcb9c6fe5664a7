/** The rate limit over two replicas that count in one store. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createLogger } from '@offer-ads/platform/telemetry/logging';
import { testProfile } from '@offer-ads/testing/config';
import { silentLogger } from '@offer-ads/testing/logger';
import { startTcpProxy, type TcpProxy } from '@offer-ads/testing/stores/tcp-proxy';
import { testValkey } from '@offer-ads/testing/stores/valkey';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { inTime } from '@offer-ads/testing/waiting/in-time';
import {
  type GatewayUnderTest,
  startGatewayUnderTest,
  unusedIp,
  whenCountedTogether,
} from '../gateway-under-test.ts';

type Replica = { readonly url: string };

const open = new AsyncDisposableStack();
const logged: string[] = [];
const logger = createLogger({
  service: 'gateway',
  level: 'info',
  destination: { write: (line) => void logged.push(line) },
});
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
  second = open.use(await first.startReplica());
  const changed = { config: { VALKEY_URL: valkey.url }, overrides: { logger: silentLogger } };
  direct = [open.use(await first.startReplica(changed)), open.use(await first.startReplica(changed))];
  for (const replica of [first, second, ...direct]) await whenCountedTogether(replica.url);
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

async function metric(replica: Replica, name: string): Promise<number> {
  const text = await (await fetch(`${replica.url}/metrics`)).text();
  return Number(new RegExp(`^${name}\\{[^}]*\\} (\\S+)$`, 'm').exec(text)?.[1]);
}

const storeIsUp = (value: 0 | 1) => async () => {
  for (const replica of [first, second]) expect(await metric(replica, 'rate_limit_store_up')).toBe(value);
};

describe('the rate limit over two replicas', () => {
  it.each(Array.from({ length: testProfile === 'long' ? 100 : 5 }, (_, round) => round))(
    'lets exactly 60 of 120 requests pass that come at once (round %i)',
    async () => {
      expect(await askBothAtOnce(120, unusedIp())).toBe(60);
    },
  );

  it('tells each caller how many are left on all replicas together', async () => {
    const ip = unusedIp();
    const remaining: (string | null)[] = [];
    for (const replica of [first, second, second, first])
      remaining.push((await ask(replica, ip)).headers.get('x-ratelimit-remaining'));
    expect(remaining).toEqual(['59', '58', '57', '56']);
  });

  it('refuses on one replica what was used up on the other, with the seconds to wait', async () => {
    const ip = unusedIp();
    expect(await askTimes(60, first, ip)).toBe(60);
    for (let count = 0; count < 3; count += 1) {
      const { status, headers } = await ask(second, ip);
      expect(status).toBe(429);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(30);
      expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60);
      expect(headers.get('ratelimit')).toBe(`"ip";r=0;t=${headers.get('retry-after')}`);
    }
  });
});

describe('while the store is away', () => {
  it('each replica goes on from the count that it knows, and the metrics say so', async () => {
    const ip = unusedIp();
    expect(await askTimes(40, first, ip)).toBe(40);
    const insuredBefore = await metric(first, 'rate_limit_insured_total');
    wire.takeDown();
    await eventually(storeIsUp(0));
    expect(await askTimes(30, first, ip)).toBe(20);
    expect((await metric(first, 'rate_limit_insured_total')) - insuredBefore).toBe(30);
    // The second replica never met this client: it allows the whole limit, and no more.
    expect(await askTimes(65, second, ip)).toBe(60);
  });

  it('no request waits for a store that swallows everything, but those that find out', async () => {
    wire.freeze();
    // Each waiting for an answer would be a minute.
    await inTime(5_000, async () => expect(await askTimes(60, first, unusedIp())).toBe(60));
    // A connection of its own tells a frozen one from a store that is away: it comes back by itself.
    await askTimes(1, second, unusedIp());
    await eventually(storeIsUp(1));
  });

  it('the log says so once when it goes and once when it is back', async () => {
    logged.length = 0;
    wire.takeDown();
    await eventually(storeIsUp(0));
    await askBothAtOnce(20, unusedIp(), [first, second]);
    wire.bringBack();
    await eventually(storeIsUp(1));
    // A busy machine may have more to say, of other stores.
    const lines = logged.map((line) => JSON.parse(line)).filter(({ msg }) => /rate limits/.test(msg));
    expect(lines.map(({ level, msg }) => [level, msg])).toEqual([
      ...Array.from({ length: 2 }, () => [
        'warn',
        'the store of rate limits is away: each replica counts for itself',
      ]),
      ...Array.from({ length: 2 }, () => ['info', 'rate limits are counted in the shared store']),
    ]);
  });

  it('a replica starts without it and uses it once it is there', async () => {
    wire.takeDown();
    const overrides = { limitsNamespace: testValkey().namespace };
    await using late = await first.startReplica({ overrides });
    expect((await ask(late, unusedIp())).passed).toBe(true);
    expect(await metric(late, 'rate_limit_store_up')).toBe(0);
    wire.bringBack();
    await eventually(async () => expect(await metric(late, 'rate_limit_store_up')).toBe(1));
  });
});

describe('when the store is back', () => {
  it('counts are exact again', async () => {
    wire.takeDown();
    await eventually(storeIsUp(0));
    wire.bringBack();
    await eventually(storeIsUp(1));
    const ip = unusedIp();
    expect(await askTimes(30, first, ip)).toBe(30);
    expect(await askTimes(40, second, ip)).toBe(30);
  });

  it('what a replica counted meanwhile comes along with its next request of the client', async () => {
    const ip = unusedIp();
    expect(await askTimes(10, first, ip)).toBe(10);
    wire.takeDown();
    await eventually(storeIsUp(0));
    expect(await askTimes(30, first, ip)).toBe(30);
    expect(await askTimes(15, second, ip)).toBe(15);
    wire.bringBack();
    await eventually(storeIsUp(1));
    // 10 + 30 + 15 so far, and one to each replica: 57 when both have told.
    await ask(first, ip);
    expect((await ask(second, ip)).headers.get('x-ratelimit-remaining')).toBe('3');
    expect(await askTimes(10, second, ip)).toBe(3);
  });

  it('a window that only a replica knows ends when it would have, not a whole window later', async () => {
    const ip = unusedIp();
    wire.takeDown();
    await eventually(storeIsUp(0));
    const { headers } = await ask(first, ip);
    const endsAt = Date.now() + Number(headers.get('x-ratelimit-reset')) * 1_000;
    wire.bringBack();
    await eventually(storeIsUp(1));
    // Before it is asked, as the other was taken after: the time on the way must not count for the window.
    const askedAt = Date.now();
    const later = await ask(first, ip);
    expect(later.headers.get('x-ratelimit-remaining')).toBe('58');
    const endsAtNow = askedAt + Number(later.headers.get('x-ratelimit-reset')) * 1_000;
    expect(endsAtNow - endsAt).toBeLessThanOrEqual(1_000);
  });
});
