/**
 * Counts shared by all replicas, in Valkey (or Redis), alone or as a cluster. When a node stops answering, the requests under way wait for
 * a short timeout; later ones of its clients are counted in memory at once (request-limiter.ts). From then on only a probe asks the node,
 * until it is back.
 */
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import type { Metrics } from '@offer-ads/platform/telemetry/metrics';
import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { z } from 'zod';
import { slotOf } from '../domain/limits/cluster-slot.ts';
import { type CountAnswer, type NodeCounts, startNodeCounts } from './node-counts.ts';
import { timeoutWheel } from './timeout-wheel.ts';

export type SharedCounts = AsyncDisposable & {
  /** Whether the node that counts `id` answers. */
  readonly isUp: (id: string) => boolean;
  /** Adds to the count of `id` atomically, and begins its window of `windowSeconds` if none runs. Never rejects. */
  readonly add: (id: string, o: { requests: number; windowSeconds: number }) => Promise<CountAnswer>;
};

/** A store in the same network answers within a millisecond. */
const usualAnswerMs = 100;
/**
 * A connection that is silent for this long during a request is closed and reopened. An answer may wait in the socket while this process
 * is busy, which the client counts as silence, so this is longer than a process may be busy.
 */
const silenceMs = 3_000;
const probeEveryMs = 1_000;
const connectMs = 1_000;
const longestReconnectDelayMs = 1_000;

export async function connectSharedCounts(o: {
  /** One address; or addresses of several nodes of one cluster, separated by commas. */
  url: string;
  /** The prefix of every key; tests have their own. */
  namespace: string;
  /** How long a call waits for the store. Tests wait longer, because their machine may be busy. */
  answerMs?: number | undefined;
  logger: Logger;
  metrics: Metrics;
}): Promise<SharedCounts> {
  const { logger } = o;
  const gauge = o.metrics.gauge({
    name: 'rate_limit_store_up',
    help: '1 while requests are counted in the shared store, 0 while each replica counts for itself.',
    overThreads: 'min',
  });
  const urls = o.url.split(',');
  const store = urls.length === 1 ? connectAlone(o.url) : connectCluster(urls);
  const timeouts = timeoutWheel(o.answerMs ?? usualAnswerMs);
  let whyDown = 'not connected yet';

  const nodes = new Map<string, NodeCounts>();
  const noteGauge = () => gauge.set(isAllUp() ? 1 : 0);
  const isAllUp = () => {
    const names = store.nodeNames();
    return names.size > 0 && [...names].every((name) => nodes.get(name)?.isUp() === true);
  };
  const nodeNamed = (name: string): NodeCounts => {
    const known = nodes.get(name);
    if (known !== undefined) return known;
    const node = startNodeCounts({
      slotOf: store.slotOf,
      call: async (additions) => {
        const keys = additions.map(({ key }) => key);
        const values = additions.flatMap(({ requests, windowSeconds }) => [requests, windowSeconds]);
        const counts = counted.parse(await store.client.addToWindows(keys.length, ...keys, ...values));
        return pairsOf(counts);
      },
      timeouts,
      onChange: (isUp, reason) => {
        noteGauge();
        const which = name === alone ? {} : { node: name };
        if (isUp) logger.info(which, 'rate limits are counted in the shared store');
        else
          logger.warn(
            { ...which, reason },
            'the store of rate limits is away: each replica counts for itself',
          );
      },
    });
    nodes.set(name, node);
    return node;
  };

  const keyOf = (id: string) => `${o.namespace}:${id}`;
  /** A key that this node counts. */
  const probeKeyOf = (name: string): string | undefined => {
    for (let number = 0; number < maxProbeKeys; number += 1) {
      const key = keyOf(`probe-${number}`);
      if (store.nodeOf(key) === name) return key;
    }
    return undefined;
  };
  const probe = async (name: string) => {
    const node = nodeNamed(name);
    const key = probeKeyOf(name);
    if (node.isUp() || store.client.status !== 'ready' || key === undefined) return;
    await node.probe(key);
  };
  /** Also drops nodes that have left the cluster. */
  const probeAll = async () => {
    const names = store.nodeNames();
    for (const name of nodes.keys()) if (!names.has(name)) nodes.delete(name);
    noteGauge();
    await Promise.all([...names].map(probe));
  };

  store.client.on('error', (error: Error) => {
    whyDown = error.message;
  });
  store.client.on('close', () => {
    for (const node of nodes.values()) node.noteDown(whyDown);
  });
  store.client.on('ready', () => void probeAll());
  const probing = setInterval(() => void probeAll(), probeEveryMs).unref();

  // A start waits for the store for at most the connection's timeout; without a store, the replica starts all the same.
  await store.client.connect().catch(() => {});
  await probeAll();
  if (!isAllUp())
    logger.warn({ reason: whyDown }, 'the store of rate limits is away: each replica counts for itself');

  return {
    isUp: (id) => nodes.get(store.nodeOf(keyOf(id)))?.isUp() === true,
    add: (id, { requests, windowSeconds }) => {
      const key = keyOf(id);
      return nodeNamed(store.nodeOf(key)).add({ key, requests, windowSeconds });
    },
    [Symbol.asyncDispose]: async () => {
      clearInterval(probing);
      timeouts[Symbol.dispose]();
      store.client.removeAllListeners('close');
      store.client.disconnect();
    },
  };
}

