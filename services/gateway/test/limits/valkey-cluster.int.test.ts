/** A limit that several replicas count in a cluster of Valkey, of which a node may be away. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { silentLogger } from '@offer-ads/testing/logger';
import { runs } from '@offer-ads/testing/profile';
import { testValkey } from '@offer-ads/testing/stores/valkey';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import {
  type Limit,
  type RequestLimiter,
  startRequestLimiter,
} from '../../src/public-api/request-limiter.ts';
import { startValkeyCluster, type ValkeyCluster } from './valkey-cluster.ts';

const open = new AsyncDisposableStack();
const { namespace } = testValkey();
const limit: Limit = { name: 'test', requests: 20, windowSeconds: 60 };
let cluster: ValkeyCluster;
beforeAll(async () => {
  cluster = open.use(await startValkeyCluster());
}, 120_000);
afterAll(async () => open.disposeAsync());

/** How many requests the limiter has counted in memory. */
type Replica = RequestLimiter & { readonly inMemory: () => Promise<number> };

async function startReplica(storeUrl: string, answerMs = 2_000): Promise<Replica> {
  const metrics = createMetrics('gateway');
  const limiter = open.use(
    await startRequestLimiter({ storeUrl, namespace, answerMs, logger: silentLogger, metrics }),
  );
  const inMemory = async () =>
    Number(/counted_in_memory_total\S* (\d+)/.exec(await metrics.registry.metrics())?.[1]);
  const replica = { ...limiter, inMemory };
  await untilStoreCounts(replica);
  return replica;
}

const clients = Array.from({ length: 12 }, (_, index) => `client-${index}`);

/** The connection to each node is opened by the first request for it, which is counted in memory. */
async function untilStoreCounts(replica: Replica): Promise<void> {
  await eventually(async () => {
    const before = await replica.inMemory();
    await Promise.all(clients.map((client) => replica.consume({ ...limit, name: 'probe' }, client)));
    expect(await replica.inMemory()).toBe(before);
  });
}

describe('a cluster', () => {
  it('lets a client of three replicas have exactly the limit, and tells no two requests the same number left', async () => {
    const replicas = await Promise.all([1, 2, 3].map(() => startReplica(cluster.url)));
    for (let round = 0; round < runs(20, 500); round += 1) {
      const asked = Array.from({ length: 60 }, (_, index) => index);
      const states = await Promise.all(
        asked.map((index) => replicas[index % 3]!.consume(limit, `${round}-${index % 2}`)),
      );
      const left = states.filter(({ allowed }) => allowed).map(({ remaining }) => remaining);
      const expected = Array.from({ length: 2 * limit.requests }, (_, index) => Math.floor(index / 2));
      expect(left.toSorted((a, b) => a - b)).toEqual(expected);
    }
  }, 120_000);

  it('of which a node does not answer counts the clients of the other nodes, and those of the node in memory', async () => {
    const replica = await startReplica(cluster.url, 200);
    const before = await replica.inMemory();
    process.kill(cluster.nodes[1]!.pid, 'SIGSTOP');
    const states = await Promise.all(clients.map((client) => replica.consume(limit, client)));
    expect(states.map(({ remaining }) => remaining)).toEqual(clients.map(() => 19));
    const inMemory = (await replica.inMemory()) - before;
    expect(inMemory).toBeGreaterThan(0);
    expect(inMemory).toBeLessThan(clients.length);
    process.kill(cluster.nodes[1]!.pid, 'SIGCONT');
    await untilStoreCounts(replica);
  }, 60_000);
});
