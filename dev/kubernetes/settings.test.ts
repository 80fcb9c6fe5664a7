/** The settings of every service, in every overlay, against its config schema; and where secrets come from. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { type ServiceName, serviceNames } from '@offer-ads/contracts/primitives';
import { ConfigError } from '@offer-ads/platform/config';
import { readAdminSettings } from '../../packages/admin/src/config.ts';
import { readBillingConfig } from '../../services/billing/src/config.ts';
import { readGatewayConfig } from '../../services/gateway/src/config.ts';
import { readModerationConfig } from '../../services/moderation/src/config.ts';
import { readNotifierConfig } from '../../services/notifier/src/config.ts';
import { readOffersConfig } from '../../services/offers/src/config.ts';
import { readPricingConfig } from '../../services/pricing/src/config.ts';
import { manifestsOf, overlays, wholeOf } from './overlays.ts';
import { k8sFolder, type Manifest } from './render.ts';
import { faultsOf } from './schemas.ts';
import { externalSecrets } from './secrets.ts';
import { secretsOfDev } from './secrets-of-dev.ts';
import { environmentOf, sampleSecrets, secretsIn, workload, workloadsOf } from './workloads.ts';

const readers: Record<ServiceName | 'admin', (env: NodeJS.ProcessEnv) => unknown> = {
  gateway: readGatewayConfig,
  offers: readOffersConfig,
  billing: readBillingConfig,
  pricing: readPricingConfig,
  moderation: readModerationConfig,
  notifier: readNotifierConfig,
  admin: (env) => readAdminSettings(env, 'no file'),
};

/** Read by the telemetry hook, before there is a config. */
const telemetryVariable = 'OTEL_EXPORTER_OTLP_ENDPOINT';
const isSecret = /(SECRET|TOKEN|PASSWORD|_KEY|_KEY_ID)$|^(\w+_DATABASE|RABBITMQ|MONGO|VALKEY|SMTP)_URL$/;

/** Which variables a config reader asks for, told by an environment that has none of them. */
function variablesRead(name: ServiceName | 'admin'): string[] {
  // It reads a copy of the environment, but needs all that it knows.
  if (name === 'admin') return missingWithout({});
  const asked = new Set<string>();
  missingWithout(new Proxy({}, { get: (_, name) => void asked.add(String(name)) }), name);
  return [...asked, telemetryVariable];
}

function missingWithout(env: NodeJS.ProcessEnv, name: ServiceName | 'admin' = 'admin'): string[] {
  try {
    readers[name](env);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.map((problem) => problem.split(' ')[0] ?? '');
  }
  throw new Error(`${name} needs no settings`);
}

describe.each(overlays)('in the overlay %s', (overlay) => {
  it.each([...serviceNames, 'admin'] as const)(
    '%s is given every setting that it reads, and no other',
    (name) => {
      const given = Object.keys(environmentOf(overlay, workload(overlay, name)));
      expect(given.toSorted()).toEqual(variablesRead(name).toSorted());
    },
  );

  it.each([...serviceNames, 'admin'] as const)('%s starts with these settings', (name) => {
    const environment = environmentOf(overlay, workload(overlay, name));
    expect(() => readers[name](environment)).not.toThrow();
  });

  it('secrets stand in Secrets alone, and nothing else does', () => {
    const maps = wholeOf(overlay).filter(({ kind }) => kind === 'ConfigMap');
    const named = maps.flatMap(({ data }) => Object.keys(data as object));
    expect(named.filter((name) => isSecret.test(name))).toEqual([]);
    for (const name of [...serviceNames, 'admin'])
      for (const key of Object.keys(sampleSecrets[name] ?? {})) expect(key).toMatch(isSecret);
  });

  it('every Secret and key that a pod refers to is made by an ExternalSecret, or for dev', () => {
    const secrets = secretsIn(overlay);
    const missing: string[] = [];
    const refer = (name: string, key?: string) => {
      // Made by CloudNativePG.
      if (name === 'postgres-ca') return;
      if ((key === undefined ? secrets[name] : secrets[name]?.[key]) === undefined)
        missing.push(`${name} ${key}`);
    };
    for (const { pod } of workloadsOf(overlay)) {
      for (const { env = [], envFrom = [] } of pod.containers) {
        for (const { valueFrom } of env)
          if (valueFrom) refer(valueFrom.secretKeyRef.name, valueFrom.secretKeyRef.key);
        for (const { secretRef } of envFrom) if (secretRef) refer(secretRef.name);
      }
      for (const { secret } of pod.volumes ?? [])
        if (secret) for (const { key } of secret.items ?? [{ key: undefined }]) refer(secret.secretName, key);
    }
    expect(missing).toEqual([]);
  });
});

