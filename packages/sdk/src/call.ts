/** One call: attempts, waits between them, one deadline over all, and the result. */
import type { Body } from './body.ts';
import { sleep } from './clock.ts';
import { type FaultKind, OfferAdsError, reducedCause } from './error.ts';
import { interpret, parseObject, returnCode } from './interpret.ts';
import type { OperationName } from './operations.ts';
import { operationOf } from './operations.ts';
import { type CallLimits, type CallOptions, limitsFrom, type Settings } from './options.ts';
import type { ReplyInfo, ResultOf } from './result.ts';
import { type Attempt, mayHaveTakenEffect, parseRetryAfter, waitBeforeRetry } from './retry.ts';

export type Request = {
  readonly name: OperationName;
  /** Including the query. */
  readonly path: string;
  readonly body?: Body;
  readonly idempotencyKey?: string;
};

type Outcome =
  | { readonly ok: true; readonly value: object; readonly reply: ReplyInfo }
  | {
      readonly ok: false;
      readonly code: string;
      readonly status: number;
      readonly message: string;
      readonly reply: ReplyInfo;
    };

/** The outcome of one attempt. */
type Sent =
  | { readonly reply: Response; readonly body: object | undefined; readonly attempt: Attempt }
  | {
      readonly reply?: undefined;
      readonly fault: 'network' | 'timeout';
      readonly cause?: Error;
      readonly attempt: Attempt;
    };

/** @throws OfferAdsError */
export async function call<Name extends OperationName>(
  settings: Settings,
  request: Request & { readonly name: Name },
  options: CallOptions,
): Promise<ResultOf<Name>> {
  const outcome = await attempts(settings, request, { ...options, ...limitsFrom(options, settings) });
  // The cast is safe: `interpret` has checked the reply against the endpoint's table.
  return outcome as unknown as ResultOf<Name>;
}

async function attempts(
  settings: Settings,
  request: Request,
  o: CallLimits & { readonly signal?: AbortSignal | undefined },
): Promise<Outcome> {
  const { clock } = settings;
  const { signal } = o;
  const startedAtMs = clock.now();
  const elapsedMs = () => clock.now() - startedAtMs;
  let earlierReplyLost = false;
  for (let count = 1; ; count += 1) {
    if (isAborted(signal)) throw aborted(request, signal, { attempts: count - 1, earlierReplyLost });
    const timeoutMs = Math.min(o.timeoutMs, o.deadlineMs - elapsedMs());
    const sent = await sendOnce(settings, request, { timeoutMs, signal });
    const facts = { attempts: count, earlierReplyLost };
    if (isAborted(signal)) {
      const lost = earlierReplyLost || mayHaveTakenEffect(sent.attempt);
      throw aborted(request, signal, { attempts: count, earlierReplyLost: lost });
    }
    const waitMs = waitBeforeRetry(sent.attempt, o, {
      attempts: count,
      elapsedMs: elapsedMs(),
      replayable: operationOf(request.name).once !== true || !mayHaveTakenEffect(sent.attempt),
      random: clock.random(),
    });
    if (waitMs === undefined) return conclude(request, sent, facts);
    earlierReplyLost ||= mayHaveTakenEffect(sent.attempt);
    settings.onRetry({ operation: request.name, attempt: count, waitMs, status: sent.reply?.status });
    await sleep(clock, waitMs, signal);
  }
}

/** Converts the last attempt's reply to a result, or throws its fault. */
function conclude(
  request: Request,
  sent: Sent,
  facts: { attempts: number; earlierReplyLost: boolean },
): Outcome {
  if (sent.reply === undefined) {
    const what = sent.fault === 'timeout' ? 'no reply in time' : `no reply (${rootMessage(sent.cause)})`;
    throw fault(request, sent.fault, `${request.name}: ${what}`, {
      attempts: facts.attempts,
      earlierReplyLost: true,
      cause: sent.cause,
    });
  }
  const { reply: response, body, attempt } = sent;
  const { status, headers } = response;
  const requestId = headers.get('x-request-id') ?? undefined;
  const reply: ReplyInfo = { status, requestId, headers, ...facts };
  const meaning = interpret(request.name, status, body);
  switch (meaning.is) {
    case 'success':
      return { ok: true, value: meaning.body, reply };
    case 'refusal':
      return { ok: false, code: meaning.code, status, message: meaning.message, reply };
    case 'fault':
      throw fault(request, meaning.kind, meaning.message, {
        status,
        code: returnCode(body),
        requestId,
        retryAfterMs: attempt.how === 'replied' ? attempt.retryAfterMs : undefined,
        attempts: facts.attempts,
        earlierReplyLost: facts.earlierReplyLost || mayHaveTakenEffect(attempt),
      });
  }
}

