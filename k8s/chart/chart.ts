/**
 * The Helm chart, made of what kustomize renders, so that both give the same objects. Each way to install it is rendered; objects that several
 * ways share are written once, with a condition. What a person may change is a value: images, hosts, replicas, settings and a few more.
 */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { serviceNames } from '@offer-ads/contracts/values/primitives';
import { stringify } from 'yaml';
import { copyManifests, onManagedStores } from '../checks/overlays.ts';
import { generated } from '../render/hash-suffixes.ts';
import type { Manifest, Values } from '../render/patch.ts';
import { k8sFolder, render } from '../render/render.ts';

/** What the values `install`, `stores` and `autoscaling` choose. */
export const ways = [
  'evaluation',
  'stores/operators',
  'stores/managed',
  'services/operators/keda',
  'services/operators/cpu',
  'services/managed',
] as const;
export type Way = (typeof ways)[number];

/** What nobody can guess, so that it must be given for the services. Their defaults in k8s/overlays/production are examples. */
export const ownSettings: Readonly<Record<string, readonly string[]>> = {
  gateway: [
    'IMAGE_ORIGIN',
    'TRUSTED_PROXIES',
    'SUPPORT_EMAIL',
    'IMPRINT_URL',
    'PRIVACY_POLICY_URL',
    'TERMS_URL',
  ],
  offers: ['IMAGE_STORE_URL', 'S3_ENDPOINT', 'S3_REGION'],
  billing: ['SELLER_NAME', 'SELLER_ADDRESS', 'SELLER_VAT_NUMBER'],
  notifier: ['MAIL_FROM'],
  console: ['CONSOLE_OIDC_ISSUER'],
};

const hosts = {
  api: 'api.offers.example',
  payments: 'pay.offers.example',
  pictures: 'images.offers.example',
};

/**
 * The objects of each way as kustomize renders them, without the suffixes of ConfigMaps, and without the namespace and the store of secrets,
 * which are there before.
 */
export function objectsOf(): ReadonlyMap<Way, readonly Manifest[]> {
  using copy = copyManifests();
  const plain = (folder: string) => render(folder, copy.folder, { suffixes: false });
  const services = () => [
    ...plain('overlays/production/migrations').map((one) => asHook(one, 'pre-install,pre-upgrade')),
    ...plain('overlays/production'),
  ];
  type Kustomization = { resources: string[]; components?: string[] };
  copy.change<Kustomization>('overlays/production/stores', ({ resources, ...rest }) => ({
    ...rest,
    resources: resources.filter((path) => path !== 'namespace.yaml' && path !== 'secret-store.yaml'),
  }));
  const all = new Map<Way, readonly Manifest[]>();
  all.set('evaluation', plain('overlays/dev'));
  all.set('stores/operators', plain('overlays/production/stores'));
  all.set('services/operators/keda', services());
  copy.change<Kustomization>('overlays/production', ({ components = [], ...rest }) => ({
    ...rest,
    components: components.map((path) => path.replace('autoscaling-keda', 'autoscaling-cpu')),
  }));
  all.set('services/operators/cpu', services());
  onManagedStores(copy);
  all.set('stores/managed', plain('overlays/production/stores'));
  all.set('services/managed', services());
  return all;
}

/** Migrations come before everything else. */
function asHook(manifest: Manifest, hook: string): Manifest {
  const annotations = {
    ...(manifest.metadata.annotations as object),
    'helm.sh/hook': hook,
    'helm.sh/hook-weight': manifest.kind === 'Job' ? '0' : '-1',
    'helm.sh/hook-delete-policy': 'before-hook-creation',
  };
  return { ...manifest, metadata: { ...manifest.metadata, annotations } };
}

