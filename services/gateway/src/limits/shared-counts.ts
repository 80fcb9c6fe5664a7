/**
 * Counts shared by all replicas, in Valkey (or Redis). When the store stops answering, the requests under way wait for one short timeout;
 * later ones are counted in memory at once (request-limiter.ts). From then on only a probe asks the store, until it is back.
 */
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import type { Metrics } from '@offer-ads/platform/telemetry/metrics';
import { Redis } from 'ioredis';
import { z } from 'zod';
import { timeoutWheel } from './timeout-wheel.ts';

export type SharedCounts = AsyncDisposable & {
  readonly isUp: () => boolean;
  /**
   * Adds to the count of `id` atomically, and begins its window of `windowSeconds` if none runs. Null if the store does not answer in time;
   * it may have counted all the same.
   */
  readonly add: (
    id: string,
    o: { requests: number; windowSeconds: number },
  ) => Promise<{ readonly count: number; readonly msToEnd: number } | null>;
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
  url: string;
  /** The prefix of every key; tests have their own. */
  namespace: string;
  /** How long a request waits for the store. Tests wait longer, because their machine may be busy. */
  answerMs?: number | undefined;
  logger: Logger;
  metrics: Metrics;
}): Promise<SharedCounts> {
  const { logger } = o;
  const gauge = o.metrics.gauge({
    name: 'rate_limit_store_up',
    help: '1 while requests are counted in the shared store, 0 while each replica counts for itself.',
  });
  const client = withScript(
    new Redis(o.url, {
      lazyConnect: true,
      // A request that cannot be counted now is counted in memory; counting it later as well would count it twice.
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
      connectTimeout: connectMs,
      socketTimeout: silenceMs,
      retryStrategy: (attempt) => Math.min(attempt * 50, longestReconnectDelayMs),
    }),
  );
  const timeouts = timeoutWheel(o.answerMs ?? usualAnswerMs);
  let up: boolean | undefined;
  let whyDown = 'not connected yet';
  const noteUp = (isUp: boolean) => {
    if (up === isUp) return;
    up = isUp;
    gauge.set(isUp ? 1 : 0);
    if (isUp) logger.info('rate limits are counted in the shared store');
    else logger.warn({ reason: whyDown }, 'the store of rate limits is away: each replica counts for itself');
  };

  const add: SharedCounts['add'] = async (id, { requests, windowSeconds }) => {
    try {
      const counting = client.addToWindow(`${o.namespace}:${id}`, requests, windowSeconds);
      const [count, msToEnd] = counted.parse(await timeouts.wait(counting));
      return { count, msToEnd };
    } catch (error) {
      // Only the message: the library's errors contain their command, and a login command contains the password.
      whyDown = error instanceof Error ? error.message : String(error);
      noteUp(false);
      return null;
    }
  };
  /** Counts as a request does, because a store that answers but cannot write is not back. */
  const probe = async () => {
    if (up !== true && client.status === 'ready' && (await add('probe', probeCount)) !== null) noteUp(true);
  };

  client.on('error', (error) => {
    whyDown = error.message;
  });
  client.on('close', () => noteUp(false));
  client.on('ready', () => void probe());
  const probing = setInterval(() => void probe(), probeEveryMs).unref();

  // A start waits for the store for at most the connection's timeout; without a store, the replica starts all the same.
  await client.connect().catch(() => {});
  await probe();
  if (up === undefined) noteUp(false);

  return {
    isUp: () => up === true,
    add,
    [Symbol.asyncDispose]: async () => {
      clearInterval(probing);
      timeouts[Symbol.dispose]();
      client.removeAllListeners('close');
      client.disconnect();
    },
  };
}

/** In one atomic step: begins a window if none runs, adds to its count, and reads the count and the milliseconds to its end. */
const addToWindow = `
  redis.call('SET', KEYS[1], 0, 'EX', ARGV[2], 'NX')
  return { redis.call('INCRBY', KEYS[1], ARGV[1]), redis.call('PTTL', KEYS[1]) }`;
const counted = z.tuple([z.number(), z.number()]);

type WithScript = Redis & {
  readonly addToWindow: (key: string, requests: number, windowSeconds: number) => Promise<unknown>;
};

/** The client sends the script once to each server, and its digest from then on. */
function withScript(client: Redis): WithScript {
  client.defineCommand('addToWindow', { lua: addToWindow, numberOfKeys: 1 });
  return client as WithScript;
}

const probeCount = { requests: 1, windowSeconds: 1 };