type FaultFacts = Omit<ConstructorParameters<typeof OfferAdsError>[1], 'kind'>;

function fault(request: Request, kind: FaultKind, message: string, facts: FaultFacts): OfferAdsError {
  return new OfferAdsError(message, { ...facts, kind, idempotencyKey: request.idempotencyKey });
}

function aborted(request: Request, signal: AbortSignal, facts: FaultFacts): OfferAdsError {
  return fault(request, 'aborted', `${request.name}: aborted`, { ...facts, cause: signal.reason });
}

/** A function, because the compiler would assume that a property keeps its first value. */
function isAborted(signal: AbortSignal | undefined): signal is AbortSignal {
  return signal?.aborted === true;
}

function rootMessage(error: Error | undefined): string {
  let inner = error;
  while (inner?.cause instanceof Error) inner = inner.cause;
  return inner?.message ?? '';
}

async function sendOnce(
  settings: Settings,
  request: Request,
  o: { readonly timeoutMs: number; readonly signal: AbortSignal | undefined },
): Promise<Sent> {
  const end = new AbortController();
  let timedOut = false;
  const onAbort = () => end.abort(o.signal?.reason);
  const cancelTimer = settings.clock.schedule(o.timeoutMs, () => {
    timedOut = true;
    end.abort(new Error('no reply in time'));
  });
  o.signal?.addEventListener('abort', onAbort);
  try {
    return await untilEnded(end.signal, () => exchange(settings, request, end.signal));
  } catch (error) {
    // A picture could not be read, and would not be at the next attempt.
    if (error instanceof OfferAdsError) throw error;
    const attempt: Attempt = { how: 'lost' };
    if (timedOut) return { fault: 'timeout', attempt };
    return { fault: 'network', cause: reducedCause(error, settings.apiKey), attempt };
  } finally {
    cancelTimer();
    o.signal?.removeEventListener('abort', onAbort);
  }
}

/** For a custom `fetch` that may ignore signals. */
async function untilEnded<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  let onAbort = () => {};
  const ended = new Promise<never>((_resolve, reject) => {
    onAbort = () => reject(signal.reason as Error);
    signal.addEventListener('abort', onAbort);
  });
  try {
    return await Promise.race([work(), ended]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

async function exchange(settings: Settings, request: Request, signal: AbortSignal): Promise<Sent> {
  const { apiKey, baseUrl, fetch } = settings;
  const headers: Record<string, string> = {
    accept: 'application/json',
    'x-api-key': apiKey,
    'user-agent': userAgent,
  };
  if (request.body !== undefined) headers['content-type'] = request.body.contentType;
  if (request.idempotencyKey !== undefined) headers['idempotency-key'] = request.idempotencyKey;
  const response = await fetch(`${baseUrl}${request.path}`, {
    method: operationOf(request.name).method,
    headers,
    signal,
    // Redirects are not followed: they would send the key to another host.
    redirect: 'manual',
    ...(request.body && { body: await request.body.open() }),
  });
  const body = parseObject(await boundedText(response));
  return {
    reply: response,
    body,
    attempt: {
      how: 'replied',
      status: response.status,
      code: returnCode(body),
      retryAfterMs: parseRetryAfter(response.headers.get('retry-after'), Date.now()),
    },
  };
}

/** That of package.json, which a test compares. */
export const version = '1.0.0';
const userAgent = `offer-ads-sdk/${version}`;

/** Several times the largest reply: a page of a hundred offers is below a megabyte. */
const longestReply = 8 * 1_024 * 1_024;

async function boundedText(response: Response): Promise<string> {
  if (response.body === null) return '';
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    text += decoder.decode(value, { stream: true });
    if (text.length > longestReply) {
      await reader.cancel();
      return '';
    }
  }
}