/** Writes the chart into a folder, which is emptied. */
export function writeChart(folder: string, version: string): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, 'templates'), { recursive: true });
  const own = join(k8sFolder, 'chart');
  const meta = readFileSync(join(own, 'Chart.yaml'), 'utf8').replace(/^# .*\n/m, '');
  writeFileSync(join(folder, 'Chart.yaml'), meta.replaceAll('0.0.0', version));
  cpSync(join(own, 'values.yaml'), join(folder, 'values.yaml'));
  cpSync(join(own, 'helm-test.tpl'), join(folder, 'templates/test.yaml'));
  const { templates, settings } = templatesOf(objectsOf());
  for (const [name, text] of templates) writeFileSync(join(folder, 'templates', name), text);
  writeFileSync(join(folder, 'values.schema.json'), `${JSON.stringify(schemaOf(settings), null, 2)}\n`);
}

type Template = { readonly condition: string; readonly ways: Way[]; readonly kind: string };

function templatesOf(objects: ReadonlyMap<Way, readonly Manifest[]>) {
  const texts = new Map<string, Template>();
  /** The settings of each ConfigMap by way, as lines of YAML. */
  const settings = new Map<string, Map<Way, Readonly<Record<string, string>>>>();
  for (const [way, manifests] of objects) {
    const suffixed = new Set(manifests.filter((one) => generated in one && isSettings(one)).map(nameOf));
    for (const [manifest, condition] of manifests.flatMap(whenInstalled)) {
      const name = nameOf(manifest);
      if (isSettings(manifest)) {
        const ofName = settings.get(name) ?? new Map();
        settings.set(name, ofName.set(way, manifest.data));
      }
      const text = textOf(manifest, suffixed);
      const known = texts.get(text);
      if (known === undefined) texts.set(text, { condition, ways: [way], kind: manifest.kind });
      else known.ways.push(way);
    }
  }
  const files = new Map<string, string>([['_helpers.tpl', helpersOf(settings)]]);
  for (const [text, { condition, ways: which, kind }] of texts) {
    const file = `${kind.toLowerCase()}.yaml`;
    files.set(
      file,
      `${files.get(file) ?? ''}{{- if and (${among(which)}) ${condition} }}\n---\n${text}{{- end }}\n`,
    );
  }
  return { templates: files, settings };
}

const nameOf = ({ metadata: { name } }: Manifest) => name;

const among = (which: readonly Way[]) =>
  `has (include "way" .) (list ${which.map((way) => JSON.stringify(way)).join(' ')})`;

/**
 * Each form of an object, with its condition. A Job cannot be changed: one that is installed together with its stores is a hook at each
 * upgrade, when they are there already.
 */
function whenInstalled(manifest: Manifest): readonly (readonly [Manifest, condition: string])[] {
  const isPlainJob = manifest.kind === 'Job' && hookOf(manifest) === undefined;
  if (!isPlainJob) return [[manifest, conditionOf(manifest)]];
  return [
    [manifest, '.Release.IsInstall'],
    [asHook(manifest, 'pre-upgrade'), '.Release.IsUpgrade'],
  ];
}

export function hookOf({ metadata }: Manifest): string | undefined {
  return (metadata.annotations as Readonly<Record<string, string>> | undefined)?.['helm.sh/hook'];
}

function conditionOf({ kind }: Manifest): string {
  if (kind === 'ExternalSecret') return '.Values.externalSecrets';
  return ['ServiceMonitor', 'PodMonitor', 'PrometheusRule'].includes(kind) ? '.Values.monitoring' : 'true';
}

/** All but dashboards and files: each value is one line. */
function isSettings({ kind, data }: Manifest): boolean {
  return (
    kind === 'ConfigMap' && Object.values(data as object).every((value) => !String(value).includes('\n'))
  );
}

/** The examples of k8s/overlays/production that are values here. */
const exampleValues: ReadonlyMap<string, string> = new Map([
  ...Object.entries(hosts).map(([door, host]) => [host, `hosts.${door}`] as const),
  ['https://git.example/offer-ads/blob/main/docs/runbooks', 'runbooks'],
]);
/** Those outside of settings. */
const backupValues: ReadonlyMap<string, string> = new Map([
  ['s3://offer-ads-backups', 'backups.destination'],
  ['https://s3.eu-west-1.amazonaws.com', 'backups.endpoint'],
  ['eu-west-1', 'backups.region'],
]);

const ofRelease = '{{ .Release.Namespace }}';
const asGo = (text: string) => JSON.stringify(text);

