/** Calls to another service: keep-alive, a time-out per call, a breaker per client, replies checked against a schema. */

import {
  callerContextHeader,
  requestBudgetHeader,
  requestIdHeader,
} from '@offer-ads/contracts/internal/caller-context';
import type { ServiceName } from '@offer-ads/contracts/values/primitives';
import type { Dispatcher } from 'undici';
import type { z } from 'zod';
import { keepAlive } from '../http/keep-alive.ts';
import { Agent } from '../http/undici.ts';
import { isCallerGone, serviceUnavailable, tooManyRequests } from '../process/faults.ts';
import type { Logger } from '../telemetry/logging.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { restingTrace } from '../telemetry/traces.ts';
import { createBreaker, probeLiveness, saysUnavailable } from './breaker.ts';
import type { Deadline } from './deadline.ts';

export type ServiceCall<S extends z.ZodType> = {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly callerToken: string;
  readonly requestId: string;
  readonly deadline: Deadline;
  readonly json?: unknown;
  readonly bytes?: Uint8Array;
  /** Checks the parsed JSON, or `{ contentType, bytes }` for a reply of another type. */
  readonly reply: S;
  /** Replaces the client's default time-out. */
  readonly timeoutMs?: number;
  /** Retries once when the connection failed; only for calls that may safely be repeated. */
  readonly retry?: 'safe';
};

export type ServiceClient = AsyncDisposable & {
  /**
   * The body of a 200. A 429 is the caller's own fault and throws the 429 fault, with the service's message and
   * `Retry-After`. Everything else (connection refused, no answer, an
   * unexpected body, another status) throws the 503 fault.
   */
  readonly call: <S extends z.ZodType>(o: ServiceCall<S>) => Promise<z.infer<S>>;
};

/** Twice the largest expected reply, a cleaned picture of 16 MiB. Bounds the memory for a faulty one. */
const largestReplyBytes = 32 * 1024 * 1024;

const jsonType = 'application/json';

export function createServiceClient(o: {
  /** Also a label of metrics. Processes of one service that are called separately have a suffix. */
  name: ServiceName | `${ServiceName}-${string}`;
  baseUrl: string;
  logger: Logger;
  metrics: Metrics;
  timeoutMs: number;
}): ServiceClient {
  const agent = new Agent({
    ...keepAlive,
    connect: { timeout: 1_000 },
    headersTimeout: 0,
    bodyTimeout: 0,
    maxResponseSize: largestReplyBytes,
  });
  const durations = o.metrics.histogram({
    name: 'service_call_duration_seconds',
    help: 'Calls to other services, by outcome.',
    labelNames: ['target', 'outcome'],
  });
  const breaker = createBreaker({
    target: o.name,
    logger: o.logger,
    metrics: o.metrics,
    isHarmless: (error) =>
      isCallerGone(error) ||
      error instanceof TooLittleTime ||
      (error instanceof UnexpectedReply && !saysUnavailable(error.status)),
    // A probe instead of a call, because the caller's input decides how long that lasts.
    probe: () => probeLiveness(o.baseUrl),
  });

  return {
    call: async <S extends z.ZodType>(call: ServiceCall<S>) => {
      if (call.deadline.remainingMs() === 0) throw serviceUnavailable(`no time left to ask ${o.name}`);
      const stop = durations.startTimer({ target: o.name });
      try {
        const reply = await withRetry(call, () => breaker.fire(() => attempt(agent, o, call)));
        stop({ outcome: 'ok' });
        return reply as z.infer<S>;
      } catch (error) {
        if (isCallerGone(error)) {
          stop({ outcome: 'caller-gone' });
          throw error;
        }
        stop({ outcome: breaker.isOpen() ? 'breaker-open' : 'failed' });
        const message = `${o.name} ${call.method} failed: ${reason(error)}`;
        const isTooMany = error instanceof UnexpectedReply && error.status === 429;
        throw isTooMany ? tooManyRequests(message, error, error.refusal) : serviceUnavailable(message, error);
      }
    },
    [Symbol.asyncDispose]: async () => {
      breaker.shutdown();
      await agent.close();
    },
  };
}

/** The deadline left less than half of the call's usual time-out, so a missing answer does not count against the service. */
class TooLittleTime extends Error {}