/** More than enough to find a key of each node, because nodes have about equally many slots. */
const maxProbeKeys = 10_000;

type Store = {
  readonly client: WithScript<Redis> | WithScript<Cluster>;
  readonly nodeNames: () => ReadonlySet<string>;
  readonly nodeOf: (key: string) => string;
  /** Keys of one call have the same slot. */
  readonly slotOf: (key: string) => number;
};

const connection = {
  // A request that cannot be counted now is counted in memory; counting it later as well would count it twice.
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  connectTimeout: connectMs,
  socketTimeout: silenceMs,
} satisfies RedisOptions;

const alone = 'alone';

function connectAlone(url: string): Store {
  const client = new Redis(url, {
    ...connection,
    lazyConnect: true,
    enableOfflineQueue: false,
    retryStrategy: delayBefore,
  });
  const names = new Set([alone]);
  return { client: withScript(client), nodeNames: () => names, nodeOf: () => alone, slotOf: () => 0 };
}

/** How often the client asks the cluster which node has which slots, besides when a node says that a slot has moved. */
const readSlotsEveryMs = 2_000;

function connectCluster(urls: readonly string[]): Store {
  const parsed = urls.map((url) => new URL(url));
  const [{ username, password, protocol }] = parsed as [URL, ...URL[]];
  const client = new Cluster(
    parsed.map(({ hostname, port }) => ({ host: hostname, port: Number(port || 6379) })),
    {
      lazyConnect: true,
      enableOfflineQueue: false,
      clusterRetryStrategy: delayBefore,
      slotsRefreshInterval: readSlotsEveryMs,
      slotsRefreshTimeout: connectMs,
      // What a node may have counted is not sent again.
      retryDelayOnFailover: 0,
      retryDelayOnClusterDown: 0,
      redisOptions: {
        ...connection,
        ...(username !== '' && { username: decodeURIComponent(username) }),
        ...(password !== '' && { password: decodeURIComponent(password) }),
        ...(protocol === 'rediss:' && { tls: {} }),
      },
    },
  );
  const nodeOf = (key: string) => client.slots[slotOf(key)]?.[0] ?? 'none';
  const nodeNames = () => {
    const names = new Set<string>();
    for (const slot of client.slots) if (slot?.[0] !== undefined) names.add(slot[0]);
    return names;
  };
  return { client: withScript(client), nodeNames, nodeOf, slotOf };
}

function delayBefore(attempt: number): number {
  return Math.min(attempt * 50, longestReconnectDelayMs);
}

/** For each key, atomically: adds to its count, begins a window if none runs, and reads the count and the milliseconds to its end. */
const addToWindows = `
  local answers = {}
  for place, key in ipairs(KEYS) do
    answers[2 * place - 1] = redis.call('INCRBY', key, ARGV[2 * place - 1])
    local left = redis.call('PTTL', key)
    if left < 0 then
      left = ARGV[2 * place] * 1000
      redis.call('PEXPIRE', key, left)
    end
    answers[2 * place] = left
  end
  return answers`;
const counted = z.array(z.number());

function pairsOf(counts: readonly number[]): { count: number; msToEnd: number }[] {
  const pairs = [];
  for (let at = 0; at + 1 < counts.length; at += 2)
    pairs.push({ count: counts[at] ?? 0, msToEnd: counts[at + 1] ?? 0 });
  return pairs;
}

type WithScript<C> = C & {
  readonly addToWindows: (keys: number, ...keysAndValues: readonly (string | number)[]) => Promise<unknown>;
};

/** The client sends the script once to each server, and its digest from then on. */
function withScript<C extends Redis | Cluster>(client: C): WithScript<C> {
  client.defineCommand('addToWindows', { lua: addToWindows });
  return client as WithScript<C>;
}
