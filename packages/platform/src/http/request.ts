/** What is known of a request from its arrival until its connection is done with it. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import {
  commitByHeader,
  requestBudgetHeader,
  requestIdHeader,
} from '@offer-ads/contracts/internal/caller-context';
import { trace } from '@opentelemetry/api';
import { type CallerPresence, callerPresence, createDeadline, type Deadline } from '../calls/deadline.ts';

export type RequestFacts = {
  readonly requestId: string;
  /** `now` for the whole request: frozen when it arrived (decision 8, time of a request). */
  readonly receivedAt: Date;
  /** What the caller still waits, counted from when the body had arrived. Ask after the body has been read. */
  deadline(): Deadline;
};

export function requestFacts(req: IncomingMessage): RequestFacts {
  return acceptedOf(req);
}

/** The route's pattern, without ids or query string: what logs and metrics may hold. */
export function routeTemplate(req: IncomingMessage): string {
  // What express adds to a request, if it was express's.
  const { route, baseUrl = '' } = req as { route?: { path?: unknown }; baseUrl?: string };
  const path = acceptedOf(req).routeName ?? route?.path;
  // A mounted router's path is as the caller wrote it, and express takes it in any case.
  return typeof path === 'string' ? `${baseUrl.toLowerCase()}${path}` : 'unmatched';
}

/** For routes that express does not match by itself. `template` is an express pattern, without ids. */
export function nameRoute(req: IncomingMessage, template: string): void {
  acceptedOf(req).routeName = template;
  trace.getActiveSpan()?.setAttribute('http.route', template).updateName(`${req.method} ${template}`);
}

/** A property of the request: a WeakMap would cost every garbage collection its share. */
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

class AcceptedRequest implements RequestFacts {
  readonly requestId: string;
  readonly receivedAt: Date;
  readonly startedAtMs = performance.now();
  #bodyArrivedAtMs: number | undefined;
  routeName: string | undefined;
  readonly #req: IncomingMessage;
  #deadline: Deadline | undefined;
  #caller: CallerPresence | undefined;

  constructor(req: IncomingMessage, receivedAt: Date) {
    this.#req = req;
    this.receivedAt = receivedAt;
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

/** What callers may send as a request id; anything else is replaced, so that logs hold no text of theirs. */
const wellFormedRequestId = /^[A-Za-z0-9._-]{8,64}$/;
/** The longest budget: a creation (decision 23, deadlines and outages). */
const longestBudgetMs = 25_000;

function budgetMs(req: IncomingMessage): number {
  const given = Number(req.headers[requestBudgetHeader] ?? longestBudgetMs);
  return Number.isFinite(given) ? Math.min(Math.max(0, given), longestBudgetMs) : longestBudgetMs;
}

function commitByMs(req: IncomingMessage): number | undefined {
  const given = Number(req.headers[commitByHeader]);
  return Number.isSafeInteger(given) && given > 0 ? given : undefined;
}

/** Whether a body was announced. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
