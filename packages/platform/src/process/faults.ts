/** The one error type of the system: what went wrong for us, and what the caller is told. */

/** A fault that ends a request. `message` is internal and logged; `publicBody` is all that the caller learns. */
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

/** Breakers try again after two seconds, so a caller who waits that long meets a fresh answer. */
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

/** So much is waited for already that nobody should join: over in a moment. */
export function overloaded(internalMessage: string, cause?: unknown): Fault {
  return new Fault(internalMessage, {
    status: 503,
    publicMessage: 'Service unavailable',
    retryAfterSeconds: 1,
    cause,
  });
}

/** Too much of one caller's at once, which is over in a moment. */
export function tooManyRequests(internalMessage: string, cause?: unknown): Fault {
  return new Fault(internalMessage, {
    status: 429,
    publicMessage: 'Too many requests',
    retryAfterSeconds,
    cause,
  });
}

export function isServiceUnavailable(error: unknown): error is Fault {
  return error instanceof Fault && error.status === 503;
}

/** The body that the specification gives to every 401 without a code (decision 19, bodies of refusals). */
export function unauthorised(internalMessage: string): Fault {
  return new Fault(internalMessage, { status: 401, publicMessage: 'Unauthorised' });
}

/** As nginx counts it: the caller left before there was a reply. Nobody is told, and nothing of ours failed. */
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