describe('the Secrets of dev', () => {
  it('are objects that Kubernetes knows, in the namespace of the overlay', () => {
    const secrets = secretsOfDev();
    expect(secrets.flatMap((secret) => faultsOf(secret as Manifest))).toEqual([]);
    const [namespace] = new Set(wholeOf('dev').map(({ metadata }) => metadata.namespace));
    expect(new Set(secrets.map(({ metadata }) => metadata.namespace))).toEqual(new Set([namespace]));
  });

  it('are others each time, and no two of one are alike', () => {
    const [once, again] = [secretsOfDev(), secretsOfDev()];
    const tokenOf = (secrets: typeof once) => secrets[0]?.stringData.ADMIN_TOKEN;
    expect(tokenOf(once)).toHaveLength(64);
    expect(tokenOf(once)).not.toBe(tokenOf(again));
    const gateway = once.find(({ metadata }) => metadata.name === 'gateway')!;
    const values = Object.values(gateway.stringData);
    expect(new Set(values).size).toBe(values.length);
  });

  it('tell the plain stores of every user with the password that its service has', () => {
    const secrets = secretsIn('dev');
    const definitions = JSON.parse(secrets['rabbitmq-definitions']?.['definitions.json'] ?? '') as {
      users: { name: string; password: string }[];
      permissions: { user: string }[];
    };
    for (const { name, password } of definitions.users) {
      const url = secrets[name]?.RABBITMQ_URL;
      if (url !== undefined) expect(url).toBe(`amqp://${name}:${password}@rabbitmq:5672`);
      expect(definitions.permissions.some(({ user }) => user === name)).toBe(true);
    }
    for (const name of ['pricing', 'moderation', 'notifier']) {
      const password = new URL(secrets[name]?.MONGO_URL ?? '').password;
      expect(secrets['mongo-set-up']?.['set-up.js']).toContain(`"user":"${name}","pwd":"${password}"`);
    }
  });
});

describe('ExternalSecrets', () => {
  it.each(externalSecrets().map((external) => [external.metadata.name, external] as const))(
    'of %s asks for what its template needs, and for nothing else',
    (name, { spec }) => {
      const needed = Object.values(spec.target.template.data).flatMap((template) =>
        [...template.matchAll(/\{\{ \.(\w+) \}\}/g)].map(([, used = '']) => used),
      );
      expect([...new Set(needed)].toSorted()).toEqual(spec.data.map(({ secretKey }) => secretKey).toSorted());
      expect(spec.target.name).toBe(name);
    },
  );

  it('are what the operators of the stores are told to look into', () => {
    const stores = manifestsOf('overlays/production/stores');
    const referred = JSON.stringify(
      stores.filter(({ kind }) => !['ExternalSecret', 'PodMonitor'].includes(kind)),
    );
    const names = [
      ...referred.matchAll(
        /"(?:importCredentialsSecret|passwordSecret|passwordSecretRef|secret)":\{"name":"([^"]+)"\}/g,
      ),
    ];
    expect(names.length).toBe(3 + 8 + 3);
    for (const [, name = ''] of names) expect(sampleSecrets[name]).toHaveProperty('password');
    for (const { metadata } of stores.filter(({ kind }) => kind === 'User'))
      expect(sampleSecrets[`rabbitmq-${metadata.name}`]?.username).toBe(metadata.name);
  });

  it('ask for what the README tells to put into the store of secrets', () => {
    const readme = readFileSync(join(k8sFolder, 'README.md'), 'utf8');
    const told = [...readme.matchAll(/^\| `(offer-ads\/[\w-]+)` \| (.*) \|$/gm)].flatMap(
      ([, key, properties = '']) =>
        [...properties.replace(/, such as .*/, '').matchAll(/`([\w-]+)`/g)].map(
          ([, property]) => `${key} ${property}`,
        ),
    );
    const asked = externalSecrets().flatMap(({ spec }) =>
      spec.data.map(({ remoteRef }) => `${remoteRef.key} ${remoteRef.property}`),
    );
    expect(told.toSorted()).toEqual([...new Set(asked)].toSorted());
  });

  it('and nobody else make the Secrets of staging and production: none is in the repository', () => {
    const kinds = overlays.flatMap((overlay) => wholeOf(overlay).map(({ kind }: Manifest) => kind));
    expect(kinds).not.toContain('Secret');
  });
});
