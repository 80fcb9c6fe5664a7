/** The chart gives the same objects as kustomize. What renders it is helm, where that is installed. */
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from '@jest/globals';
import { Ajv } from 'ajv';
import { parse, parseAllDocuments, stringify } from 'yaml';
import type { Manifest } from '../render/patch.ts';
import { k8sFolder } from '../render/render.ts';
import { faultsOf, podFaults } from '../render/schemas.ts';
import { hookOf, objectsOf, ownSettings, type Way, ways, writeChart } from './chart.ts';

const folder = mkdtempSync(join(tmpdir(), 'chart-'));
const chart = join(folder, 'offer-ads');
writeChart(chart, '1.0.0');
afterAll(() => rmSync(folder, { recursive: true }));

type Values = Record<string, unknown>;

/** What k8s/overlays/production has in its place. */
const production = {
  images: { prefix: 'registry.example/offer-ads' },
  hosts: { api: 'api.offers.example', payments: 'pay.offers.example', pictures: 'images.offers.example' },
  runbooks: 'https://git.example/offer-ads/blob/main/docs/runbooks',
  settings: settingsOfProduction(),
};
const backups = {
  destination: 's3://offer-ads-backups',
  endpoint: 'https://s3.eu-west-1.amazonaws.com',
  region: 'eu-west-1',
};
const valuesOf: Readonly<Record<Way, Values>> = {
  evaluation: { install: 'evaluation', images: { tag: 'dev' } },
  'stores/operators': { install: 'stores', backups },
  'stores/managed': { install: 'stores', stores: 'managed' },
  'services/operators/keda': production,
  'services/operators/cpu': { ...production, autoscaling: 'cpu' },
  'services/managed': { ...production, stores: 'managed' },
};

function settingsOfProduction(): Record<string, Record<string, string>> {
  const all = objectsOf().get('services/operators/keda')!;
  const dataOf = (name: string) =>
    all.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === name)?.data as Record<
      string,
      string
    >;
  return Object.fromEntries(
    Object.entries(ownSettings).map(([name, own]) => [
      name,
      Object.fromEntries(own.map((setting) => [setting, dataOf(name)[setting]!])),
    ]),
  );
}

describe('the values', () => {
  const isValid = new Ajv({ strict: false }).compile(
    JSON.parse(readFileSync(join(chart, 'values.schema.json'), 'utf8')),
  );
  const usual = parse(readFileSync(join(chart, 'values.yaml'), 'utf8')) as Values;

  it.each(ways)('are accepted for %s', (way) => {
    isValid({ ...usual, ...valuesOf[way] });
    expect(isValid.errors).toBeNull();
  });

  it.each([
    ['without hosts', { hosts: {} }],
    ['without the seller', { settings: { ...production.settings, billing: {} } }],
    ['with a misspelt value', { autoscalling: 'cpu' }],
    [
      'with a misspelt setting',
      { settings: { ...production.settings, moderation: { PICTURES_AT_ONCES: '2' } } },
    ],
    [
      'with a number as a setting',
      { settings: { ...production.settings, moderation: { PICTURES_AT_ONCE: 2 } } },
    ],
    ['with a digest that is none', { images: { ...production.images, digests: { gateway: 'latest' } } }],
  ])('are refused %s', (_, change) => {
    expect(isValid({ ...usual, ...production, ...change })).toBe(false);
  });

  it('must give each setting of production that is an example', () => {
    type Generator = { readonly name: string; readonly literals: readonly string[] };
    const { configMapGenerator } = parse(
      readFileSync(join(k8sFolder, 'overlays/production/kustomization.yaml'), 'utf8'),
    ) as { configMapGenerator: readonly Generator[] };
    const given = configMapGenerator.flatMap(({ name, literals }) =>
      literals.map((literal) => `${name} ${literal.slice(0, literal.indexOf('='))}`),
    );
    const own = new Set(
      Object.entries(ownSettings).flatMap(([name, all]) => all.map((one) => `${name} ${one}`)),
    );
    // The rest follows from the hosts, or suits everybody.
    expect(given.filter((one) => !own.has(one) && !/ (PUBLIC|PORTAL)_URL$/.test(one))).toEqual([
      'notifier SMTP_TLS',
      'every-service OTEL_EXPORTER_OTLP_ENDPOINT',
    ]);
  });
});

const hasHelm = spawnSync('helm', ['version']).status === 0;
if (!hasHelm)
  console.warn('helm is not installed: what it makes of the chart is not compared with kustomize');

