/** Production on stores that somebody else runs: changed as k8s/README.md says, and started on stand-ins that accept nothing but TLS. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { serviceNames } from '@offer-ads/contracts/values/primitives';
import { readers } from '@offer-ads/deploy/settings/schemas';
import { repository } from '@offer-ads/dev/start/folder';
import { certificateFor } from '@offer-ads/testing/certificate';
import { requireAddress } from '@offer-ads/testing/config';
import { type ServiceProcess, startServiceProcess } from '@offer-ads/testing/service-process';
import { createTestDatabase } from '@offer-ads/testing/stores/database';
import { createTestMongo } from '@offer-ads/testing/stores/mongo';
import { startTlsFront } from '@offer-ads/testing/stores/tls-front';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import type { Manifest } from '../render/patch.ts';
import { faultsOf } from '../render/schemas.ts';
import { matches, type Policy } from './network-policies.ts';
import { copyManifests, manifestsOf, onManagedStores, wholeOf } from './overlays.ts';
import { type ExternalSecret, secretData } from './secrets.ts';
import { environmentIn, type SecretData, sampleSecret, workloadsIn } from './workloads.ts';

using copy = copyManifests();
onManagedStores(copy);
const stores = copy.render('overlays/production/stores');
const whole = [
  ...stores,
  ...copy.render('overlays/production/migrations'),
  ...copy.render('overlays/production'),
];
const workloads = workloadsIn(whole);
const key = ({ kind, metadata }: Manifest) => `${kind} ${metadata.name}`;

const addresses = new Map([
  ['offer-ads/valkey url', 'rediss://:secret@valkey.cloud.example:6379'],
  ...['gateway', 'offers', 'billing'].map((name): [string, string] => [
    `offer-ads/postgres ${name}`,
    `postgres://${name}:secret@postgres.cloud.example:5432/${name}?sslmode=verify-full`,
  ]),
  ...[...serviceNames, 'admin'].map((name): [string, string] => [
    `offer-ads/rabbitmq ${name}`,
    `amqps://${name}:secret@rabbitmq.cloud.example:5671`,
  ]),
  ...['pricing', 'moderation', 'notifier'].map((name): [string, string] => [
    `offer-ads/mongo ${name}`,
    `mongodb+srv://${name}:secret@mongo.cloud.example/${name}`,
  ]),
]);

function secretsWith(given: ReadonlyMap<string, string>): SecretData {
  const external = stores.filter(({ kind }) => kind === 'ExternalSecret') as ExternalSecret[];
  return Object.fromEntries(
    external.map((one) => [
      one.spec.target.name,
      secretData(one, (of, property) => given.get(`${of} ${property}`) ?? sampleSecret(of, property)),
    ]),
  );
}

function environment(name: string, given: ReadonlyMap<string, string>): Record<string, string> {
  return environmentIn(whole, secretsWith(given), workloads.find((one) => one.name === name)!);
}

describe('production on managed stores', () => {
  it('has the services, the Jobs and their secrets as before, no store, and what reaches the managed ones', () => {
    const scaling = /^(ScaledObject|TriggerAuthentication|HorizontalPodAutoscaler) /;
    const keysOf = (manifests: readonly Manifest[]) =>
      new Set(manifests.map(key).filter((one) => !scaling.test(one)));
    const services = keysOf(manifestsOf('overlays/production'));
    const before = keysOf(wholeOf('production'));
    const after = keysOf(whole);
    expect([...after.difference(before)].toSorted()).toEqual([
      'NetworkPolicy migrations-to-managed-stores',
      'NetworkPolicy to-managed-mongo',
      'NetworkPolicy to-managed-postgres',
      'NetworkPolicy to-managed-rabbitmq',
      'NetworkPolicy to-managed-valkey',
    ]);
    expect([...services.difference(after)].toSorted()).toEqual([
      'Deployment valkey',
      'NetworkPolicy valkey',
      'Service valkey',
      'ServiceAccount valkey',
    ]);
    expect(whole.flatMap((manifest) => faultsOf(manifest))).toEqual([]);
  });

  it.each(serviceNames)('%s gets addresses that it accepts, and none of a store in the cluster', (name) => {
    const given = environment(name, addresses);
    expect(() => readers[name](given)).not.toThrow();
    expect(JSON.stringify(given)).not.toMatch(/postgres-rw|mongo-svc|@rabbitmq:|@valkey:/);
  });

  it('each pod that calls a store may reach it, and trusts its certificate', () => {
    const policies = whole.filter(({ kind }) => kind === 'NetworkPolicy') as Policy[];
    const ports = { DATABASE_URL: 5432, RABBITMQ_URL: 5671, MONGO_URL: 27017, VALKEY_URL: 6379 };
    let calls = 0;
    // That Job has the settings of the admin tool, and calls only services.
    for (const one of workloads.filter(({ name }) => name !== 'payments-check')) {
      const given = environmentIn(whole, secretsWith(addresses), one);
      for (const [setting, port] of Object.entries(ports)) {
        if (!Object.keys(given).some((each) => each.endsWith(setting))) continue;
        calls += 1;
        const open = policies.filter(
          ({ spec }) =>
            matches(spec.podSelector, one.labels) &&
            spec.egress?.some(
              ({ to = [], ports: opened }) =>
                to.some(({ ipBlock }) => ipBlock !== undefined) && opened.some((each) => each.port === port),
            ),
        );
        expect([one.name, setting, open.length]).toEqual([one.name, setting, 1]);
        expect([one.name, given.NODE_EXTRA_CA_CERTS]).toEqual([one.name, '/etc/offer-ads/stores/ca.crt']);
        expect(one.pod.volumes?.map((volume) => volume.name)).toContain('stores-ca');
      }
    }
    // Three call Postgres, five RabbitMQ, and so on; the tool and the migrations too.
    expect(calls).toBe(3 + 5 + 3 + 1 + 1 + 3);
  });
});

describe('stores that accept nothing but TLS', () => {
  const opened = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'managed-stores-'));
  const trusted = certificateFor('localhost');
  const given = new Map<string, string>();
  beforeAll(async () => {
    writeFileSync(join(folder, 'ca.crt'), trusted.cert);
    writeFileSync(join(folder, 'other.crt'), certificateFor('localhost').cert);
    const secured = async (target: string, protocol: string, query = '') => {
      const url = new URL(target);
      const { port } = opened.use(await startTlsFront(target, trusted));
      const login = url.username === '' ? '' : `${url.username}:${url.password}@`;
      return `${protocol}://${login}localhost:${port}${url.pathname}${query}`;
    };
    const postgres = opened.adopt(await createTestDatabase('gateway'), (it) => it.dispose());
    const mongo = opened.adopt(await createTestMongo(), (it) => it.dispose());
    given.set('offer-ads/postgres gateway', await secured(postgres.url, 'postgres', '?sslmode=verify-full'));
    given.set(
      'offer-ads/mongo pricing',
      await secured(mongo.url, 'mongodb', '?directConnection=true&tls=true'),
    );
    given.set('offer-ads/valkey url', await secured(requireAddress('valkey'), 'rediss'));
    const rabbitmq = await secured(requireAddress('rabbitmq'), 'amqps');
    for (const name of ['gateway', 'pricing']) given.set(`offer-ads/rabbitmq ${name}`, rabbitmq);
  });
  afterAll(async () => {
    await opened.disposeAsync();
    rmSync(folder, { recursive: true });
  });

  const main = (name: string, program = 'main') => join(repository, 'services', name, 'src', `${program}.ts`);
  const settings = (name: string, authority: string) => ({
    ...environment(name, given),
    HOST: '127.0.0.1',
    PORT: '0',
    ADMIN_PORT: '0',
    OTEL_EXPORTER_OTLP_ENDPOINT: '',
    NODE_EXTRA_CA_CERTS: join(folder, authority),
  });

  const untilReady = ({ url }: ServiceProcess) =>
    eventually(async () => {
      expect((await fetch(`${url}/readyz`)).status).toBe(200);
    });

  it('are served by the gateway: Postgres, RabbitMQ and Valkey', async () => {
    await using gateway = await startServiceProcess(main('gateway'), settings('gateway', 'ca.crt'));
    await eventually(async () => {
      const metrics = await (await fetch(`${gateway.adminUrl}/metrics`)).text();
      expect(metrics).toMatch(/^rate_limit_store_up\{.*\} 1$/m);
    });
    await untilReady(gateway);
  });

  it('are served by pricing: MongoDB and RabbitMQ', async () => {
    await using pricing = await startServiceProcess(main('pricing'), settings('pricing', 'ca.crt'));
    await expect(untilReady(pricing)).resolves.toBeUndefined();
  });

  it('are migrated', async () => {
    const run = promisify(execFile);
    await expect(
      run(process.execPath, [main('gateway', 'migrate')], { env: settings('gateway', 'ca.crt') }),
    ).resolves.toBeDefined();
  });

  it('are not trusted when another authority signed their certificates', async () => {
    const run = promisify(execFile)(process.execPath, [main('gateway', 'migrate')], {
      env: settings('gateway', 'other.crt'),
    });
    await expect(run).rejects.toThrow(/self-signed certificate/);
  });
});
