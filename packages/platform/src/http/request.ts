/** Facts about a request, from its arrival until its reply is sent. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import {
  commitByHeader,
  requestBudgetHeader,
  requestIdHeader,
} from '@offer-ads/contracts/internal/caller-context';
import { type CallerPresence, callerPresence, createDeadline, type Deadline } from '../calls/deadline.ts';
import type { Span } from '../telemetry/traces.ts';

export type RequestFacts = {
  readonly requestId: string;
  /** `now` for the whole request: the time of its arrival (decision 8, time of a request). */
  readonly receivedAt: Date;
  /** Undefined for probes, and in a process without telemetry. */
  readonly span: Span | undefined;
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
  const path = acceptedOf(req).routeName ?? route?.path;
  // The path of a mounted router is as the caller wrote it, and express ignores upper and lower case.
  return typeof path === 'string' ? `${baseUrl.toLowerCase()}${path}` : 'unmatched';
}

/** Sets the route for requests that express does not match. `template` is an express pattern, without ids. */
export function nameRoute(req: IncomingMessage, template: string): void {
  acceptedOf(req).routeName = template;
}

/** A property of the request, because a WeakMap slows down every garbage collection. */
const accepted = Symbol('accepted request');
type Carrier = IncomingMessage & { [accepted]?: AcceptedRequest };

/** Called once, when the request arrives. */
export function accept(req: IncomingMessage, receivedAt: Date, span: Span | undefined): AcceptedRequest {
  const request = new AcceptedRequest(req, receivedAt, span);
  (req as Carrier)[accepted] = request;
  return request;
}

export function acceptedOf(req: IncomingMessage): AcceptedRequest {
  const known = (req as Carrier)[accepted];
  if (known === undefined) throw new Error('requestFacts needs a request of startHttpServer');
  return known;
}

class AcceptedRequest implements RequestFacts {
  readonly requestId: string;
  readonly receivedAt: Date;
  readonly span: Span | undefined;
  readonly startedAtMs = performance.now();
  #bodyArrivedAtMs: number | undefined;
  routeName: string | undefined;
  readonly #req: IncomingMessage;
  #deadline: Deadline | undefined;
  #caller: CallerPresence | undefined;

  constructor(req: IncomingMessage, receivedAt: Date, span: Span | undefined) {
    this.#req = req;
    this.receivedAt = receivedAt;
    this.span = span;
    if (hasBody(req)) req.on('end', () => (this.#bodyArrivedAtMs = performance.now()));
    else this.#bodyArrivedAtMs = this.startedAtMs;
    const given = req.headers[requestIdHeader];
    this.requestId = typeof given === 'string' && wellFormedRequestId.test(given) ? given : randomUUID();
  }

  deadline(): Deadline {
    this.#caller ??= callerPresence();
    this.#deadline ??= createDeadline(
      budgetMs(this.#req),
      this.#caller,
      this.#bodyArrivedAtMs,
      commitByMs(this.#req),
    );
    return this.#deadline;
  }

  callerLeft(): void {
    this.#caller ??= callerPresence();
    this.#caller.leave();
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

function commitByMs(req: IncomingMessage): number | undefined {
  const given = Number(req.headers[commitByHeader]);
  return Number.isSafeInteger(given) && given > 0 ? given : undefined;
}

/** Whether the headers announce a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
