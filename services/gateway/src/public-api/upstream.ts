/** One service behind the gateway: keep-alive connections and a circuit breaker. */
import { createBreaker, probeLiveness } from '@offer-ads/platform/calls/breaker';
import type { Deadline } from '@offer-ads/platform/calls/deadline';
import { keepAlive } from '@offer-ads/platform/http/keep-alive';
import { Pool } from '@offer-ads/platform/http/undici';
import { Fault, serviceUnavailable } from '@offer-ads/platform/process/faults';
import { createKeyedSemaphore } from '@offer-ads/platform/process/keyed-semaphore';
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import type { Metrics } from '@offer-ads/platform/telemetry/metrics';
import type { Dispatcher } from 'undici';
import type { Audience } from './caller-tokens.ts';

export type Upstream = AsyncDisposable & {
  /**
   * Runs `work` with a connection that is free for it. The breaker counts its failures, but for a `CallersFault` and a `Fault`.
   * @throws what `work` throws; an error when the breaker is open; the 503 fault when no connection is free in time
   */
  readonly use: (
    o: { readonly takesLong: boolean; readonly deadline: Deadline },
    work: (connections: Dispatcher) => Promise<void>,
  ) => Promise<void>;
  /** The 503 for a service that refuses, resets, hangs or sends an invalid reply. */
  readonly noAnswer: (reason: string, cause?: unknown) => Fault;
};

/** The caller disconnected, or broke its upload off: the service is not the cause, so the breaker does not count it. */
export class CallersFault extends Error {
  override readonly name = 'CallersFault';
}

/** More would only queue inside the service. */
const maxConnections = 256;

export function createUpstream(o: {
  name: Audience;
  baseUrl: string;
  logger: Logger;
  metrics: Metrics;
}): Upstream {
  const noAnswer = (reason: string, cause?: unknown) =>
    serviceUnavailable(`${o.name} did not answer: ${reason}`, cause);
  const open = () => ({
    pool: new Pool(o.baseUrl, {
      ...keepAlive,
      connections: maxConnections,
      connect: { timeout: 1_000 },
      // The exchange limits the duration of a reply.
      headersTimeout: 0,
      bodyTimeout: 0,
    }),
    free: createKeyedSemaphore({
      of: `connections to ${o.name}`,
      atOnce: maxConnections,
      waiting: 10_000,
      refusal: noAnswer,
    }),
  });
  const usual = open();
  // An upload may take minutes, and a creation 25 seconds. They have their own connections, so that they never block other requests.
  const slow = open();
  const breaker = createBreaker({
    target: o.name,
    logger: o.logger,
    metrics: o.metrics,
    isHarmless: (error) => error instanceof CallersFault || error instanceof Fault,
    // A probe instead of a caller's request, which could take as long as its upload or as its caller's reading.
    probe: () => probeLiveness(o.baseUrl),
  });
  return {
    noAnswer,
    use: ({ takesLong, deadline }, work) => {
      const { pool, free } = takesLong ? slow : usual;
      return free.run(o.name, () => breaker.fire(() => work(pool)), deadline);
    },
    [Symbol.asyncDispose]: async () => {
      breaker.shutdown();
      await Promise.all([usual.pool.close(), slow.pool.close()]);
    },
  };
}
