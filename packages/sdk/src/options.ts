/** Options of a client and of a call, and their validation. */
import { type Clock, realClock } from './clock.ts';
import { invalidArgument } from './error.ts';
import type { Mode } from './types.ts';

/** Like `fetch`, called with plain headers. */
export type Fetch = (
  url: string,
  init: Omit<RequestInit, 'headers'> & { readonly headers: Record<string, string> },
) => Promise<Response>;

export type RetryNotice = {
  /** For example `createOffer`. */
  readonly operation: string;
  /** Number of the failed attempt, from 1. */
  readonly attempt: number;
  readonly waitMs: number;
  /** HTTP status of the reply; undefined if there was no reply. */
  readonly status: number | undefined;
};

export type ClientOptions = ConnectionOptions & {
  /** Begins with `pk_test_` or `pk_live_`. */
  readonly apiKey: string;
};

export type CommunityClientOptions = ConnectionOptions & {
  /** Begins with `pk_place_test_` or `pk_place_live_`. */
  readonly placementKey: string;
};

export type ConnectionOptions = {
  /** The address of the service, for example `https://ads.example.com`. */
  readonly baseUrl: string;
  /** Time-out of one attempt, until its reply is read. Default: 60,000; of `placements()`, for which a page waits: 2,000. */
  readonly timeoutMs?: number | undefined;
  /**
   * Time-out of the whole call with retries and waits. Default: 150,000, because a wait for the rate limit takes up to 60,000; of
   * `placements()`: 5,000.
   */
  readonly deadlineMs?: number | undefined;
  /** Default: 3. 0: no retries. */
  readonly maxRetries?: number | undefined;
  /** Replaces the runtime's `fetch`, for a proxy, an agent or a test. */
  readonly fetch?: Fetch | undefined;
  /** Called before each wait. */
  readonly onRetry?: ((notice: RetryNotice) => void) | undefined;
  /** Allows plain http to other machines. Others on the network can then read the key. */
  readonly allowHttp?: boolean | undefined;
};

export type CallOptions = {
  /** Ends the call, including its waits. */
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  readonly deadlineMs?: number | undefined;
  readonly maxRetries?: number | undefined;
};

export type CreateOptions = CallOptions & {
  /** A unique value per offer or change; default: a random UUID. Store it where it survives a crash. */
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
/** Placements: a page that comes now without offers is better than one that comes later with them. */
const pageDefaults: CallLimits = { timeoutMs: 2_000, deadlineMs: 5_000, maxRetries: 3 };
/** The longest timer of JavaScript. */
const longestMs = 2 ** 31 - 1;
const maxRetries = 100;

export function settingsFrom(options: ClientOptions, clock: Clock = realClock): Settings {
  const apiKey = checkedKey('apiKey', options.apiKey);
  if (apiKey.startsWith('pk_place_')) {
    throw invalidArgument(
      'apiKey is a placement key, which opens nothing but placements (`createCommunityClient`)',
    );
  }
  return { ...connectionFrom(options, clock), apiKey, mode: modeOf(apiKey) };
}

/** `forPages` has other time-outs, unless the caller has set them. */
export function communitySettingsFrom(
  options: CommunityClientOptions,
  clock: Clock = realClock,
): { readonly mode: Mode; readonly settings: Settings; readonly forPages: Settings } {
  const apiKey = checkedKey('placementKey', options.placementKey);
  const mode = modeOf(apiKey.replace('pk_place_', 'pk_'));
  if (mode === undefined || !apiKey.startsWith('pk_place_')) {
    throw invalidArgument(
      "placementKey must begin with pk_place_test_ or pk_place_live_ (an advertiser's key belongs to `createClient`)",
    );
  }
  const settings = { ...connectionFrom(options, clock), apiKey, mode };
  return { mode, settings, forPages: { ...settings, ...limitsFrom(options, pageDefaults) } };
}

function connectionFrom(options: ConnectionOptions, clock: Clock): Omit<Settings, 'apiKey' | 'mode'> {
  return {
    baseUrl: checkedBaseUrl(options.baseUrl, options.allowHttp === true),
    // Looked up for each call, because other code may instrument fetch later.
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
  if (!isCount || limits.maxRetries > maxRetries) {
    throw invalidArgument(`maxRetries must be a whole number from 0 to ${maxRetries}`);
  }
  return limits;
}

/** Checked here: a runtime that refuses the header would quote the key in its error. */
function checkedKey(option: string, key: unknown): string {
  if (typeof key !== 'string' || key === '') throw invalidArgument(`${option} is missing`);
  if (!/^[!-~]+$/.test(key)) {
    throw invalidArgument(`${option} contains white space or other characters that no key has`);
  }
  return key;
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
