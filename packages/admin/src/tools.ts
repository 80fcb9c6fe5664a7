/** The tools of commands: the services' admin routes and the broker. */
import type { AdminSettings } from './config.ts';
import { type Call, createServiceCalls, type Owner } from './service-calls.ts';

export type { Call, Owner } from './service-calls.ts';

export type Tools = {
  readonly settings: AdminSettings;
  /** Separates tests on one broker; empty otherwise. */
  readonly namespace: string;
  /** Returns the reply's JSON object. Throws the service's refusal, or that it cannot be reached. */
  readonly call: (owner: Owner, call: Call) => Promise<object>;
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

const TIMEOUT_MS = 30_000;

export function createTools(settings: AdminSettings, o: { namespace?: string } = {}): Tools {
  const ask = createServiceCalls(settings, { timeoutMs: TIMEOUT_MS });
  const call: Tools['call'] = async (owner, wanted) => {
    const reply = await ask(owner, wanted);
    const answer = readObject(await reply.body.text());
    if (reply.statusCode < 300 && answer !== undefined) return answer;
    throw new Refused(`${owner}: ${messageOf(answer) ?? 'unexpected answer'}`, reply.statusCode);
  };
  return { settings, namespace: o.namespace ?? '', call };
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