/** The service answered with a status or body outside of the contract. */
class UnexpectedReply extends Error {
  readonly status: number;
  /** What the service says to its caller's caller. */
  readonly refusal: Refusal;
  constructor(status: number, problem: string, refusal: Refusal = {}) {
    super(problem);
    this.status = status;
    this.refusal = refusal;
  }
}
type Refusal = { readonly publicMessage?: string; readonly retryAfterSeconds?: number };

async function attempt(
  agent: Dispatcher,
  o: { baseUrl: string; timeoutMs: number },
  call: ServiceCall<z.ZodType>,
): Promise<unknown> {
  const timeoutMs = call.timeoutMs ?? o.timeoutMs;
  const signal = call.deadline.signal(timeoutMs);
  const budgetMs = Math.floor(Math.min(timeoutMs, call.deadline.remainingMs()));
  try {
    return await exchange(agent, o.baseUrl, call, { budgetMs, signal });
  } catch (error) {
    const isTimeout = (error as { name?: string }).name === 'TimeoutError';
    if (!isTimeout || budgetMs >= timeoutMs / 2) throw error;
    throw new TooLittleTime(`no answer within the ${budgetMs} ms that were left`, { cause: error });
  }
}

async function exchange(
  agent: Dispatcher,
  baseUrl: string,
  call: ServiceCall<z.ZodType>,
  { budgetMs, signal }: { budgetMs: number; signal: AbortSignal },
): Promise<unknown> {
  const { body, contentType } = requestBody(call);
  const response = await agent.request({
    origin: baseUrl,
    path: call.path,
    method: call.method,
    headers: {
      [callerContextHeader]: call.callerToken,
      [requestIdHeader]: call.requestId,
      [requestBudgetHeader]: String(budgetMs),
      ...contentType,
      ...restingTrace(),
    },
    body,
    signal,
  });
  const bytes = Buffer.from(await response.body.arrayBuffer());
  if (response.statusCode !== 200) {
    const refusal = response.statusCode === 429 ? refusalIn(response.headers['retry-after'], bytes) : {};
    throw new UnexpectedReply(response.statusCode, `answered ${response.statusCode}`, refusal);
  }
  const type = response.headers['content-type'] ?? jsonType;
  const reply = type.includes(jsonType) ? jsonIn(bytes) : { contentType: type, bytes };
  const parsed = call.reply.safeParse(reply);
  if (!parsed.success) throw new UnexpectedReply(200, 'answered 200 with an unexpected body');
  return parsed.data;
}

/** The parser's own error would quote the reply, which may hold personal data. */
function jsonIn(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    throw new UnexpectedReply(200, 'answered 200 with something that is not JSON');
  }
}

/** Empty if it is not the refusal of a service. */
function refusalIn(retryAfter: string | string[] | undefined, body: Buffer): Refusal {
  const retryAfterSeconds = Number(retryAfter);
  try {
    const { message } = JSON.parse(body.toString()) as { message?: unknown };
    return typeof message === 'string' && retryAfterSeconds > 0
      ? { publicMessage: message, retryAfterSeconds }
      : {};
  } catch {
    return {};
  }
}

function requestBody(call: ServiceCall<z.ZodType>): {
  body: string | Uint8Array | null;
  contentType: Record<string, string>;
} {
  if (call.bytes !== undefined) {
    return { body: call.bytes, contentType: { 'content-type': 'application/octet-stream' } };
  }
  if (call.json !== undefined) {
    return { body: JSON.stringify(call.json), contentType: { 'content-type': jsonType } };
  }
  return { body: null, contentType: {} };
}

async function withRetry<T>(call: ServiceCall<z.ZodType>, fire: () => Promise<T>): Promise<T> {
  try {
    return await fire();
  } catch (error) {
    if (call.retry !== 'safe' || !isConnectionFailure(error) || call.deadline.remainingMs() === 0)
      throw error;
    return await fire();
  }
}

/** Errors after which the service may never have seen the request. */
const connectionFailures = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

function isConnectionFailure(error: unknown): boolean {
  return connectionFailures.has((error as NodeJS.ErrnoException).code ?? '');
}

/** Never quotes the reply: it may hold personal data. */
function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
