/** Classifies a reply: success, a refusal of this endpoint, or a fault. Pure. */
import type { FaultKind } from './error.ts';
import { type OperationName, operationOf } from './operations.ts';

export type Meaning =
  | { readonly is: 'success'; readonly body: object }
  | { readonly is: 'refusal'; readonly code: string; readonly message: string }
  | { readonly is: 'fault'; readonly kind: FaultKind; readonly message: string };

type Fields = { readonly return_code?: unknown; readonly message?: unknown };

function fieldsOf(body: object | undefined): Fields {
  return body ?? {};
}

/** @returns the body when it is a JSON object */
export function parseObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function returnCode(body: object | undefined): string | undefined {
  const code = fieldsOf(body).return_code;
  return typeof code === 'string' ? code : undefined;
}

export function interpret(name: OperationName, status: number, body: object | undefined): Meaning {
  const operation = operationOf(name);
  const code = returnCode(body);
  const message = messageOf(body);
  const isSuccess = status === 200 && code === operation.success && body !== undefined;
  if (isSuccess && Object.hasOwn(body, operation.field)) return { is: 'success', body };
  const statuses =
    code !== undefined && Object.hasOwn(operation.refusals, code) ? operation.refusals[code] : undefined;
  if (code !== undefined && statuses?.includes(status) === true) {
    return { is: 'refusal', code, message: message ?? '' };
  }
  const isPlain = code === undefined && message !== undefined;
  const kind = isPlain && invalidRequest.has(status) ? 'invalid-request' : faultKind(name, status);
  return { is: 'fault', kind, message: faultMessage(kind, { status, code, message, name }) };
}

/** When they come with a message and without a code. A proxy's page has no message. */
const invalidRequest: ReadonlySet<number> = new Set([400, 413]);

function messageOf(body: object | undefined): string | undefined {
  const message = fieldsOf(body).message;
  return typeof message === 'string' ? message : undefined;
}

function faultKind(name: OperationName, status: number): FaultKind {
  switch (status) {
    case 401:
      return 'unauthorised';
    case 408:
      return 'timeout';
    case 429:
      return 'rate-limited';
    case 500:
    case 502:
    case 504:
      return 'server';
    case 503:
      return 'unavailable';
    case 409:
      return name === 'createOffer' || name === 'updateOffer' ? 'in-flight' : 'unexpected';
    case 422:
      return withKey.has(name) ? 'key-reused' : 'unexpected';
    default:
      return 'unexpected';
  }
}

const withKey: ReadonlySet<OperationName> = new Set(['createOffer', 'updateOffer', 'createWebhook']);

/** Advice that the service's own message does not contain. */
const hints: Partial<Record<FaultKind, string>> = {
  unauthorised: 'is the key right, of this mode, enabled and not expired?',
  'in-flight': 'repeat the request with the same idempotency key',
  'key-reused': 'a new request needs a new idempotency key',
  unexpected: 'is the base URL the address of the service?',
};

function faultMessage(
  kind: FaultKind,
  o: { status: number; code: string | undefined; message: string | undefined; name: OperationName },
): string {
  const said = [o.status, o.code, o.message].filter((part) => part !== undefined).join(' ');
  const hint =
    kind === 'unauthorised' && o.name === 'readAnalytics'
      ? `is the offer yours and of the key's mode, and ${hints.unauthorised}`
      : // A code comes from the service, such as a 403 for what the key may not do.
        kind === 'unexpected' && o.code !== undefined
        ? undefined
        : hints[kind];
  return `${o.name}: ${said}${hint === undefined ? '' : ` (${hint})`}`;
}
