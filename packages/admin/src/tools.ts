/** What commands work with: the services' admin routes and the broker. */
import { createReadStream } from 'node:fs';
import { firstSecret } from '@offer-ads/platform/secrets';
import { request } from 'undici';
import type { AdminSettings } from './config.ts';

/** The services that have admin routes. */
export type Owner = 'gateway' | 'offers' | 'billing' | 'pricing' | 'moderation' | 'notifier';

export type Call = {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  readonly json?: object;
  /** Streamed, so that its size does not matter. */
  readonly file?: string;
  /** For work that takes as long as it takes. */
  readonly patient?: boolean;
};

export type Tools = {
  readonly settings: AdminSettings;
  /** Keeps tests apart on one broker; empty everywhere else. */
  readonly namespace: string;
  /** The reply's JSON object; throws what the service said, or that it cannot be reached. */
  readonly call: (owner: Owner, call: Call) => Promise<object>;
};

/** A service has answered, and not as it was asked to. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly status: number;

  constructor(message: string, status: number) {
    super(`${message} (HTTP ${status})`);
    this.status = status;
  }
}

const TIMEOUT_MS = 30_000;

/** The actor is who did it, for the services' audit log. */
export function createTools(settings: AdminSettings, o: { actor: string; namespace?: string }): Tools {
  const addresses: Readonly<Record<Owner, string>> = {
    gateway: settings.GATEWAY_ADMIN_URL,
    offers: settings.OFFERS_ADMIN_URL,
    billing: settings.BILLING_ADMIN_URL,
    pricing: settings.PRICING_ADMIN_URL,
    moderation: settings.MODERATION_ADMIN_URL,
    notifier: settings.NOTIFIER_ADMIN_URL,
  };
  const call: Tools['call'] = async (owner, { method, path, json, file, patient = false }) => {
    const timeoutMs = patient ? 0 : TIMEOUT_MS;
    const body = file === undefined ? JSON.stringify(json) : createReadStream(file);
    const reply = await request(`${addresses[owner]}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${firstSecret(settings.ADMIN_TOKEN)}`,
        'x-admin-actor': o.actor,
        'content-type': file === undefined ? 'application/json' : 'application/x-ndjson',
      },
      body: body ?? null,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
    }).catch((error: unknown) => {
      throw new Error(`${owner} cannot be reached at ${addresses[owner]}: ${reasonOf(error)}`, {
        cause: error,
      });
    });
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

/** A refused connection has its reason in the code, a file that cannot be read in the message. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message || String((error as NodeJS.ErrnoException).code);
}
