/** A whole gateway on real stores, in front of fake services. */
import { randomInt } from 'node:crypto';
import { expect } from '@jest/globals';
import type { Clock } from '@offer-ads/platform/process/clock';
import { startWhenStoresServe } from '@offer-ads/platform/process/start-when-stores-serve';
import { adminToken, adminTokenHashes } from '@offer-ads/testing/admin';
import { pagesAreBuilt } from '@offer-ads/testing/built-pages';
import { silentLogger } from '@offer-ads/testing/logger';
import { testNamespace } from '@offer-ads/testing/stores/broker';
import { createTestDatabase } from '@offer-ads/testing/stores/database';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { patiently } from '@offer-ads/testing/waiting/patiently';
import pg from 'pg';
import { type GatewayConfig, readGatewayConfig } from '../src/config.ts';
import { type Gateway, type GatewayOverrides, startGateway } from '../src/service.ts';
import { type FakeUpstream, startFakeUpstream } from './forwarding/fake-upstream.ts';

export type Reply = { status: number; headers: Headers; body: unknown };
type Call = {
  method?: string;
  key?: string | null;
  ip?: string;
  headers?: Record<string, string>;
  body?: string | Buffer | ReadableStream;
  /** Another replica's address. */
  base?: string;
  /** Takes the first answer, also a 503: for tests about 503s, and tests that count requests. */
  once?: boolean;
};
export type LoggedCall = {
  readonly keyId: number;
  readonly route: string;
  readonly status: number;
  readonly returnCode: string | null;
  readonly at: string;
};
type Key = { readonly id: number; readonly key: string };

export type GatewayUnderTest = AsyncDisposable & {
  readonly url: string;
  readonly adminUrl: string;
  /** The settings as its environment has them. */
  readonly env: NodeJS.ProcessEnv;
  readonly config: GatewayConfig;
  readonly databaseUrl: string;
  /** The test's own connection to the gateway's database. */
  readonly database: pg.Client;
  readonly brokerNamespace: string;
  readonly offers: FakeUpstream;
  readonly pricing: FakeUpstream;
  readonly billing: FakeUpstream;
  readonly notifier: FakeUpstream;
  /** Resets all four services. */
  readonly resetUpstreams: () => void;
  /**
   * A public call from an address of its own, so that tests do not use up each other's limit. Like a client, it repeats the call after a
   * 503, which a busy machine may give.
   */
  readonly call: (path: string, o?: Call) => Promise<Reply>;
  readonly admin: (method: 'GET' | 'POST', path: string, json?: unknown) => Promise<Reply>;
  readonly register: (overrides?: Record<string, unknown>) => Promise<number>;
  readonly createKey: (organisationId: number, overrides?: Record<string, unknown>) => Promise<Key>;
  /** The organisation's call log, newest first. `query` as the admin route takes it. */
  readonly callsOf: (organisationId: number, query?: string) => Promise<LoggedCall[]>;
  /** Like the first, except for the named parts. It stops with the first one, or when it is disposed. */
  readonly startReplica: (o?: {
    config?: Partial<GatewayConfig>;
    overrides?: GatewayOverrides;
  }) => Promise<Gateway>;
};

