/** The settings of every service in every overlay match its config schema; and the sources of secrets. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { serviceNames } from '@offer-ads/contracts/values/primitives';
import {
  isSecretOf,
  type Program,
  programs,
  readers,
  settingNames,
} from '@offer-ads/deploy/settings/schemas';
import { hashEntry } from '@offer-ads/platform/admin/tokens';
import type { Manifest } from '../render/patch.ts';
import { k8sFolder } from '../render/render.ts';
import { faultsOf } from '../render/schemas.ts';
import { secretsOfDev } from '../secrets-of-dev.ts';
import { manifestsOf, overlays, wholeOf } from './overlays.ts';
import { externalSecrets } from './secrets.ts';
import { environmentOf, sampleSecrets, secretsIn, workload, workloadsOf } from './workloads.ts';

/** Each person sends a token of their own to the admin tool, so that audit logs have their names. The pod has none. */
const broughtTo = (program: Program) => (program === 'admin' ? ['ADMIN_TOKEN'] : []);

describe.each(overlays)('in the overlay %s', (overlay) => {
  it.each(programs)('%s gets exactly the settings that it reads', (name) => {
    const { ADMIN_TOKEN_FILE, ...given } = environmentOf(overlay, workload(overlay, name));
    expect([...Object.keys(given), ...broughtTo(name)].toSorted()).toEqual(settingNames(name).toSorted());
    expect({ ADMIN_TOKEN_FILE }).toEqual(name === 'admin' ? { ADMIN_TOKEN_FILE: '/dev/stdin' } : {});
  });

  it.each(programs)('%s starts with these settings', (name) => {
    const brought = Object.fromEntries(broughtTo(name).map((setting) => [setting, 'x'.repeat(32)]));
    const { ADMIN_TOKEN_FILE: _, ...given } = environmentOf(overlay, workload(overlay, name));
    expect(() => readers[name]({ ...given, ...brought })).not.toThrow();
  });

  it.each(programs)('the Secret of %s has exactly its secrets', (name) => {
    const brought = broughtTo(name);
    const secrets = settingNames(name).filter(
      (setting) => isSecretOf(name, setting) && !brought.includes(setting),
    );
    expect(Object.keys(secretsIn(overlay)[name] ?? {}).toSorted()).toEqual(secrets.toSorted());
    const maps = wholeOf(overlay).filter(({ kind }) => kind === 'ConfigMap');
    const open = maps.flatMap(({ data }) => Object.keys(data as object));
    expect(open.filter((setting) => secrets.includes(setting))).toEqual([]);
  });

  it('every Secret and key that a pod uses is created', () => {
    const secrets = secretsIn(overlay);
    const missing: string[] = [];
    const refer = (name: string, key?: string) => {
      // CloudNativePG creates it.
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
  it('are valid objects in the namespace of the overlay', () => {
    const secrets = secretsOfDev();
    expect(secrets.flatMap((secret) => faultsOf(secret as Manifest))).toEqual([]);
    const [namespace] = new Set(wholeOf('dev').map(({ metadata }) => metadata.namespace));
    expect(new Set(secrets.map(({ metadata }) => metadata.namespace))).toEqual(new Set([namespace]));
  });

  it('are random, and all different', () => {
    const [once, again] = [secretsOfDev(), secretsOfDev()];
    const ofGateway = (secrets: typeof once) =>
      secrets.find(({ metadata }) => metadata.name === 'gateway')!.stringData;
    expect(ofGateway(once).OFFERS_CONTEXT_SECRET).toHaveLength(64);
    expect(ofGateway(once).OFFERS_CONTEXT_SECRET).not.toBe(ofGateway(again).OFFERS_CONTEXT_SECRET);
    const values = Object.values(ofGateway(once));
    expect(new Set(values).size).toBe(values.length);
  });

  it('give each service the hashes of the tokens that it accepts, and none of the tokens', () => {
    const secrets = secretsIn('dev');
    const tokens = {
      staff: secrets.staff?.token ?? '',
      console: secrets.console?.ADMIN_TOKEN ?? '',
      'payments-check': secrets['payments-check']?.ADMIN_TOKEN ?? '',
    };
    for (const service of serviceNames) {
      const accepted = secrets[service]?.ADMIN_TOKEN_HASHES?.split(',') ?? [];
      const known = Object.entries(tokens).filter(
        ([name]) => name !== 'payments-check' || service === 'offers' || service === 'billing',
      );
      expect(accepted).toEqual(known.map(([name, token]) => hashEntry(name, token, service)));
      for (const token of Object.values(tokens))
        expect(JSON.stringify(secrets[service])).not.toContain(token);
    }
    expect(secrets.console?.CONSOLE_OIDC_CLIENT_SECRET).toHaveLength(64);
  });

  it('give the plain stores every user with the password that its service has', () => {
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
    'of %s reads exactly what its template needs',
    (name, { spec }) => {
      const needed = Object.values(spec.target.template.data).flatMap((template) =>
        [...template.matchAll(/\{\{ \.(\w+) \}\}/g)].map(([, used = '']) => used),
      );
      expect([...new Set(needed)].toSorted()).toEqual(spec.data.map(({ secretKey }) => secretKey).toSorted());
      expect(spec.target.name).toBe(name);
    },
  );

  it('create the Secrets that the operators of the stores use', () => {
    const stores = manifestsOf('overlays/production/stores');
    const referred = JSON.stringify(
      stores.filter(({ kind }) => !['ExternalSecret', 'PodMonitor'].includes(kind)),
    );
    const names = [
      ...referred.matchAll(
        /"(?:importCredentialsSecret|passwordSecret|passwordSecretRef|secret)":\{"name":"([^"]+)"\}/g,
      ),
    ];
    expect(names.length).toBe(3 + 8 + 4);
    for (const [, name = ''] of names) expect(sampleSecrets[name]).toHaveProperty('password');
    for (const { metadata } of stores.filter(({ kind }) => kind === 'User'))
      expect(sampleSecrets[`rabbitmq-${metadata.name}`]?.username).toBe(metadata.name);
  });

  it('read exactly the keys that the README lists', () => {
    const readme = readFileSync(join(k8sFolder, 'README.md'), 'utf8');
    const told = [...readme.matchAll(/^\| `(offer-ads\/[\w-]+)` \| (.*) \|$/gm)].flatMap(
      ([, key, properties = '']) =>
        [...properties.replace(/, such as .*/, '').matchAll(/`([\w-]+)`/g)].map(
          ([, property]) => `${key} ${property}`,
        ),
    );
    const ofStores = manifestsOf('overlays/production/stores').filter(
      ({ kind }) => kind === 'ExternalSecret',
    );
    const asked = [
      ...externalSecrets(),
      ...(ofStores as unknown as ReturnType<typeof externalSecrets>),
    ].flatMap(({ spec }) => spec.data.map(({ remoteRef }) => `${remoteRef.key} ${remoteRef.property}`));
    expect(told.toSorted()).toEqual([...new Set(asked)].toSorted());
  });

  it('create all Secrets of staging and production: none is in the repository', () => {
    const kinds = overlays.flatMap((overlay) => wholeOf(overlay).map(({ kind }: Manifest) => kind));
    expect(kinds).not.toContain('Secret');
  });
});
