/** One service behind the gateway: keep-alive connections and a circuit breaker; bodies are streamed. */
import type { Readable } from 'node:stream';
import { createBreaker, probeLiveness } from '@offer-ads/platform/calls/breaker';
import { keepAlive } from '@offer-ads/platform/http/keep-alive';
import { createStoreClock, type StoreClock } from '@offer-ads/platform/postgres/store-clock';
import { serviceUnavailable } from '@offer-ads/platform/process/faults';
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import type { Metrics } from '@offer-ads/platform/telemetry/metrics';
import { addTraceTo, traceCall } from '@offer-ads/platform/telemetry/traces';
import { type Dispatcher, Pool } from 'undici';
import type { Audience } from './caller-tokens.ts';

export type ForwardedRequest = {
  readonly method: Dispatcher.HttpMethod;
  /** As the caller wrote it, with the query string. */
  readonly path: string;
  /** Names and values alternating; the trace is added. */
  readonly headers: string[];
  readonly body: Readable | null;
};

/** Receives the reply as it arrives. */
export type ReplyTaker = Dispatcher.DispatchHandler & {
  /** Settles when the whole reply was received, or when there will be none. */
  readonly taken: Promise<void>;
  /** Whether the request has a connection to the service. */
  readonly hasBegun: () => boolean;
};

export type Upstream = AsyncDisposable & {
  /** Resolves when the reply was passed to `taker`; a service that refuses, resets, hangs or sends an invalid reply gives the 503 fault. */
  readonly send: (request: ForwardedRequest, taker: ReplyTaker) => Promise<void>;
  /** The clock of the service's database, as its replies have shown it. */
  readonly storeClock: StoreClock;
};

/** The reason of an abort that is not the service's fault: the caller disconnected. */
export class CallerGone extends Error {
  override readonly name = 'CallerGone';
}

/** The reason of an abort that is not the service's fault: all connections to it were in use, so it got no request. */
export class NoConnectionFree extends Error {
  override readonly name = 'NoConnectionFree';
}

/** The connection failed while the body was being sent. The caller may be the cause, for example with a body that is too large. */
class UploadBroken extends Error {
  override readonly name = 'UploadBroken';
}

/** More would only queue inside the service. */
const mostConnections = 256;

export function createUpstream(o: {
  name: Audience;
  baseUrl: string;
  logger: Logger;
  metrics: Metrics;
}): Upstream {
  const openPool = () =>
    new Pool(o.baseUrl, {
      ...keepAlive,
      connections: mostConnections,
      connect: { timeout: 1_000 },
      // The taker limits the duration of a reply.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  const pool = openPool();
  // An upload may take minutes, so uploads have their own connections and never block other requests.
  const uploads = openPool();
  const breaker = createBreaker({
    target: o.name,
    logger: o.logger,
    metrics: o.metrics,
    attempt: async ({ request, taker }: { request: ForwardedRequest; taker: ReplyTaker }) => {
      const { body } = request;
      (body === null ? pool : uploads).dispatch(request, taker);
      try {
        await taker.taken;
      } catch (error) {
        const isUploading = body !== null && !body.readableEnded && taker.hasBegun();
        if (!isUploading || error instanceof CallerGone) throw error;
        throw new UploadBroken((error as Error).message, { cause: error });
      }
    },
    isHarmless: (error) =>
      error instanceof CallerGone || error instanceof NoConnectionFree || error instanceof UploadBroken,
    // A probe instead of a caller's request, which could take as long as its upload or as its caller's reading.
    probe: () => probeLiveness(o.baseUrl),
  });
  return {
    storeClock: createStoreClock(),
    send: async (request, taker) => {
      try {
        await traceCall(`${request.method} ${o.name}`, () => {
          addTraceTo(request.headers);
          return breaker.fire({ request, taker });
        });
      } catch (error) {
        if (error instanceof CallerGone) throw error;
        throw serviceUnavailable(`${o.name} did not answer: ${(error as Error).message}`, error);
      }
    },
    [Symbol.asyncDispose]: async () => {
      breaker.shutdown();
      await Promise.all([pool.close(), uploads.close()]);
    },
  };
}
