/** Calls to another service: keep-alive, a time-out per call, a breaker per client, and replies that are checked. */

import {
  callerContextHeader,
  requestBudgetHeader,
  requestIdHeader,
} from '@offer-ads/contracts/caller-context';
import type { ServiceName } from '@offer-ads/contracts/primitives';
import { Agent, type Dispatcher } from 'undici';
import type { z } from 'zod';
import { createBreaker } from './breaker.ts';
import type { Deadline } from './deadline.ts';
import { isCallerGone, serviceUnavailable } from './faults.ts';
import { keepAlive } from './keep-alive.ts';
import type { Logger } from './logging.ts';
import type { Metrics } from './metrics.ts';

export type ServiceCall<S extends z.ZodType> = {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly callerToken: string;
  readonly requestId: string;
  readonly deadline: Deadline;
  readonly json?: unknown;
  readonly bytes?: Uint8Array;
  readonly reply: S;
  /** Instead of the client's own time-out. */
  readonly timeoutMs?: number;
  /** One more try when the connection failed; only for calls that may be repeated. */
  readonly retry?: 'safe';
};

export type ServiceClient = AsyncDisposable & {
  /** The reply of a 200; anything else (refused, hanging, garbage, other statuses) throws the 503 fault. */
  readonly call: <S extends z.ZodType>(o: ServiceCall<S>) => Promise<z.infer<S>>;
};

/** An image of 5 MiB re-encoded and in base64 fits several times over; a runaway reply does not. */
const largestReplyBytes = 64 * 1024 * 1024;

export function createServiceClient(o: {
  name: ServiceName;
  baseUrl: string;
  logger: Logger;
  metrics: Metrics;
  timeoutMs: number;
}): ServiceClient {
  const agent = new Agent({ ...keepAlive, connect: { timeout: 1_000 }, headersTimeout: 0, bodyTimeout: 0 });
  const durations = o.metrics.histogram({
    name: 'service_call_duration_seconds',
    help: 'Calls to other services, by outcome.',
    labelNames: ['target', 'outcome'],
  });
  const breaker = createBreaker({
    target: o.name,
    logger: o.logger,
    metrics: o.metrics,
    attempt: (call: ServiceCall<z.ZodType>) => attempt(agent, o, call),
    // A 4xx says that the service is alive and that we asked wrongly: it must not open the breaker. Nor must a caller
    // who left.
    isHarmless: (error) => isCallerGone(error) || (error instanceof UnexpectedReply && error.status < 500),
  });

  return {
    call: async <S extends z.ZodType>(call: ServiceCall<S>) => {
      if (call.deadline.remainingMs() === 0) throw serviceUnavailable(`no time left to ask ${o.name}`);
      const stop = durations.startTimer({ target: o.name });
      try {
        const reply = await withRetry(call, () => breaker.fire(call));
        stop({ outcome: 'ok' });
        return reply as z.infer<S>;
      } catch (error) {
        if (isCallerGone(error)) {
          stop({ outcome: 'caller-gone' });
          throw error;
        }
        stop({ outcome: breaker.isOpen() ? 'breaker-open' : 'failed' });
        throw serviceUnavailable(`${o.name} ${call.method} failed: ${reason(error)}`, error);
      }
    },
    [Symbol.asyncDispose]: async () => {
      breaker.shutdown();
      await agent.close();
    },
  };
}

/** The service answered, but not with what was agreed. */
class UnexpectedReply extends Error {
  readonly status: number;
  constructor(status: number, problem: string) {
    super(problem);
    this.status = status;
  }
}

async function attempt(
  agent: Dispatcher,
  o: { baseUrl: string; timeoutMs: number },
  call: ServiceCall<z.ZodType>,
): Promise<unknown> {
  const timeoutMs = call.timeoutMs ?? o.timeoutMs;
  const signal = call.deadline.signal(timeoutMs);
  const budgetMs = Math.floor(Math.min(timeoutMs, call.deadline.remainingMs()));
  const { body, contentType } = requestBody(call);
  const response = await agent.request({
    origin: o.baseUrl,
    path: call.path,
    method: call.method,
    headers: {
      [callerContextHeader]: call.callerToken,
      [requestIdHeader]: call.requestId,
      [requestBudgetHeader]: String(budgetMs),
      ...contentType,
    },
    body,
    signal,
  });
  const text = await readAtMost(response.body, largestReplyBytes);
  if (response.statusCode !== 200) {
    throw new UnexpectedReply(response.statusCode, `answered ${response.statusCode}`);
  }
  const parsed = call.reply.safeParse(JSON.parse(text));
  if (!parsed.success) throw new UnexpectedReply(502, 'answered 200 with an unexpected body');
  return parsed.data;
}

function requestBody(call: ServiceCall<z.ZodType>): {
  body: string | Uint8Array | null;
  contentType: Record<string, string>;
} {
  if (call.bytes !== undefined) {
    return { body: call.bytes, contentType: { 'content-type': 'application/octet-stream' } };
  }
  if (call.json !== undefined) {
    return { body: JSON.stringify(call.json), contentType: { 'content-type': 'application/json' } };
  }
  return { body: null, contentType: {} };
}

async function readAtMost(body: AsyncIterable<Buffer>, limitBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > limitBytes) throw new UnexpectedReply(502, 'reply is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
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

/** The request may never have been seen: nothing listened, or the connection broke under it. */
const connectionFailures = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

function isConnectionFailure(error: unknown): boolean {
  return connectionFailures.has((error as NodeJS.ErrnoException).code ?? '');
}

/** Never the reply's own text: it may hold somebody's data. */
function reason(error: unknown): string {
  if (error instanceof SyntaxError) return 'answered 200 with something that is not JSON';
  return error instanceof Error ? error.message : String(error);
}
