/** The tools of commands: the services' admin routes and the broker. */
import type { AdminSettings } from './config.ts';
import { type Call, createServiceCalls, type Owner, ServiceUnreachable } from './service-calls.ts';

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

export function createTools(settings: AdminSettings, o: { namespace?: string } = {}): Tools {
  const ask = createServiceCalls(settings, { timeoutMs: TIMEOUT_MS });
  const call: Tools['call'] = async (owner, route, { query, ...rest } = {}) => {
    const [method, path] = route.split(' ') as [Call['method'], string];
    const reply = await ask(owner, { method, path: `${path}${queryText(query)}`, ...rest });
    const answer = readObject(await reply.body.text());
    if (reply.statusCode < 300 && answer !== undefined) return answer;
    throw new Refused(`${owner}: ${messageOf(answer) ?? 'unexpected answer'}`, reply.statusCode);
  };
  return { settings, namespace: o.namespace ?? '', call };
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

function messageOf(answer: object | undefined): string | undefined {
  return answer !== undefined && 'message' in answer ? String(answer.message) : undefined;
}
