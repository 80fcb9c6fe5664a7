/** Sends a request to the page's own server. Failures are values, and pages decide what to show. */

export type Reply<Body> =
  | { readonly ok: true; readonly status: number; readonly body: Body; readonly headers: Headers }
  | Refusal;

export type Refusal = {
  readonly ok: false;
  /** 0: no reply. */
  readonly status: number;
  /** The code of the refusal, if any. */
  readonly returnCode: string | null;
  /** The message for the person: the reason, and what to do. */
  readonly message: string;
};

export type CallOptions = {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly json?: unknown;
  readonly form?: FormData;
  readonly headers?: Readonly<Record<string, string>>;
  /** Ends the request early, for example when the page is left. */
  readonly signal?: AbortSignal;
  /** Default: 10,000, longer than the server's own limit for such requests. */
  readonly timeoutMs?: number;
};

export async function call<Body>(url: string, o: CallOptions = {}): Promise<Reply<Body>> {
  const timeout = AbortSignal.timeout(o.timeoutMs ?? 10_000);
  let response: Response;
  let body: unknown;
  try {
    response = await fetch(url, {
      method: o.method ?? 'GET',
      cache: 'no-store',
      headers: {
        accept: 'application/json',
        ...(o.json === undefined ? {} : { 'content-type': 'application/json' }),
        ...o.headers,
      },
      signal: o.signal === undefined ? timeout : AbortSignal.any([timeout, o.signal]),
      ...bodyOf(o),
    });
    const text = await response.text();
    body = text === '' ? {} : JSON.parse(text);
  } catch (error) {
    // The caller has aborted the request.
    if (o.signal?.aborted === true) throw error;
    return refusal(0, null, 'The server cannot be reached. Check your connection and try again.');
  }
  const { return_code: returnCode = null, message } = body as { return_code?: string; message?: string };
  // A refusal may have status 200 and a code that begins with E (specification, Errors).
  if (response.ok && returnCode?.startsWith('E') !== true)
    return { ok: true, status: response.status, body: body as Body, headers: response.headers };
  return refusal(response.status, returnCode, explain(response, message));
}

function bodyOf(o: CallOptions): { body?: string | FormData } {
  if (o.form !== undefined) return { body: o.form };
  return o.json === undefined ? {} : { body: JSON.stringify(o.json) };
}

function refusal(status: number, returnCode: string | null, message: string): Refusal {
  return { ok: false, status, returnCode, message };
}

function explain(response: Response, message: string | undefined): string {
  if (response.status === 429) return `Too many requests. Please try again in ${waitOf(response)}.`;
  if (response.status >= 500 && (message === undefined || isGeneric.has(message)))
    return 'This is not available at the moment. Please try again in a minute.';
  return message === undefined ? 'That did not work. Please try again.' : sentence(message);
}

const isGeneric = new Set(['Internal server error', 'Service unavailable']);

function sentence(message: string): string {
  return /[.!?]$/.test(message) ? message : `${message}.`;
}

function waitOf(response: Response): string {
  const minutes = Math.ceil(Number(response.headers.get('retry-after') ?? 60) / 60);
  return minutes <= 1 ? 'a minute' : `${minutes} minutes`;
}

/** A refusal as an error, because the query library expects thrown errors. */
export class Refused extends Error {
  readonly refusal: Refusal;
  constructor(refusal: Refusal) {
    super(refusal.message);
    this.name = 'Refused';
    this.refusal = refusal;
  }
}

export async function bodyOrThrow<Body>(reply: Promise<Reply<Body>>): Promise<Body> {
  const known = await reply;
  if (known.ok) return known.body;
  throw new Refused(known);
}
