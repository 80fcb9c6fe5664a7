/** The only error type of the system: an internal message, and a public one for the caller. */

/** A fault that ends a request. `message` is internal and logged; the caller gets only `publicBody`. */
export class Fault extends Error {
  override readonly name = 'Fault';
  readonly status: number;
  readonly publicBody: { readonly message: string };
  readonly retryAfterSeconds?: number;

  constructor(
    internalMessage: string,
    reply: {
      readonly status: number;
      readonly publicMessage: string;
      readonly retryAfterSeconds?: number;
      readonly cause?: unknown;
    },
  ) {
    super(internalMessage, reply.cause === undefined ? undefined : { cause: reply.cause });
    this.status = reply.status;
    this.publicBody = { message: reply.publicMessage };
    if (reply.retryAfterSeconds !== undefined) this.retryAfterSeconds = reply.retryAfterSeconds;
  }
}

/** Breakers try again after two seconds, so a retry after that time reaches the dependency. */
const retryAfterSeconds = 2;

/** A dependency is down or too slow (decision 23, deadlines and outages). */
export function serviceUnavailable(internalMessage: string, cause?: unknown): Fault {
  return new Fault(internalMessage, {
    status: 503,
    publicMessage: 'Service unavailable',
    retryAfterSeconds,
    cause,
  });
}

/** Too many requests wait already. This passes within seconds. */
export function overloaded(internalMessage: string, cause?: unknown): Fault {
  return new Fault(internalMessage, {
    status: 503,
    publicMessage: 'Service unavailable',
    retryAfterSeconds: 1,
    cause,
  });
}

/** One caller has too much in progress at once. This passes within seconds, unless `reply` says otherwise. */
export function tooManyRequests(
  internalMessage: string,
  cause?: unknown,
  reply: { readonly publicMessage?: string; readonly retryAfterSeconds?: number } = {},
): Fault {
  return new Fault(internalMessage, {
    status: 429,
    publicMessage: 'Too many requests',
    retryAfterSeconds,
    cause,
    ...reply,
  });
}

export function isServiceUnavailable(error: unknown): error is Fault {
  return error instanceof Fault && error.status === 503;
}

/** The body that the specification gives to every 401 without a code (decision 19, bodies of refusals). */
export function unauthorised(internalMessage: string): Fault {
  return new Fault(internalMessage, { status: 401, publicMessage: 'Unauthorised' });
}

/** nginx's status for a caller that disconnected before the reply. It is only logged and counted, and is no failure of the service. */
export const callerGoneStatus = 499;

export function callerGone(): Fault {
  return new Fault('the caller has gone', {
    status: callerGoneStatus,
    publicMessage: 'Client closed request',
  });
}

export function isCallerGone(error: unknown): error is Fault {
  return error instanceof Fault && error.status === callerGoneStatus;
}
