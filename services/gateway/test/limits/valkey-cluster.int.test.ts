/** Limits that several replicas count in one Valkey, or in a cluster. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { silentLogger } from '@offer-ads/testing/logger';
import { runs } from '@offer-ads/testing/profile';
import { testValkey } from '@offer-ads/testing/stores/valkey';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import fc from 'fast-check';
import { createWindowsMemory } from '../../src/counting/client-windows.ts';
import { createRequestLimiter, type Limit, type RequestLimiter } from '../../src/counting/request-limiter.ts';
import { connectSharedCounts, type SharedCounts } from '../../src/counting/shared-counts.ts';
import { slotOf } from '../../src/domain/limits/cluster-slot.ts';
import { startValkeyCluster, type ValkeyCluster } from './valkey-cluster.ts';

const open = new AsyncDisposableStack();
const { url: alone, namespace } = testValkey();
let cluster: ValkeyCluster;
beforeAll(async () => {
  cluster = open.use(await startValkeyCluster());
}, 120_000);
afterAll(async () => open.disposeAsync());

async function connectTo(url: string, answerMs = 1_000): Promise<SharedCounts> {
  const [logger, metrics] = [silentLogger, createMetrics('gateway')];
  const counts = open.use(await connectSharedCounts({ url, namespace, answerMs, logger, metrics }));
  for (const client of clientsOnEachNode()) await eventually(() => expect(counts.isUp(client)).toBe(true));
  return counts;
}

/** The number of the node that counts this client. */
function nodeOf(client: string): number {
  return Math.floor((slotOf(`${namespace}:${client}`) * 3) / 16_384);
}

let clientsMade = 0;
function newClientOn(node: number): string {
  for (;;) {
    clientsMade += 1;
    const client = `client-${clientsMade}`;
    if (nodeOf(client) === node) return client;
  }
}
const clientsOnEachNode = () => [0, 1, 2].map(newClientOn);
const once = { requests: 1, windowSeconds: 60 };

describe.each(['one Valkey', 'a cluster'])('with %s', (store) => {
  const limit: Limit = { name: 'test', requests: 20, windowSeconds: 60 };
  let replicas: RequestLimiter[];
  beforeAll(async () => {
    const connected = await Promise.all(
      [0, 1, 2].map(() => connectTo(store === 'one Valkey' ? alone : cluster.url)),
    );
    replicas = connected.map((shared) => {
      const memory = createWindowsMemory(['test']);
      return createRequestLimiter({ metrics: createMetrics('gateway'), memory, shared });
    });
  }, 60_000);

  it('three replicas together allow a client exactly the limit, however its requests come to them', async () => {
    const request = fc.record({
      replica: fc.nat({ max: 2 }),
      client: fc.nat({ max: 3 }),
      /** Whether the client waits for its earlier requests first. */
      waits: fc.boolean(),
    });
    let round = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(request, { minLength: 1, maxLength: 200 }), async (requests) => {
        round += 1;
        const asked = [0, 0, 0, 0];
        const allowed = [0, 0, 0, 0];
        const left = new Map<number, number[]>([0, 1, 2, 3].map((client) => [client, []]));
        const underWay: Promise<void>[] = [];
        const consume = async (replica: RequestLimiter, inRound: number, client: number) => {
          const state = await replica.consume(limit, `${store}-${inRound}-${client}`);
          if (!state.allowed) return;
          allowed[client]! += 1;
          left.get(client)?.push(state.remaining);
        };
        for (const { replica, client, waits } of requests) {
          if (waits) await Promise.all(underWay.splice(0));
          asked[client]! += 1;
          underWay.push(consume(replicas[replica]!, round, client));
        }
        await Promise.all(underWay);
        expect(allowed).toEqual(asked.map((count) => Math.min(count, limit.requests)));
        // No two requests were told the same number of requests left.
        for (const [client, numbers] of left)
          expect(numbers.toSorted((a, b) => b - a)).toEqual(
            Array.from({ length: allowed[client] ?? 0 }, (_, index) => limit.requests - 1 - index),
          );
      }),
      { numRuns: runs(20, 500) },
    );
  }, 120_000);
});

describe('a cluster', () => {
  it('places keys in slots as we do', async () => {
    const keys = fc.sample(fc.string({ unit: 'grapheme-ascii', minLength: 1 }), 200);
    const { client } = cluster.nodes[0]!;
    for (const key of [...keys, '{a}b', 'a{}b', 'a{b', 'a{{b}}'])
      expect([key, await client.call('CLUSTER', 'KEYSLOT', key)]).toEqual([key, slotOf(key)]);
  });

  it('of which a node does not answer counts the clients of all other nodes', async () => {
    const counts = await connectTo(cluster.url, 200);
    const [first, second, third] = clientsOnEachNode();
    process.kill(cluster.nodes[1]!.pid, 'SIGSTOP');
    // Its clients are counted without it after a few calls; theirs are the only ones that wait.
    await eventually(async () => {
      if (counts.isUp(second!)) await counts.add(second!, once);
      expect(counts.isUp(second!)).toBe(false);
    });
    for (let count = 1; count <= 50; count += 1)
      for (const client of [first!, third!]) {
        expect(counts.isUp(client)).toBe(true);
        expect(await counts.add(client, once)).toMatchObject({ count });
      }
    process.kill(cluster.nodes[1]!.pid, 'SIGCONT');
    await eventually(() => expect(counts.isUp(second!)).toBe(true));
  }, 60_000);

  it('counts a client whose slot has moved to another node', async () => {
    const counts = await connectTo(cluster.url);
    const client = newClientOn(0);
    const slot = slotOf(`${namespace}:${client}`);
    const owner = String(await cluster.nodes[2]!.client.call('CLUSTER', 'MYID'));
    for (const node of [2, 0, 1])
      await cluster.nodes[node]!.client.call('CLUSTER', 'SETSLOT', slot, 'NODE', owner);
    await eventually(async () => expect(typeof (await counts.add(client, once))).toBe('object'));
    expect(await cluster.nodes[2]!.client.call('EXISTS', `${namespace}:${client}`)).toBe(1);
  }, 60_000);
});
