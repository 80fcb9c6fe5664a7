/** One service behind the gateway: keep-alive connections and a circuit breaker. */
import type { Readable } from 'node:stream';
import { type CallUnderWay, createCircuit, probeLiveness } from '@offer-ads/platform/calls/breaker';
import { keepAlive } from '@offer-ads/platform/http/keep-alive';
import { Pool } from '@offer-ads/platform/http/undici';
import { type Fault, serviceUnavailable } from '@offer-ads/platform/process/faults';
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import type { Metrics } from '@offer-ads/platform/telemetry/metrics';
import type { RestingTrace } from '@offer-ads/platform/telemetry/traces';
import type { Dispatcher } from 'undici';
import type { Audience } from './caller-tokens.ts';
export type ForwardedRequest = {
  readonly method: Dispatcher.HttpMethod;
  /** As the caller wrote it, with the query string. */
  readonly path: string;
  /** Names and values alternating; the trace is added. */
  readonly headers: string[];
  readonly body: Readable | null;
  /** Set by `send`. */
  call?: CallUnderWay;
  /** Of the caller's request. */
  readonly trace: RestingTrace;
};

export type Upstream = AsyncDisposable & {
  /**
   * Passes the reply to `taker` as it arrives. The end must be told by `ended`, once.
   * @throws the 503 fault if the breaker is open; then there is no end to tell
   */
  readonly send: (request: ForwardedRequest, taker: Dispatcher.DispatchHandler) => void;
  /**
   * @param error why there is no reply, or only a part; undefined if the whole reply arrived
   * @returns the 503 fault for a service that refuses, resets, hangs or sends an invalid reply
   */
  readonly ended: (request: ForwardedRequest, error: Error | undefined) => Fault | undefined;
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
export class UploadBroken extends Error {
  override readonly name = 'UploadBroken';
}

/** More would only queue inside the service. */
const maxConnections = 256;

export function createUpstream(o: {
  name: Audience;
  baseUrl: string;
  logger: Logger;
  metrics: Metrics;
}): Upstream {
  const openPool = () =>
    new Pool(o.baseUrl, {
      ...keepAlive,
      connections: maxConnections,
      connect: { timeout: 1_000 },
      // The taker limits the duration of a reply.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  const pool = openPool();
  // An upload may take minutes, so uploads have their own connections and never block other requests.
  const uploads = openPool();
  const circuit = createCircuit({
    target: o.name,
    logger: o.logger,
    metrics: o.metrics,
    isHarmless: (error) =>
      error instanceof CallerGone || error instanceof NoConnectionFree || error instanceof UploadBroken,
    // A probe instead of a caller's request, which could take as long as its upload or as its caller's reading.
    probe: () => probeLiveness(o.baseUrl),
  });
  const noAnswer = (reason: string, cause?: unknown) =>
    serviceUnavailable(`${o.name} did not answer: ${reason}`, cause);
  return {
    send: (request, taker) => {
      const call = circuit.begin();
      if (call === undefined) throw noAnswer('the breaker is open');
      request.call = call;
      request.headers.push(...Object.entries(request.trace).flat());
      (request.body === null ? pool : uploads).dispatch(request, taker);
    },
    ended: ({ call }, error) => {
      if (error === undefined) {
        call?.succeeded();
        return undefined;
      }
      call?.failed(error);
      return error instanceof CallerGone ? undefined : noAnswer(error.message, error);
    },
    [Symbol.asyncDispose]: async () => {
      circuit.shutdown();
      await Promise.all([pool.close(), uploads.close()]);
    },
  };
}
