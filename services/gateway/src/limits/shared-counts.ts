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
    overThreads: 'min',
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

  let waiting: Addition[] = [];
  /** All that arrived together is sent together, because a call of its own costs as much as the rest of a request. */
  const add: SharedCounts['add'] = (id, { requests, windowSeconds }) =>
    new Promise((settle) => {
      waiting.push({ key: `${o.namespace}:${id}`, requests, windowSeconds, settle });
      if (waiting.length === 1) setImmediate(sendWaiting);
    });
  const sendWaiting = () => {
    const all = waiting;
    waiting = [];
    for (let from = 0; from < all.length; from += maxAtOnce) void send(all.slice(from, from + maxAtOnce));
  };
  const send = async (additions: readonly Addition[]) => {
    try {
      const keys = additions.map(({ key }) => key);
      const values = additions.flatMap(({ requests, windowSeconds }) => [requests, windowSeconds]);
      const counts = counted.parse(await timeouts.wait(client.addToWindows(keys.length, ...keys, ...values)));
      if (counts.length !== values.length) throw new Error('the store answered for fewer counts');
      for (const [place, { settle }] of additions.entries()) {
        settle({ count: counts[2 * place] ?? 0, msToEnd: counts[2 * place + 1] ?? 0 });
      }
    } catch (error) {
      // Only the message: the library's errors contain their command, and a login command contains the password.
      whyDown = error instanceof Error ? error.message : String(error);
      noteUp(false);
      for (const { settle } of additions) settle(null);
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

/** What one request waits for. */
type Addition = {
  readonly key: string;
  readonly requests: number;
  readonly windowSeconds: number;
  readonly settle: (answer: Awaited<ReturnType<SharedCounts['add']>>) => void;
};

/** The store serves nobody else while a script runs; this many take it about half a millisecond. */
const maxAtOnce = 128;

/** For each key, atomically: begins a window if none runs, adds to its count, and reads the count and the milliseconds to its end. */
const addToWindows = `
  local answers = {}
  for place, key in ipairs(KEYS) do
    redis.call('SET', key, 0, 'EX', ARGV[2 * place], 'NX')
    answers[2 * place - 1] = redis.call('INCRBY', key, ARGV[2 * place - 1])
    answers[2 * place] = redis.call('PTTL', key)
  end
  return answers`;
const counted = z.array(z.number());

type WithScript = Redis & {
  readonly addToWindows: (keys: number, ...keysAndValues: readonly (string | number)[]) => Promise<unknown>;
};

/** The client sends the script once to each server, and its digest from then on. */
function withScript(client: Redis): WithScript {
  client.defineCommand('addToWindows', { lua: addToWindows });
  return client as WithScript;
}

const probeCount = { requests: 1, windowSeconds: 1 };
