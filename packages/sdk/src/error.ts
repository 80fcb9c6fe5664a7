/** The one error class. It never holds the API key: neither in a message, nor in a cause, nor in a header. */

/**
 * - `unauthorised`: 401. The key is missing, invalid, disabled or expired; on analytics also "not your offer".
 * - `rate-limited`: 429, and the time that the service asked for was longer than the call may take.
 * - `in-flight`: 409 on create. An earlier request with this idempotency key is still being processed.
 * - `key-reused`: 422 on create. The idempotency key belongs to another payload.
 * - `unavailable`: 503. Something that the service needs is down.
 * - `server`: 500, 502 or 504.
 * - `network`: there was no reply.
 * - `timeout`: there was none in time.
 * - `aborted`: the caller's signal ended the call; its reason is the `cause`.
 * - `unexpected`: a reply that is not the API's, such as a proxy's page.
 * - `invalid-argument`: nothing was sent, because it could not be.
 * - `refused`: only from `unwrap` and from iterating over a list, where a refusal has no other way out.
 */
export type FaultKind =
  | 'unauthorised'
  | 'rate-limited'
  | 'in-flight'
  | 'key-reused'
  | 'unavailable'
  | 'server'
  | 'network'
  | 'timeout'
  | 'aborted'
  | 'unexpected'
  | 'invalid-argument'
  | 'refused';

type Facts = {
  readonly kind: FaultKind;
  readonly status?: number | undefined;
  readonly code?: string | undefined;
  readonly requestId?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly attempts?: number | undefined;
  readonly earlierReplyLost?: boolean | undefined;
  readonly cause?: unknown;
};

export class OfferAdsError extends Error {
  override readonly name = 'OfferAdsError';
  readonly kind: FaultKind;
  /** HTTP status of the last reply, if there was one. */
  readonly status: number | undefined;
  /** `return_code` of the last reply, if it had one. */
  readonly code: string | undefined;
  /** Names the last request in the service's logs: quote it to support. */
  readonly requestId: string | undefined;
  /** How long the service asked to wait. */
  readonly retryAfterMs: number | undefined;
  /** Of a creation: the same request with this key goes on where this one stopped, and makes one offer at most. */
  readonly idempotencyKey: string | undefined;
  /** How often the request was sent. */
  readonly attempts: number;
  /** Whether an attempt may have taken effect although no reply said so. */
  readonly earlierReplyLost: boolean;

  constructor(message: string, facts: Facts) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.kind = facts.kind;
    this.status = facts.status;
    this.code = facts.code;
    this.requestId = facts.requestId;
    this.retryAfterMs = facts.retryAfterMs;
    this.idempotencyKey = facts.idempotencyKey;
    this.attempts = facts.attempts ?? 0;
    this.earlierReplyLost = facts.earlierReplyLost ?? false;
  }
}

export function invalidArgument(message: string, cause?: unknown): OfferAdsError {
  return new OfferAdsError(message, { kind: 'invalid-argument', cause });
}

/** Deeper than anybody reads; causes may run in a circle. */
const mostCauses = 10;

/**
 * What a `fetch` threw, without whatever it may carry along (some keep the request with its headers), and without the
 * key should a message quote it.
 */
export function reducedCause(thrown: unknown, apiKey: string, depth = 0): Error {
  if (!(thrown instanceof Error)) return new Error(String(thrown).replaceAll(apiKey, '***'));
  const goesOn = thrown.cause !== undefined && depth < mostCauses;
  const inner = goesOn ? { cause: reducedCause(thrown.cause, apiKey, depth + 1) } : undefined;
  const reduced = new Error(thrown.message.replaceAll(apiKey, '***'), inner);
  reduced.name = thrown.name;
  const { code } = thrown as { code?: unknown };
  if (typeof code === 'string') Object.assign(reduced, { code });
  return reduced;
}
