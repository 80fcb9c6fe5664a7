/** Asks offers for the test clock of an organisation, because pricing checks the start of an estimate by it (decision 216, test clock). */
import { testClockAhead, testClockPath } from '@offer-ads/contracts/internal/test-clock-api';
import { createDeadline } from '@offer-ads/platform/calls/deadline';
import { createServiceClient } from '@offer-ads/platform/calls/service-client';
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import type { Metrics } from '@offer-ads/platform/telemetry/metrics';
import type { Caller } from '../domain/keys/admission.ts';
import type { TokenMaker } from './caller-tokens.ts';
import type { Endpoint } from './endpoints.ts';

export type TestClocks = AsyncDisposable & {
  /**
   * The caller with the time of the test clock, for an endpoint that needs it in TEST mode; every other caller as it is. If offers does
   * not answer, the real time counts: the estimate then accepts a start that a creation refuses.
   */
  readonly withClock: (
    endpoint: Pick<Endpoint, 'byTestClock'>,
    caller: Caller,
    request: { readonly network: string; readonly requestId: string },
  ) => Promise<Caller>;
};

/** Half of what an estimate may take. */
const ASKED_MS = 1_000;

export function createTestClocks(o: {
  readonly offersUrl: string;
  readonly tokenFor: TokenMaker;
  readonly logger: Logger;
  readonly metrics: Metrics;
}): TestClocks {
  const client = createServiceClient({
    name: 'offers-test-clock',
    baseUrl: o.offersUrl,
    logger: o.logger,
    metrics: o.metrics,
    timeoutMs: ASKED_MS,
  });
  return {
    withClock: async (endpoint, caller, { network, requestId }) => {
      if (endpoint.byTestClock !== true || caller.mode !== 'TEST') return caller;
      try {
        const { aheadSeconds: testClockAheadSeconds } = await client.call({
          method: 'GET',
          path: testClockPath,
          callerToken: o.tokenFor('offers', caller, network),
          requestId,
          deadline: createDeadline(ASKED_MS),
          reply: testClockAhead,
          retry: 'safe',
        });
        return { ...caller, testClockAheadSeconds };
      } catch {
        return caller;
      }
    },
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  };
}
