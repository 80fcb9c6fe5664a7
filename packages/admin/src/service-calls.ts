/** Calls the services' internal admin routes, with the credential for each service. */
import { createReadStream } from 'node:fs';
import { requestIdHeader } from '@offer-ads/contracts/internal/caller-context';
import {
  adminActorHeader,
  adminRolesHeader,
  adminSubjectHeader,
  adminViaHeader,
} from '@offer-ads/platform/admin/routes';
import { adminCredential } from '@offer-ads/platform/admin/tokens';
import { type Dispatcher, request } from 'undici';
import type { AdminSettings } from './config.ts';
import type { Person } from './console/sign-in/person.ts';

/** The services that have admin routes. */
export type Owner = 'gateway' | 'offers' | 'billing' | 'pricing' | 'moderation' | 'notifier';

export type Call = {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  readonly json?: object;
  /** The file is streamed, so its size is not limited. */
  readonly file?: string;
  /** No time-out, for long work. */
  readonly patient?: boolean;
  /** Ends the call, also while its reply is being read. */
  readonly signal?: AbortSignal;
};

/** The addresses and the token. */
export type ServiceSettings = Omit<AdminSettings, 'RABBITMQ_URL'>;

/** For whom the console calls, and for which of its requests. */
export type OnBehalf = { readonly person: Person; readonly requestId: string };

/** `onBehalf`: only of the console; others are known by their token. Throws `ServiceUnreachable`. */
export type ServiceCalls = (
  owner: Owner,
  call: Call,
  onBehalf?: OnBehalf,
) => Promise<Dispatcher.ResponseData>;

export class ServiceUnreachable extends Error {
  override readonly name = 'ServiceUnreachable';
}

export function createServiceCalls(settings: ServiceSettings, o: { timeoutMs: number }): ServiceCalls {
  const addresses = addressesOf(settings);
  return async (owner, { method, path, json, file, patient = false, signal }, onBehalf) => {
    const timeoutMs = patient ? 0 : o.timeoutMs;
    const body = file === undefined ? JSON.stringify(json) : createReadStream(file);
    return request(`${addresses[owner]}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${adminCredential(settings.ADMIN_TOKEN, owner)}`,
        ...(onBehalf !== undefined && headersOf(onBehalf)),
        'content-type': file === undefined ? 'application/json' : 'application/x-ndjson',
      },
      body: body ?? null,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      signal: signal ?? null,
    }).catch((error: unknown) => {
      const message = `${owner} cannot be reached at ${addresses[owner]}: ${reasonOf(error)}`;
      throw new ServiceUnreachable(message, { cause: error });
    });
  };
}

function headersOf({ person, requestId }: OnBehalf): Record<string, string> {
  return {
    [adminActorHeader]: person.name,
    ...(person.subject !== null && { [adminSubjectHeader]: person.subject }),
    [adminRolesHeader]: person.roles.join(),
    [adminViaHeader]: person.via,
    [requestIdHeader]: requestId,
  };
}

export function addressesOf(settings: ServiceSettings): Readonly<Record<Owner, string>> {
  return {
    gateway: settings.GATEWAY_ADMIN_URL,
    offers: settings.OFFERS_ADMIN_URL,
    billing: settings.BILLING_ADMIN_URL,
    pricing: settings.PRICING_ADMIN_URL,
    moderation: settings.MODERATION_ADMIN_URL,
    notifier: settings.NOTIFIER_ADMIN_URL,
  };
}

/** For a refused connection the code is the reason; for an unreadable file it is the message. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message || String((error as NodeJS.ErrnoException).code);
}
