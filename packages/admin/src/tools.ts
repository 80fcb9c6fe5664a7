/** The tools of commands: the services' admin routes and the broker. */
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { AdminSettings } from './config.ts';
import { type Call, createServiceCalls, type Owner, reasonOf, ServiceUnreachable } from './service-calls.ts';

export type { Owner } from './service-calls.ts';

/** For example `GET /admin/offers/7`. */
export type Route = `${Call['method']} /admin/${string}`;

export type CallOptions = Pick<Call, 'json' | 'file' | 'patient'> & {
  /** Undefined values are left out. */
  readonly query?: Readonly<Record<string, string | number | undefined>>;
};

export type Tools = {
  readonly settings: AdminSettings;
  /** Separates tests on one broker; empty otherwise. */
  readonly namespace: string;
  /** Returns the reply's JSON object. Throws the service's refusal, or that it cannot be reached. */
  readonly call: (owner: Owner, route: Route, o?: CallOptions) => Promise<object>;
  /** Writes the bytes of the reply to a file, in pieces. Throws as `call` does; then the file may hold a part of them. */
  readonly download: (owner: Owner, route: Route, file: string) => Promise<Downloaded>;
};

export type Downloaded = {
  readonly contentType: string;
  readonly bytes: number;
  readonly sha256: string;
};

/** A service has refused the call. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly status: number;

  constructor(message: string, status: number) {
    super(`${message} (HTTP ${status})`);
    this.status = status;
  }
}

/** Whether the service may answer later: it cannot be reached, or one of its stores cannot. */
export function isAway(error: unknown): boolean {
  return error instanceof ServiceUnreachable || (error instanceof Refused && error.status >= 500);
}

const TIMEOUT_MS = 30_000;
/** Enough for 5 MB over a slow connection. */
const DOWNLOAD_MS = 120_000;
/** Far above any picture or document. */
const DOWNLOAD_AT_MOST_BYTES = 64 * 2 ** 20;

const standardLimits = { downloadMs: DOWNLOAD_MS, downloadAtMostBytes: DOWNLOAD_AT_MOST_BYTES };

export function createTools(
  settings: AdminSettings,
  o: { namespace?: string; limits?: Partial<typeof standardLimits> } = {},
): Tools {
  const ask = createServiceCalls(settings, { timeoutMs: TIMEOUT_MS });
  const limits = { ...standardLimits, ...o.limits };
  const call: Tools['call'] = async (owner, route, { query, ...rest } = {}) => {
    const [method, path] = route.split(' ') as [Call['method'], string];
    const reply = await ask(owner, { method, path: `${path}${queryText(query)}`, ...rest });
    const answer = readObject(await reply.body.text());
    if (reply.statusCode < 300 && answer !== undefined) return answer;
    throw refusal(owner, answer, reply.statusCode);
  };
  const download: Tools['download'] = async (owner, route, file) => {
    const [method, path] = route.split(' ') as [Call['method'], string];
    const signal = AbortSignal.timeout(limits.downloadMs);
    const { statusCode, headers, body } = await ask(owner, { method, path, signal });
    if (statusCode >= 300) throw refusal(owner, readObject(await body.text()), statusCode);
    const hash = createHash('sha256');
    let bytes = 0;
    async function* measured() {
      for await (const piece of piecesOf(body, owner)) {
        bytes += piece.length;
        if (bytes > limits.downloadAtMostBytes)
          throw new Refused(`${owner}: more than ${limits.downloadAtMostBytes} bytes`, statusCode);
        hash.update(piece);
        yield piece;
      }
    }
    await pipeline(measured, createWriteStream(file, { mode: 0o600 }));
    return { contentType: String(headers['content-type'] ?? ''), bytes, sha256: hash.digest('hex') };
  };
  return { settings, namespace: o.namespace ?? '', call, download };
}

/** Tells a connection that broke off from a file that cannot be written. */
async function* piecesOf(body: AsyncIterable<Buffer>, owner: Owner): AsyncGenerator<Buffer> {
  try {
    yield* body;
  } catch (error) {
    throw new ServiceUnreachable(`${owner} broke off: ${reasonOf(error)}`, { cause: error });
  }
}

function queryText(query: CallOptions['query'] = {}): string {
  const text = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) text.set(name, String(value));
  return text.size === 0 ? '' : `?${text.toString()}`;
}

function readObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function refusal(owner: Owner, answer: object | undefined, status: number): Refused {
  return new Refused(`${owner}: ${messageOf(answer) ?? 'unexpected answer'}`, status);
}

function messageOf(answer: object | undefined): string | undefined {
  return answer !== undefined && 'message' in answer ? String(answer.message) : undefined;
}
