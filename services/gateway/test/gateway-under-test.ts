/** A whole gateway on real stores, before fake services, with one organisation and its keys. */
import { randomInt } from 'node:crypto';
import type { Clock } from '@offer-ads/platform/process/clock';
import { startWhenStoresServe } from '@offer-ads/platform/process/patient-start';
import { adminToken, adminTokenHashes } from '@offer-ads/testing/admin';
import { silentLogger } from '@offer-ads/testing/logger';
import { testNamespace } from '@offer-ads/testing/stores/broker';
import { createTestDatabase } from '@offer-ads/testing/stores/database';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { patiently } from '@offer-ads/testing/waiting/patiently';
import { type GatewayConfig, readGatewayConfig } from '../src/config.ts';
import { type Gateway, type GatewayOverrides, startGateway } from '../src/service.ts';
import { type FakeUpstream, startFakeUpstream } from './forwarding/fake-upstream.ts';

export const contextSecrets = {
  offers: 'the-secret-of-offers-that-only-tests-use-0123',
  pricing: 'the-secret-of-pricing-that-only-tests-use-012',
  billing: 'the-secret-of-billing-that-only-tests-use-012',
  notifier: 'the-secret-of-notifier-that-only-tests-use-01',
};

/** Revoking a key waits until no replica remembers it any more: shorter than in production, so that no test waits for a second. */
const rememberKeysMs = 100;

export type Reply = { status: number; headers: Headers; body: unknown };
type Call = {
  method?: string;
  key?: string | null;
  ip?: string;
  headers?: Record<string, string>;
  body?: string | Buffer | ReadableStream;
  /** Another replica's address. */
  base?: string;
  /** Takes the first answer, also a 503: for what tests say of 503s, or count. */
  once?: boolean;
};

export type GatewayUnderTest = AsyncDisposable & {
  readonly url: string;
  readonly config: GatewayConfig;
  readonly databaseUrl: string;
  readonly brokerNamespace: string;
  readonly offers: FakeUpstream;
  readonly pricing: FakeUpstream;
  readonly billing: FakeUpstream;
  readonly notifier: FakeUpstream;
  /**
   * A public call from an address of its own, so that tests do not use up each other's limit. As a client does, it asks again
   * after a 503, which a busy machine may give.
   */
  readonly call: (path: string, o?: Call) => Promise<Reply>;
  readonly admin: (method: 'GET' | 'POST', path: string, json?: unknown) => Promise<Reply>;
  readonly register: (overrides?: Record<string, unknown>) => Promise<number>;
  readonly createKey: (
    organisationId: number,
    overrides?: Record<string, unknown>,
  ) => Promise<{ id: number; key: string }>;
  /** Like the first but for what is named. The caller disposes it. */
  readonly startReplica: (o?: {
    config?: Partial<GatewayConfig>;
    overrides?: GatewayOverrides;
  }) => Promise<Gateway>;
};

export async function startGatewayUnderTest(
  o: { clock?: Clock; settings?: NodeJS.ProcessEnv; overrides?: GatewayOverrides } = {},
): Promise<GatewayUnderTest> {
  await using opened = new AsyncDisposableStack();
  const database = await createTestDatabase('gateway');
  opened.defer(() => database.dispose());
  const broker = testNamespace();
  opened.defer(() => broker.dispose());
  const offers = opened.use(await startFakeUpstream());
  const pricing = opened.use(await startFakeUpstream());
  const billing = opened.use(await startFakeUpstream());
  const notifier = opened.use(await startFakeUpstream());
  const config = readGatewayConfig({
    PORT: '0',
    LOG_LEVEL: 'silent',
    GATEWAY_DATABASE_URL: database.url,
    RABBITMQ_URL: broker.url,
    ADMIN_TOKEN_HASHES: adminTokenHashes,
    OFFERS_URL: offers.url,
    PRICING_URL: pricing.url,
    BILLING_URL: billing.url,
    NOTIFIER_URL: notifier.url,
    OFFERS_CONTEXT_SECRET: contextSecrets.offers,
    PRICING_CONTEXT_SECRET: contextSecrets.pricing,
    BILLING_CONTEXT_SECRET: contextSecrets.billing,
    NOTIFIER_CONTEXT_SECRET: contextSecrets.notifier,
    PUBLIC_URL: 'https://ads.example.test',
    TRUSTED_PROXIES: '127.0.0.0/8',
    SIGN_UP: 'open',
    ...o.settings,
  });
  const startReplica: GatewayUnderTest['startReplica'] = (changed = {}) =>
    startWhenStoresServe(() =>
      startGateway(
        { ...config, ...changed.config },
        {
          logger: silentLogger,
          brokerNamespace: broker.namespace,
          rememberKeysMs,
          ...(o.clock === undefined ? {} : { clock: o.clock }),
          ...o.overrides,
          ...changed.overrides,
        },
      ),
    );
  const gateway = opened.use(await startReplica());

  const call = (
    path: string,
    { method = 'GET', key, ip, headers, body, base = gateway.url, once = false }: Call = {},
  ): Promise<Reply> => {
    const ask = async () =>
      reply(
        await fetch(`${base}${path}`, {
          method,
          headers: {
            'x-forwarded-for': ip ?? unusedIp(),
            ...(key === undefined || key === null ? {} : { 'x-api-key': key }),
            ...headers,
          },
          ...(body === undefined ? {} : { body, duplex: 'half' }),
        }),
      );
    // A stream is gone once it was sent.
    return once || body instanceof ReadableStream ? ask() : patiently(ask);
  };
  const admin = (method: 'GET' | 'POST', path: string, json?: unknown): Promise<Reply> =>
    patiently(async () =>
      reply(
        await fetch(`${gateway.url}/admin${path}`, {
          method,
          headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
          ...(json === undefined ? {} : { body: JSON.stringify(json) }),
        }),
      ),
    );
  const register = async (overrides: Record<string, unknown> = {}): Promise<number> => {
    const { body } = await admin('POST', '/organisations', { ...cafe, ...overrides });
    return (body as { id: number }).id;
  };
  const createKey = async (organisationId: number, overrides: Record<string, unknown> = {}) => {
    const { body } = await admin('POST', '/keys', { organisationId, mode: 'TEST', ...overrides });
    return body as { id: number; key: string };
  };

  const running = opened.move();
  return {
    url: gateway.url,
    config,
    databaseUrl: database.url,
    brokerNamespace: broker.namespace,
    offers,
    pricing,
    billing,
    notifier,
    call,
    admin,
    register,
    createKey,
    startReplica,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

export const cafe = {
  name: 'Corner Cafe Limited',
  tradingName: 'Corner Cafe',
  country: 'GB',
  currency: 'GBP',
  adminEmail: 'owner@cafe.test',
};

async function reply(response: Response): Promise<Reply> {
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
}

/** Once this replica counts in the shared store: its connection may take a second and is tried again after that. */
export async function whenCountedTogether(url: string): Promise<void> {
  await eventually(async () => {
    const metrics = await (await fetch(`${url}/metrics`)).text();
    if (!/^rate_limit_store_up\{[^}]*\} 1$/m.test(metrics)) throw new Error('counts for itself');
  });
}

/** Each file of tests begins somewhere else: files that share a store of counts do not meet. */
let lastIp = randomInt(2 ** 24);

/**
 * An address that no other test has used: tests that drew the same one would count against one limit. Of the private
 * network 10.0.0.0/8 (RFC 1918).
 */
export function unusedIp(): string {
  lastIp = (lastIp + 1) % 2 ** 24;
  return `10.${lastIp >> 16}.${(lastIp >> 8) & 255}.${lastIp & 255}`;
}