(hasHelm ? describe : describe.skip)('with helm', () => {
  const objects = objectsOf();

  it.each(ways)('%s gives the same objects', async (way) => {
    const namespace = way === 'evaluation' ? 'offer-ads-dev' : 'offer-ads';
    const theirs = (await template(valuesOf[way], namespace)).filter((one) => hookOf(one) !== 'test');
    expect(comparable(theirs)).toEqual(comparable(objects.get(way)!));
  });

  it('migrates again at each upgrade, also where the stores are in the same release', async () => {
    for (const way of ['evaluation', 'services/operators/keda'] as const) {
      const all = await template(valuesOf[way], 'offer-ads', '--is-upgrade');
      const jobs = all.filter(({ kind }) => kind === 'Job');
      expect(jobs.map(({ metadata }) => metadata.name)).toEqual(
        expect.arrayContaining(['migrate-billing', 'migrate-gateway', 'migrate-offers']),
      );
      for (const job of jobs) expect(hookOf(job)).toContain('pre-upgrade');
    }
  });

  it('puts values where they belong', async () => {
    const values = {
      ...production,
      images: { prefix: 'ours.example/ads', tag: '2.3.4', digests: { billing: `sha256:${'a'.repeat(64)}` } },
      hosts: { ...production.hosts, api: 'ads.ours.example' },
      replicas: { gateway: { min: 4, max: 40 } },
      settings: { ...production.settings, moderation: { PICTURES_AT_ONCE: '7' } },
      externalSecrets: false,
      monitoring: false,
    };
    const all = await template(values, 'elsewhere');
    const named = (kind: string, name: string) =>
      all.find((one) => one.kind === kind && one.metadata.name.startsWith(name));
    const text = JSON.stringify(all);
    expect(text).toContain('ours.example/ads/gateway:2.3.4"');
    expect(text).toContain(`ours.example/ads/billing:2.3.4@sha256:${'a'.repeat(64)}"`);
    const examples = /.{20}(registry\.example|api\.offers\.example|namespace\W+offer-ads\b)/g;
    expect(text.match(examples)).toBeNull();
    expect(named('ScaledObject', 'gateway')?.spec).toMatchObject({ minReplicaCount: 4, maxReplicaCount: 40 });
    expect(named('ConfigMap', 'gateway')?.data).toMatchObject({ PUBLIC_URL: 'https://ads.ours.example' });
    const moderation = named('ConfigMap', 'moderation');
    expect(moderation?.data).toMatchObject({ PICTURES_AT_ONCE: '7' });
    // A changed setting restarts the service.
    const before = await template(production, 'elsewhere');
    expect(before.map(({ metadata }) => metadata.name)).not.toContain(moderation?.metadata.name);
    expect(JSON.stringify(named('Deployment', 'moderation'))).toContain(`"${moderation?.metadata.name}"`);
    const kinds = new Set(all.map(({ kind }) => kind));
    for (const kind of ['ServiceMonitor', 'PrometheusRule', 'ExternalSecret'])
      expect(kinds).not.toContain(kind);
    expect(all.flatMap((one) => (one.kind === 'Pod' ? podFaults(one.spec) : faultsOf(one)))).toEqual([]);
  });

  it('passes the linter of helm', async () => {
    writeFileSync(join(folder, 'values.yaml'), stringify(production));
    const { stdout } = await run(['lint', '--strict', chart, '--values', join(folder, 'values.yaml')]);
    expect(stdout).toContain('0 chart(s) failed');
  });
});

function run(args: readonly string[]): Promise<{ stdout: string }> {
  return promisify(execFile)('helm', args, { maxBuffer: 2 ** 24 });
}

async function template(
  values: Values,
  namespace: string,
  ...more: readonly string[]
): Promise<readonly Manifest[]> {
  const file = join(mkdtempSync(join(folder, 'values-')), 'values.yaml');
  writeFileSync(file, stringify(values));
  const options = ['--namespace', namespace, '--values', file, '--kube-version', '1.34.0'];
  const { stdout } = await run(['template', 'offer-ads', chart, ...options, ...more]);
  return parseAllDocuments(stdout)
    .map((document) => document.toJS() as Manifest | null)
    .filter((manifest) => manifest !== null);
}

/** Without the order of objects, and the hash of settings in names, which helm makes in another way. */
function comparable(manifests: readonly Manifest[]): Record<string, unknown> {
  const plain = JSON.parse(
    JSON.stringify(manifests).replaceAll(/"name":"([\w-]+)-[0-9a-f]{10}"/g, '"name":"$1"'),
  ) as readonly Manifest[];
  return Object.fromEntries(plain.map((one) => [`${one.apiVersion} ${one.kind} ${one.metadata.name}`, one]));
}