/** @param suffixed names of ConfigMaps that end with a hash of their settings */
function textOf(manifest: Manifest, suffixed: ReadonlySet<string>): string {
  if (!isSettings(manifest)) return asTemplate(manifest, { manifest, suffixed });
  const { data: _, ...rest } = manifest;
  const settings = `{{- include "settings" (list . ${asGo(nameOf(manifest))}) | nindent 2 }}`;
  return `${asTemplate(rest, { manifest, suffixed })}data: ${settings}\n`;
}

/** YAML in which what may be changed is a template. Such a part is a mark until the YAML is written, so that nothing of it is escaped. */
function asTemplate(
  value: Values,
  o: { readonly manifest: Manifest; readonly suffixed: ReadonlySet<string> },
): string {
  const templates: string[] = [];
  const mark = (template: string) => `<<${templates.push(template) - 1}>>`;
  const namespace = String(o.manifest.metadata.namespace);
  const name = nameOf(o.manifest);
  const isService = (serviceNames as readonly string[]).includes(name);

  function inText(text: string): string {
    let result = text.replaceAll('{{', () => mark('{{ "{{" }}'));
    for (const [example, of] of o.manifest.kind === 'ConfigMap'
      ? exampleValues
      : [...exampleValues, ...backupValues])
      result = result.replaceAll(example, () => mark(`{{ .Values.${of} }}`));
    return result
      .replaceAll(`.${namespace}.svc`, () => `.${mark(ofRelease)}.svc`)
      .replaceAll(`namespace="${namespace}"`, () => `namespace="${mark(ofRelease)}"`);
  }

  function templated(of: unknown, key: string, parent: string): unknown {
    if (Array.isArray(of)) return of.map((item) => templated(item, key, parent));
    if (typeof of === 'object' && of !== null)
      return Object.fromEntries(
        Object.entries(of).map(([child, inside]) => [child, templated(inside, child, key)]),
      );
    if (typeof of === 'number') {
      const bound = /^(min|max)Replica(s|Count)$/.exec(key)?.[1] ?? (key === 'replicas' ? 'min' : undefined);
      return bound === undefined || !isService
        ? of
        : `number ${mark(`{{ dig ${asGo(name)} "${bound}" ${of} .Values.replicas }}`)}`;
    }
    if (typeof of !== 'string') return of;
    if (key === 'namespace' && of === namespace) return mark(ofRelease);
    if (key === 'cidr' && name.includes('to-managed')) return mark('{{ .Values.managed.network }}');
    const image = key === 'image' ? /offer-ads\/(\w+):/.exec(of)?.[1] : undefined;
    if (image !== undefined) return mark(`{{ include "image" (list . "${image}") }}`);
    const isName =
      ['configMapRef', 'configMapKeyRef', 'configMap'].includes(parent) ||
      (parent === 'metadata' && o.manifest.kind === 'ConfigMap');
    return key === 'name' && isName && o.suffixed.has(of)
      ? mark(`${of}-{{ include "settings" (list . ${asGo(of)}) | sha256sum | trunc 10 }}`)
      : inText(of);
  }

  // All texts are quoted, because nobody knows yet what they will look like.
  const style = { defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN' } as const;
  return stringify(templated(value, '', ''), { ...style, lineWidth: 0, aliasDuplicateObjects: false })
    .replaceAll(/"number (<<\d+>>)"/g, '$1')
    .replaceAll(/<<(\d+)>>/g, (_, index) => templates[Number(index)] ?? '');
}

type Settings = ReadonlyMap<string, ReadonlyMap<Way, Readonly<Record<string, string>>>>;

/** Named templates: the way, images, and the settings of each ConfigMap, with those that the values give. */
function helpersOf(settings: Settings): string {
  const way = `{{- define "way" -}}
{{- if eq .Values.install "evaluation" -}} evaluation
{{- else if or (eq .Values.install "stores") (eq .Values.stores "managed") -}} {{ .Values.install }}/{{ .Values.stores }}
{{- else -}} services/operators/{{ .Values.autoscaling }}
{{- end -}}
{{- end }}
`;
  const image = `{{- define "image" -}}
{{- $root := first . }}{{ $name := last . }}{{ with $root.Values.images }}
{{- .prefix | default "offer-ads" }}/{{ $name }}:
{{- .tag | default $root.Chart.AppVersion }}{{ with get .digests $name }}@{{ . }}{{ end }}
{{- end }}
{{- end }}
`;
  const merged = `{{- define "settings" -}}
{{- $root := first . }}{{ $of := last . }}
{{- $usual := include (printf "settings of %s" $of) $root | fromYaml }}
{{- range $name, $value := mergeOverwrite $usual (get $root.Values.settings $of | default dict) }}
{{ $name }}: {{ $value | quote }}
{{- end }}
{{- end }}
`;
  const usual = [...settings].map(([name, byWay]) => {
    const texts = Map.groupBy(byWay, ([, data]) => settingsText(data));
    const cases = [...texts].map(([text, which], index) => {
      const condition = among(which.map(([of]) => of));
      return `{{- ${index === 0 ? 'if' : 'else if'} ${condition} }}\n${text}`;
    });
    return `{{- define "settings of ${name}" }}\n${cases.join('')}{{- end }}\n{{- end }}\n`;
  });
  return [way, image, merged, ...usual].join('\n');
}

function settingsText(data: Readonly<Record<string, string>>): string {
  const manifest = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: '' } };
  return asTemplate(data, { manifest, suffixed: new Set() });
}

