/** The only error class. It never contains the API key: neither in a message, nor in a cause, nor in a header. */

/**
 * - `unauthorised`: 401. The key is missing, invalid, disabled or expired; on analytics also "not your offer".
 * - `rate-limited`: 429, and the service asked for a longer wait than the call's deadline allows.
 * - `in-flight`: 409 on create and update. An earlier request with this idempotency key is still being processed.
 * - `key-reused`: 422 on create. The idempotency key belongs to another payload.
 * - `invalid-request`: 400 or 413 without a code. A field is wrong or the body too long; the message names it.
 * - `unavailable`: 503. Something that the service needs is down.
 * - `server`: 500, 502 or 504.
 * - `network`: there was no reply.
 * - `timeout`: there was no reply in time.
 * - `aborted`: the caller's signal ended the call; its reason is the `cause`.
 * - `unexpected`: the reply does not come from the API, for example a proxy's page.
 * - `invalid-argument`: an argument is invalid; nothing was sent.
 * - `unverified`: a webhook is not from the service, or too old; only thrown by `verifyWebhook`.
 * - `refused`: a refusal of the service; only thrown by `unwrap` and by iterating over a list.
 */
export type FaultKind =
  | 'unauthorised'
  | 'rate-limited'
  | 'in-flight'
  | 'key-reused'
  | 'invalid-request'
  | 'unavailable'
  | 'server'
  | 'network'
  | 'timeout'
  | 'aborted'
  | 'unexpected'
  | 'invalid-argument'
  | 'unverified'
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
  /** Identifies the last request in the service's logs: quote it to support. */
  readonly requestId: string | undefined;
  /** The wait that the service asked for. */
  readonly retryAfterMs: number | undefined;
  /** For a creation: repeat the request with this key. It continues the first one, and at most one offer is created. */
  readonly idempotencyKey: string | undefined;
  /** How often the request was sent. */
  readonly attempts: number;
  /** Whether an attempt may have taken effect without a reply. */
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

/** A limit, because causes may be circular. */
const maxCauses = 10;

/**
 * Copies the error of a `fetch` without extra properties (some contain the request with its headers), and without the key if a message
 * quotes it.
 */
export function reducedCause(thrown: unknown, apiKey: string, depth = 0): Error {
  if (!(thrown instanceof Error)) return new Error(String(thrown).replaceAll(apiKey, '***'));
  const goesOn = thrown.cause !== undefined && depth < maxCauses;
  const inner = goesOn ? { cause: reducedCause(thrown.cause, apiKey, depth + 1) } : undefined;
  const reduced = new Error(thrown.message.replaceAll(apiKey, '***'), inner);
  reduced.name = thrown.name;
  const { code } = thrown as { code?: unknown };
  if (typeof code === 'string') Object.assign(reduced, { code });
  return reduced;
}
