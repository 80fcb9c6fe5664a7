/**
 * A hosted service as the model. Every call has limits for time, retries and size, and a circuit breaker. If there is no
 * result, `score` rejects with a 503.
 */
import { createBreaker, saysUnavailable } from '@offer-ads/platform/calls/breaker';
import { isCallerGone, serviceUnavailable } from '@offer-ads/platform/process/faults';
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import type { Metrics } from '@offer-ads/platform/telemetry/metrics';
import { traceCall } from '@offer-ads/platform/telemetry/traces';
import type { Scores } from '../domain/decision.ts';
import type { Model } from '../model/model.ts';
import type { LookShape } from '../pictures/clean-picture.ts';
import { type HostedService, UnexpectedAnswer } from './hosted-service.ts';

/** The size that these services are trained on, and within the limits of each. */
const lookShape: LookShape = { side: 640, fit: 'contain', jpegQuality: 90 };
/**
 * Two tries fit into an advertiser's wait for moderation (decision 23, deadlines and outages: 10 s), with time left to open the picture.
 */
const timeoutMs = 4_000;
const maxTries = 2;
/** Concurrent requests for the looks of one picture. */
const maxAtOnce = 16;
/** A thousand times the usual answer. */
const largestAnswerBytes = 2 ** 20;

export function createHostedModel(o: {
  readonly service: HostedService;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** For one try; set by tests. */
  readonly timeoutMs?: number;
}): Model {
  const { identity } = o.service;
  const durations = o.metrics.histogram({
    name: 'moderation_hosted_call_seconds',
    help: 'Calls to the hosted model, by outcome.',
    labelNames: ['outcome'],
  });
  const breaker = createBreaker({
    target: identity.name,
    logger: o.logger,
    metrics: o.metrics,
    attempt: (call: Call) => unlessAborted(call, ask(o.service, call, o.timeoutMs ?? timeoutMs)),
    // Decision 133, what a breaker counts: an error for one look may be caused by that look, unless it says that the service is unavailable
    // or overloaded.
    isHarmless: (error) =>
      error instanceof CallerStoppedWaiting ||
      error instanceof UnexpectedAnswer ||
      (error instanceof Refused && !error.isUnavailable),
  });

  async function score(look: Uint8Array, signal: AbortSignal): Promise<Scores> {
    const jpeg = Buffer.from(look);
    for (let tries = 1; ; tries += 1) {
      const stop = durations.startTimer();
      try {
        const scores = await breaker.fire({ jpeg, signal });
        stop({ outcome: 'ok' });
        return scores;
      } catch (error) {
        stop({ outcome: breaker.isOpen() ? 'breaker-open' : 'failed' });
        if (signal.aborted && isCallerGone(signal.reason)) throw signal.reason;
        if (tries === maxTries || signal.aborted || !isTransientError(error))
          throw serviceUnavailable(`${identity.name} gave no verdict: ${reason(error)}`, error);
      }
    }
  }

  return {
    identity,
    lookShape,
    // Always ready: all replicas use the same service.
    ready: () => true,
    score: async (looks, signal) => {
      const scores: Scores[] = [];
      for (let from = 0; from < looks.length; from += maxAtOnce) {
        const some = looks.slice(from, from + maxAtOnce);
        scores.push(...(await Promise.all(some.map((look) => score(look, signal)))));
      }
      return scores;
    },
    [Symbol.asyncDispose]: async () => breaker.shutdown(),
  };
}

type Call = { readonly jpeg: Buffer; readonly signal: AbortSignal };

/** The service answered with a status other than 200. */
class Refused extends Error {
  override readonly name = 'Refused';
  /** A retry may help. */
  readonly isTransient: boolean;
  /** The service is down or overloaded; the look is not the cause. */
  readonly isUnavailable: boolean;

  constructor(status: number, problem: unknown, isOverload: boolean) {
    // Only a single word of the answer is kept: a sentence may quote the request, including the key. Keys contain digits, these words do
    // not.
    const isWord = typeof problem === 'string' && /^[A-Za-z_.:#]{1,80}$/.test(problem);
    super(`answered ${status}${isWord ? ` (${problem})` : ''}`);
    this.isUnavailable = saysUnavailable(status) || status === 429 || isOverload;
    this.isTransient = this.isUnavailable || status >= 500;
  }
}

/** The caller has disconnected, or had less time left than an answer may take. */
class CallerStoppedWaiting extends Error {
  override readonly name = 'CallerStoppedWaiting';
}

async function unlessAborted<T>({ signal }: Call, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw signal.aborted ? new CallerStoppedWaiting('the caller stopped waiting', { cause: error }) : error;
  }
}

async function ask(service: HostedService, { jpeg, signal }: Call, limitMs: number): Promise<Scores> {
  const { url, headers, body } = await service.request(jpeg);
  const response = await traceCall('hosted moderation', () =>
    fetch(url, {
      method: 'POST',
      headers: { ...headers },
      body,
      // A redirect would send picture and key to another host.
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(limitMs)]),
    }),
  );
  const text = await readAtMost(response, largestAnswerBytes);
  if (response.status !== 200) {
    const problem = service.problem(jsonOrNothing(text));
    throw new Refused(response.status, problem, service.overloads?.has(problem) ?? false);
  }
  try {
    return service.scores(jsonOrNothing(text));
  } catch (error) {
    throw error instanceof UnexpectedAnswer ? error : new UnexpectedAnswer('answered something unexpected');
  }
}

async function readAtMost(response: Response, maxBytes: number): Promise<string> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of response.body ?? []) {
    length += part.length;
    if (length > maxBytes) throw new UnexpectedAnswer('the answer is too large');
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

/** A parser's error would quote the answer. */
function jsonOrNothing(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Errors that the service calls temporary, and broken connections. After a timeout there is no time left for a retry. */
function isTransientError(error: unknown): boolean {
  if (error instanceof Refused) return error.isTransient;
  const { cause } = error as { cause?: { code?: string } };
  return connectionFailures.has(cause?.code ?? '');
}

const connectionFailures = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

/** Never the service's text, which may quote the request. */
function reason(error: unknown): string {
  return error instanceof Error ? error.message : 'unknown';
}