/** The schema by which Helm judges values. A misspelt name is refused. */
function schemaOf(settings: Settings): object {
  const text = { type: 'string' };
  const given = { type: 'string', minLength: 1 };
  const object = (properties: object, others: object = {}) => ({
    type: 'object',
    properties,
    additionalProperties: false,
    ...others,
  });
  const each = (names: readonly string[], of: object) => Object.fromEntries(names.map((name) => [name, of]));
  const count = { type: 'integer', minimum: 1 };
  const namesIn = (byWay: ReadonlyMap<Way, Readonly<Record<string, string>>>) => [
    ...new Set([...byWay.values()].flatMap((data) => Object.keys(data))),
  ];
  const must = (properties: object) => ({ properties, required: Object.keys(properties) });
  const forServices = must({
    images: must({ prefix: given }),
    hosts: must(each(Object.keys(hosts), given)),
    runbooks: given,
    settings: must(
      Object.fromEntries(Object.entries(ownSettings).map(([name, own]) => [name, must(each(own, given))])),
    ),
  });
  const forBackups = must({ backups: must({ destination: given, endpoint: given, region: given }) });
  const where = (properties: Readonly<Record<string, string>>) =>
    must(Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, { const: value }])));
  const required = (condition: object, rule: object) => ({
    if: condition,
    // oxlint-disable-next-line unicorn/no-thenable -- a word of JSON Schema
    then: rule,
  });
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    ...object({
      install: { enum: ['evaluation', 'stores', 'services'] },
      stores: { enum: ['operators', 'managed'] },
      autoscaling: { enum: ['keda', 'cpu'] },
      images: object({
        prefix: text,
        tag: text,
        digests: object(
          each([...serviceNames, 'simulators'], { type: 'string', pattern: '^sha256:[0-9a-f]{64}$' }),
        ),
      }),
      hosts: object(each(Object.keys(hosts), { type: 'string', pattern: '^([a-z0-9.-]+)?$' })),
      replicas: object(each(serviceNames, object({ min: count, max: count }))),
      settings: object(
        Object.fromEntries([...settings].map(([name, byWay]) => [name, object(each(namesIn(byWay), text))])),
      ),
      externalSecrets: { type: 'boolean' },
      monitoring: { type: 'boolean' },
      runbooks: text,
      backups: object({ destination: text, endpoint: text, region: text }),
      managed: object({ network: text }),
      test: object({ secret: text }),
      global: { type: 'object' },
    }),
    allOf: [
      required(where({ install: 'services' }), forServices),
      required(where({ install: 'stores', stores: 'operators' }), forBackups),
    ],
  };
}
