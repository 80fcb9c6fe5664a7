/** Facts about a request, from its arrival until its reply is sent. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { requestBudgetHeader, requestIdHeader } from '@offer-ads/contracts/internal/caller-context';
import { createDeadline, type Deadline } from '../calls/deadline.ts';
import { callerGone } from '../process/faults.ts';
import { idsToLog, type RestingTrace, restingTrace } from '../telemetry/traces.ts';

export type RequestFacts = {
  readonly requestId: string;
  /** `now` for the whole request: the time of its arrival (decision 8, time of a request). */
  readonly receivedAt: Date;
  /** The trace id, for logs. */
  readonly logged: { readonly traceId?: string };
  /** For the headers of calls to our own services. Empty for probes, and in a process without telemetry. */
  readonly trace: RestingTrace;
  /** The caller's deadline, counted from when the body had arrived. Call it after the body was read. */
  deadline(): Deadline;
};

export function requestFacts(req: IncomingMessage): RequestFacts {
  return acceptedOf(req);
}

/** The route's pattern, without ids and query string, so that logs and metrics may hold it. */
export function routeTemplate(req: IncomingMessage): string {
  // Express adds these if it served the request.
  const { route, baseUrl = '' } = req as { route?: { path?: unknown }; baseUrl?: string };
  const path = (req as Carrier)[accepted]?.routeName ?? route?.path;
  // The path of a mounted router is as the caller wrote it, and express ignores upper and lower case.
  return typeof path === 'string' ? `${baseUrl.toLowerCase()}${path}` : 'unmatched';
}

/** They come every few seconds and say nothing about a request, so they have no trace. */
export const probes: ReadonlySet<string> = new Set(['/livez', '/readyz', '/metrics']);

/** For names of spans and labels of metrics. Node's parser accepts some thirty more methods, which are counted as one. */
export function usualMethod(method = ''): string {
  return usualMethods.has(method) ? method : 'other';
}
const usualMethods: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
]);

/** Sets the route for requests that express does not match. `template` is an express pattern, without ids. */
export function nameRoute(req: IncomingMessage, template: string): void {
  acceptedOf(req).routeName = template;
}

/** A property of the request, because a WeakMap slows down every garbage collection. */
const accepted = Symbol('accepted request');
type Carrier = IncomingMessage & { [accepted]?: AcceptedRequest };

/** Called once, when the request arrives. */
export function accept(req: IncomingMessage, receivedAt: Date): AcceptedRequest {
  const request = new AcceptedRequest(req, receivedAt);
  (req as Carrier)[accepted] = request;
  return request;
}

export function acceptedOf(req: IncomingMessage): AcceptedRequest {
  const known = (req as Carrier)[accepted];
  if (known === undefined) throw new Error('requestFacts needs a request of startHttpServer');
  return known;
}

export class AcceptedRequest implements RequestFacts {
  readonly requestId: string;
  readonly receivedAt: Date;
  readonly trace = restingTrace();
  readonly logged = idsToLog();
  readonly startedAtMs = performance.now();
  #bodyArrivedAtMs: number | undefined;
  routeName: string | undefined;
  readonly #req: IncomingMessage;
  #deadline: Deadline | undefined;
  #caller: AbortController | undefined;

  constructor(req: IncomingMessage, receivedAt: Date) {
    this.#req = req;
    this.receivedAt = receivedAt;
    if (hasBody(req)) req.on('end', () => (this.#bodyArrivedAtMs = performance.now()));
    else this.#bodyArrivedAtMs = this.startedAtMs;
    const given = req.headers[requestIdHeader];
    this.requestId = typeof given === 'string' && wellFormedRequestId.test(given) ? given : randomUUID();
  }

  deadline(): Deadline {
    this.#caller ??= new AbortController();
    this.#deadline ??= createDeadline(budgetMs(this.#req), this.#caller.signal, this.#bodyArrivedAtMs);
    return this.#deadline;
  }

  callerLeft(): void {
    this.#caller ??= new AbortController();
    this.#caller.abort(callerGone());
  }
}

/** Callers may send a request id of this form. Anything else is replaced, so that callers cannot write any text into logs. */
const wellFormedRequestId = /^[A-Za-z0-9._-]{8,64}$/;
/** The longest deadline: that of a creation (decision 23, deadlines and outages). */
const longestBudgetMs = 25_000;

function budgetMs(req: IncomingMessage): number {
  const given = Number(req.headers[requestBudgetHeader] ?? longestBudgetMs);
  return Number.isFinite(given) ? Math.min(Math.max(0, given), longestBudgetMs) : longestBudgetMs;
}

/** Whether the headers announce a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