export async function startGatewayUnderTest(
  o: { clock?: Clock; settings?: NodeJS.ProcessEnv; overrides?: GatewayOverrides } = {},
): Promise<GatewayUnderTest> {
  await using opened = new AsyncDisposableStack();
  await pagesAreBuilt();
  const { url: databaseUrl, dispose } = await createTestDatabase('gateway');
  opened.defer(dispose);
  const broker = testNamespace();
  opened.defer(() => broker.dispose());
  const upstreams = {
    offers: opened.use(await startFakeUpstream()),
    pricing: opened.use(await startFakeUpstream()),
    billing: opened.use(await startFakeUpstream()),
    notifier: opened.use(await startFakeUpstream()),
  };
  const env: NodeJS.ProcessEnv = {
    PORT: '0',
    ADMIN_PORT: '0',
    LOG_LEVEL: 'silent',
    GATEWAY_DATABASE_URL: databaseUrl,
    RABBITMQ_URL: broker.url,
    ADMIN_TOKEN_HASHES: adminTokenHashes,
    PUBLIC_URL: 'https://ads.example.test',
    TRUSTED_PROXIES: '127.0.0.0/8',
    SIGN_UP: 'open',
    ...o.settings,
  };
  for (const [name, { url }] of Object.entries(upstreams)) {
    env[`${name.toUpperCase()}_URL`] = url;
    env[`${name.toUpperCase()}_CONTEXT_SECRET`] = `the-secret-of-${name}-that-only-tests-use-0123`;
  }
  const config = readGatewayConfig(env);
  const replicas = opened.use(new AsyncDisposableStack());
  const startReplica: GatewayUnderTest['startReplica'] = async (changed = {}) => {
    const overrides = {
      logger: silentLogger,
      brokerNamespace: broker.namespace,
      ...(o.clock !== undefined && { clock: o.clock }),
      ...o.overrides,
      ...changed.overrides,
    };
    const start = () => startGateway({ ...config, ...changed.config }, overrides);
    return replicas.use(await startWhenStoresServe(start));
  };
  const gateway = await startReplica();
  const database = new pg.Client({ connectionString: databaseUrl });
  await database.connect();
  opened.defer(() => database.end());

  const call: GatewayUnderTest['call'] = (path, sent = {}) => {
    const { method = 'GET', key, ip = unusedIp(), headers, body, base = gateway.url } = sent;
    const ask = async () =>
      reply(
        await fetch(`${base}${path}`, {
          method,
          headers: {
            'x-forwarded-for': ip,
            ...(typeof key === 'string' && { 'x-api-key': key }),
            ...headers,
          },
          ...(body !== undefined && { body, duplex: 'half' }),
        }),
      );
    // A stream can be sent once only.
    return sent.once === true || body instanceof ReadableStream ? ask() : patiently(ask);
  };
  const admin: GatewayUnderTest['admin'] = (method, path, json) =>
    patiently(async () =>
      reply(
        await fetch(`${gateway.adminUrl}/admin${path}`, {
          method,
          headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
          ...(json !== undefined && { body: JSON.stringify(json) }),
        }),
      ),
    );

  const running = opened.move();
  return {
    url: gateway.url,
    adminUrl: gateway.adminUrl,
    env,
    config,
    databaseUrl,
    database,
    brokerNamespace: broker.namespace,
    ...upstreams,
    resetUpstreams: () => {
      for (const upstream of Object.values(upstreams)) upstream.reset();
    },
    call,
    admin,
    register: async (overrides = {}) => {
      const { body } = await admin('POST', '/organisations', { ...cafe, ...overrides });
      return (body as { id: number }).id;
    },
    createKey: async (organisationId, overrides = {}) => {
      const { body } = await admin('POST', '/keys', { organisationId, mode: 'TEST', ...overrides });
      return body as Key;
    },
    callsOf: async (organisationId, query = '') => {
      const { body } = await admin('GET', `/organisations/${organisationId}/calls?${query}`);
      return (body as { calls: LoggedCall[] }).calls;
    },
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

/** A reply of the gateway itself, whose message has these words. */
export const refusal = (status: number, words: string) => ({
  status,
  body: { message: expect.stringContaining(words) },
});

async function reply(response: Response): Promise<Reply> {
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
}

/** The value of a metric without labels of its own. */
export async function metricOf(replica: { readonly adminUrl: string }, name: string): Promise<number> {
  const text = await (await fetch(`${replica.adminUrl}/metrics`)).text();
  return Number(new RegExp(`^${name}\\{[^}]*\\} (\\S+)$`, 'm').exec(text)?.[1]);
}

/** Resolves when the replica counts in the shared store: it may need more than one connection. */
export async function whenCountedTogether(replica: { readonly adminUrl: string }): Promise<void> {
  await eventually(async () => {
    if ((await metricOf(replica, 'rate_limit_store_up')) !== 1) throw new Error('counts for itself');
  });
}

/** Each test file begins elsewhere, so that files that share a store of counts use different addresses. */
let lastIp = randomInt(2 ** 24);

/** An address of 10.0.0.0/8 (RFC 1918) that no other test has used. */
export function unusedIp(): string {
  lastIp = (lastIp + 1) % 2 ** 24;
  return `10.${lastIp >> 16}.${(lastIp >> 8) & 255}.${lastIp & 255}`;
}
