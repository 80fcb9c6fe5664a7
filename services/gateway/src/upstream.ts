/** One service behind the gateway: keep-alive connections and a breaker; bodies pass as streams. */
import type { Readable } from 'node:stream';
import { createBreaker, probeLiveness } from '@offer-ads/platform/calls/breaker';
import { keepAlive } from '@offer-ads/platform/http/keep-alive';
import { createStoreClock, type StoreClock } from '@offer-ads/platform/postgres/store-clock';
import { serviceUnavailable } from '@offer-ads/platform/process/faults';
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import type { Metrics } from '@offer-ads/platform/telemetry/metrics';
import { type Dispatcher, Pool } from 'undici';
import type { Audience } from './caller-tokens.ts';

export type ForwardedRequest = {
  readonly method: Dispatcher.HttpMethod;
  /** As the caller wrote it, with the query string. */
  readonly path: string;
  /** Names and values in turn. */
  readonly headers: readonly string[];
  readonly body: Readable | null;
};

/** Takes the reply as it arrives. */
export type ReplyTaker = Dispatcher.DispatchHandler & {
  /** Settles when the whole reply was taken, or when there will be none. */
  readonly taken: Promise<void>;
  /** Whether the request has a connection to the service. */
  readonly hasBegun: () => boolean;
};

export type Upstream = AsyncDisposable & {
  /** Ends when the reply was passed to `taker`; a service that refuses, resets, hangs or babbles is the 503 fault. */
  readonly send: (request: ForwardedRequest, taker: ReplyTaker) => Promise<void>;
  /** The clock of the service's store, as its replies have shown it. */
  readonly storeClock: StoreClock;
};

/** The reason of an abort that is not the service's fault: nobody waits for the reply any more. */
export class CallerGone extends Error {
  override readonly name = 'CallerGone';
}

/** The reason of an abort that is not the service's fault: all connections to it were in use, so it was not asked. */
export class NoConnectionFree extends Error {
  override readonly name = 'NoConnectionFree';
}

/** The connection ended, or was not read, while the body was being sent: its caller may be the cause, as with a body that is too large. */
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
      // How long a reply may take is the taker's to say.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  const pool = openPool();
  // An upload may take minutes: however many are under way, other requests have connections of their own.
  const uploads = openPool();
  const breaker = createBreaker({
    target: o.name,
    logger: o.logger,
    metrics: o.metrics,
    attempt: async ({ request, taker }: { request: ForwardedRequest; taker: ReplyTaker }) => {
      const { body } = request;
      (body === null ? pool : uploads).dispatch(request as Dispatcher.DispatchOptions, taker);
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
    // A caller's request would take as long as its upload, or as its caller reads.
    probe: () => probeLiveness(o.baseUrl),
  });
  return {
    storeClock: createStoreClock(),
    send: async (request, taker) => {
      try {
        await breaker.fire({ request, taker });
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
