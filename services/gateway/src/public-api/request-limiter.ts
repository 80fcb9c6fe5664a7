/**
 * Counts requests in fixed windows, by `rate-limiter-flexible`: in Valkey (or Redis), which all replicas share, or in memory, which is
 * exact for one replica. While Valkey is away or slow, memory counts instead, with the whole limit for each replica (decision 21, rate
 * limits).
 */
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import type { Metrics } from '@offer-ads/platform/telemetry/metrics';
import { inNoTrace } from '@offer-ads/platform/telemetry/traces';
import { Cluster, Redis } from 'ioredis';
import { RateLimiterMemory, RateLimiterRedis, type RateLimiterRes } from 'rate-limiter-flexible';

/** The limit for one client. `name` is shown to callers and separates the counts of different limits. */
export type Limit = { readonly name: string; readonly requests: number; readonly windowSeconds: number };

/** The state of a client's limit after a request. `resetSeconds` is the time until a new window begins, rounded up. */
export type LimitState = {
  readonly allowed: boolean;
  readonly remaining: number;
  readonly resetSeconds: number;
};

export type RequestLimiter = AsyncDisposable & {
  /**
   * Counts one request of `client`, whatever its result. The client's window begins with its first request. Limits of one name share their
   * counts and have the same window. Never rejects. `client` is stored for the length of the window: hash it if it is secret.
   */
  readonly consume: (limit: Limit, client: string) => Promise<LimitState>;
};

/** A store in the same network answers within a millisecond. A request that waits longer is counted in memory. */
const usualAnswerMs = 100;
/** A connection that answers nothing for this long is closed. Until it is open again, no request waits for the store. */
const silenceMs = 1_000;
const connectMs = 1_000;
/** Of each limit in memory, about 40 MB. When there are more, those whose windows began first begin a new one. */
const maxClients = 100_000;
/** The limits of keys differ, so the library only counts, and the count is compared here. */
const points = Number.MAX_SAFE_INTEGER;

export async function startRequestLimiter(o: {
  /** One address; or addresses of several nodes of one cluster, separated by commas. */
  storeUrl: string | undefined;
  /** The prefix of every key in the store. */
  namespace: string;
  /** How long a request waits for the store. Tests wait longer, because their machine may be busy. */
  answerMs?: number | undefined;
  /** Of each limit in memory. */
  maxClients?: number;
  logger: Logger;
  metrics: Metrics;
}): Promise<RequestLimiter> {
  const counted = o.metrics.counter({
    name: 'rate_limit_requests_total',
    help: 'Requests counted against a limit, by whether they were within it.',
    labelNames: ['limit', 'outcome'],
  });
  const countedInMemory = o.metrics.counter({
    name: 'rate_limit_counted_in_memory_total',
    help: 'Requests counted in memory because the shared store was away or slow.',
  });
  const store = o.storeUrl === undefined ? undefined : await connect(o.storeUrl, o);

  function counterOf({ name, windowSeconds: duration }: Limit): RateLimiterMemory | RateLimiterRedis {
    const usual = { keyPrefix: name, points, duration };
    const insured = store === undefined ? () => {} : () => countedInMemory.inc();
    const memory = new MemoryLimiter(usual, o.maxClients ?? maxClients, insured);
    if (store === undefined) return memory;
    return new RateLimiterRedis({
      ...usual,
      keyPrefix: `${o.namespace}:${name}`,
      storeClient: store,
      rejectIfRedisNotReady: true,
      insuranceLimiter: memory,
    });
  }

  const counters = new Map<string, RateLimiterMemory | RateLimiterRedis>();
  return {
    consume: async (limit, client) => {
      let counter = counters.get(limit.name);
      if (counter === undefined) counters.set(limit.name, (counter = counterOf(limit)));
      const { consumedPoints: count, msBeforeNext } = await counter.consume(client);
      const allowed = count <= limit.requests;
      counted.inc({ limit: limit.name, outcome: allowed ? 'allowed' : 'refused' });
      return {
        allowed,
        remaining: Math.max(0, limit.requests - count),
        resetSeconds: Math.max(1, Math.ceil(msBeforeNext / 1_000)),
      };
    },
    [Symbol.asyncDispose]: async () => {
      store?.removeAllListeners('close');
      store?.disconnect();
    },
  };
}

/** The library's memory has no bound of its own. */
class MemoryLimiter extends RateLimiterMemory {
  readonly #clients = new Set<string>();
  readonly #maxClients: number;
  readonly #onCount: () => void;

  constructor(
    o: ConstructorParameters<typeof RateLimiterMemory>[0],
    maxClients: number,
    onCount: () => void,
  ) {
    super(o);
    this.#maxClients = maxClients;
    this.#onCount = onCount;
  }

  override async consume(client: string): Promise<RateLimiterRes> {
    this.#onCount();
    // The library's timer of the window would keep what the request's trace refers to.
    const counted = await inNoTrace(() => super.consume(client));
    if (counted.isFirstInDuration) {
      this.#clients.delete(client);
      this.#clients.add(client);
      for (const oldest of this.#clients) {
        if (this.#clients.size <= this.#maxClients) break;
        this.#clients.delete(oldest);
        void this.delete(oldest);
      }
    }
    return counted;
  }
}

/** Waits for the first connection for as long as connecting may take. Without it, the replica starts all the same. */
async function connect(
  url: string,
  o: { answerMs?: number | undefined; logger: Logger; metrics: Metrics },
): Promise<Redis | Cluster> {
  const client = clientOf(url, o.answerMs ?? usualAnswerMs);
  const up = {
    name: 'rate_limit_store_up',
    help: '1 while requests are counted in the shared store, 0 while each replica counts for itself.',
  };
  o.metrics.readGauge(up, (gauge) => gauge.set(client.status === 'ready' ? 1 : 0));
  let reason = 'not connected yet';
  let isAway = false;
  const noteAway = () => {
    if (isAway) return;
    isAway = true;
    o.logger.warn({ reason }, 'the store of rate limits is away: each replica counts for itself');
  };
  client.on('error', (error: Error) => {
    // Only the message: the library's errors contain their command, and a login command contains the password.
    reason = error.message;
  });
  client.on('close', noteAway);
  client.on('ready', () => {
    isAway = false;
    o.logger.info('rate limits are counted in the shared store');
  });
  await client.connect().catch(noteAway);
  return client;
}

function clientOf(url: string, answerMs: number): Redis | Cluster {
  const usual = { lazyConnect: true, enableOfflineQueue: false };
  const connection = {
    // What was not counted in time is counted in memory; sent again, it would be counted twice.
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    commandTimeout: answerMs,
    connectTimeout: connectMs,
    socketTimeout: silenceMs,
  };
  const urls = url.split(',').map((each) => new URL(each));
  const [{ username, password, protocol }] = urls as [URL, ...URL[]];
  if (urls.length === 1) return new Redis(url, { ...connection, ...usual, retryStrategy: pauseBefore });
  const nodes = urls.map(({ hostname, port }) => ({ host: hostname, port: Number(port || 6379) }));
  return new Cluster(nodes, {
    ...usual,
    clusterRetryStrategy: pauseBefore,
    slotsRefreshInterval: 2_000,
    slotsRefreshTimeout: connectMs,
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    redisOptions: {
      ...connection,
      ...(username !== '' && { username: decodeURIComponent(username) }),
      ...(password !== '' && { password: decodeURIComponent(password) }),
      ...(protocol === 'rediss:' && { tls: {} }),
    },
  });
}

function pauseBefore(attempt: number): number {
  return Math.min(attempt * 50, 1_000);
}
