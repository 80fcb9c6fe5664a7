/** One service behind the gateway: keep-alive connections and a breaker; bodies pass as streams. */
import type { Readable } from 'node:stream';
import { createBreaker } from '@offer-ads/platform/breaker';
import { serviceUnavailable } from '@offer-ads/platform/faults';
import type { Logger } from '@offer-ads/platform/logging';
import { Agent, type Dispatcher } from 'undici';
import type { Audience } from './caller-tokens.ts';

export type ForwardedRequest = {
  readonly method: Dispatcher.HttpMethod;
  /** As the caller wrote it, with the query string. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readable | null;
  readonly signal: AbortSignal;
};

export type Upstream = AsyncDisposable & {
  /** The reply's head, its body still to come; a service that refuses, resets or hangs is the 503 fault. */
  readonly send: (request: ForwardedRequest) => Promise<Dispatcher.ResponseData>;
};

/** The reason of an abort that is not the service's fault: nobody waits for the reply any more. */
export class CallerGone extends Error {
  override readonly name = 'CallerGone';
}

export function createUpstream(o: { name: Audience; baseUrl: string; logger: Logger }): Upstream {
  // How long a reply may take is the caller's signal to say.
  const agent = new Agent({ connect: { timeout: 1_000 }, headersTimeout: 0, bodyTimeout: 0 });
  const breaker = createBreaker({
    target: o.name,
    logger: o.logger,
    attempt: (request: ForwardedRequest) => agent.request({ origin: o.baseUrl, ...request }),
    isHarmless: (error) => error instanceof CallerGone,
  });
  return {
    send: async (request) => {
      try {
        return await breaker.fire(request);
      } catch (error) {
        if (error instanceof CallerGone) throw error;
        throw serviceUnavailable(`${o.name} did not answer: ${(error as Error).message}`, error);
      }
    },
    [Symbol.asyncDispose]: async () => {
      breaker.shutdown();
      await agent.close();
    },
  };
}
