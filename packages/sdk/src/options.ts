/** Settings of a client and of a call, checked once. */
import { type Clock, realClock } from './clock.ts';
import { invalidArgument } from './error.ts';
import type { Mode } from './types.ts';

/** As `fetch`, called with plain headers. */
export type Fetch = (
  url: string,
  init: Omit<RequestInit, 'headers'> & { readonly headers: Record<string, string> },
) => Promise<Response>;

export type RetryNotice = {
  /** Such as `createOffer`. */
  readonly operation: string;
  /** The attempt that failed, from 1. */
  readonly attempt: number;
  readonly waitMs: number;
  /** HTTP status of the reply; undefined: there was none. */
  readonly status: number | undefined;
};

export type ClientOptions = {
  /** Begins with `pk_test_` or `pk_live_`. */
  readonly apiKey: string;
  /** The address of the service, such as `https://ads.example.com`. */
  readonly baseUrl: string;
  /** For one attempt, until its reply is read. 60,000 when omitted. */
  readonly timeoutMs?: number | undefined;
  /** For the whole call with its retries and waits. 150,000 when omitted: a wait for the rate limit takes up to 60,000. */
  readonly deadlineMs?: number | undefined;
  /** 3 when omitted; 0: never. */
  readonly maxRetries?: number | undefined;
  /** Instead of the runtime's own, for a proxy, an agent or a test. */
  readonly fetch?: Fetch | undefined;
  /** Told before each wait. */
  readonly onRetry?: ((notice: RetryNotice) => void) | undefined;
  /** A key over plain http can be read on the way: it goes to this machine only, unless this is true. */
  readonly allowHttp?: boolean | undefined;
};

export type CallOptions = {
  /** Ends the call, its waits included. */
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  readonly deadlineMs?: number | undefined;
  readonly maxRetries?: number | undefined;
};

export type CreateOptions = CallOptions & {
  /** A unique value per offer; a random UUID when omitted. Keep it where a crash does not take it. */
  readonly idempotencyKey?: string | undefined;
};

export type Settings = {
  readonly apiKey: string;
  /** Undefined for a key from before modes were recorded: the service refuses it. */
  readonly mode: Mode | undefined;
  /** Without a slash at the end. */
  readonly baseUrl: string;
  readonly fetch: Fetch;
  readonly onRetry: (notice: RetryNotice) => void;
  readonly clock: Clock;
} & CallLimits;

export type CallLimits = {
  readonly timeoutMs: number;
  readonly deadlineMs: number;
  readonly maxRetries: number;
};

const defaults: CallLimits = { timeoutMs: 60_000, deadlineMs: 150_000, maxRetries: 3 };
/** What a timer of JavaScript can hold. */
const longestMs = 2 ** 31 - 1;
const mostRetries = 100;

export function settingsFrom(options: ClientOptions, clock: Clock = realClock): Settings {
  const apiKey = checkedKey(options.apiKey);
  return {
    apiKey,
    mode: modeOf(apiKey),
    baseUrl: checkedBaseUrl(options.baseUrl, options.allowHttp === true),
    // Looked up for each call, because whoever instruments fetch may do so later.
    fetch: options.fetch ?? ((url, init) => globalThis.fetch(url, init)),
    onRetry: options.onRetry ?? (() => {}),
    clock,
    ...limitsFrom(options, defaults),
  };
}

export function limitsFrom(options: Partial<CallOptions>, otherwise: CallLimits): CallLimits {
  const limits = {
    timeoutMs: options.timeoutMs ?? otherwise.timeoutMs,
    deadlineMs: options.deadlineMs ?? otherwise.deadlineMs,
    maxRetries: options.maxRetries ?? otherwise.maxRetries,
  };
  for (const name of ['timeoutMs', 'deadlineMs'] as const) {
    const isTime = limits[name] > 0 && limits[name] <= longestMs;
    if (!isTime) throw invalidArgument(`${name} must be more than 0 and at most ${longestMs}`);
  }
  const isCount = Number.isInteger(limits.maxRetries) && limits.maxRetries >= 0;
  if (!isCount || limits.maxRetries > mostRetries) {
    throw invalidArgument(`maxRetries must be a whole number from 0 to ${mostRetries}`);
  }
  return limits;
}

/** Checked here, because a runtime that refuses a header quotes it in its error. */
function checkedKey(apiKey: unknown): string {
  if (typeof apiKey !== 'string' || apiKey === '') throw invalidArgument('apiKey is missing');
  if (!/^[!-~]+$/.test(apiKey)) {
    throw invalidArgument('apiKey holds white space or other characters that no key has');
  }
  return apiKey;
}

function modeOf(apiKey: string): Mode | undefined {
  if (apiKey.startsWith('pk_test_')) return 'TEST';
  return apiKey.startsWith('pk_live_') ? 'LIVE' : undefined;
}

const loopback = /^(localhost|127(\.\d+){3}|\[::1\])$/;

function checkedBaseUrl(baseUrl: unknown, allowHttp: boolean): string {
  if (typeof baseUrl !== 'string' || baseUrl === '') {
    throw invalidArgument('baseUrl is missing: the address of the service, such as https://ads.example.com');
  }
  if (!URL.canParse(baseUrl)) throw invalidArgument('baseUrl must be an address with http:// or https://');
  const { protocol, hostname, username, password, search, hash, origin, pathname } = new URL(baseUrl);
  if (protocol !== 'https:' && protocol !== 'http:') throw invalidArgument('baseUrl must be http or https');
  if (username !== '' || password !== '' || search !== '' || hash !== '') {
    throw invalidArgument('baseUrl must have neither user information nor a query');
  }
  if (protocol === 'http:' && !allowHttp && !loopback.test(hostname)) {
    throw invalidArgument('baseUrl must be https: over http the key can be read (`allowHttp` permits it)');
  }
  return `${origin}${pathname.replace(/\/+$/, '')}`;
}
