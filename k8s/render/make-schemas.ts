/**
 * Makes `generated/*.json`, by which tests judge the manifests: the schemas of Kubernetes and of the operators whose
 * objects k8s/ holds, without prose, and strict: a field that they do not know is refused, as an API server refuses it.
 * How to get the sources: README.md in this folder.
 *
 *     node k8s/render/make-schemas.ts FOLDER
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

type Schema = { readonly [keyword: string]: unknown };

const builtIn = [
  'configmap-v1',
  'cronjob-batch-v1',
  'deployment-apps-v1',
  'horizontalpodautoscaler-autoscaling-v2',
  'ingress-networking-v1',
  'job-batch-v1',
  'namespace-v1',
  'networkpolicy-networking-v1',
  'persistentvolumeclaim-v1',
  'poddisruptionbudget-policy-v1',
  'role-rbac-v1',
  'rolebinding-rbac-v1',
  'secret-v1',
  'service-v1',
  'serviceaccount-v1',
  'statefulset-apps-v1',
];

/** Kind, version, and where its definition lies in the operator's repository. */
const custom = {
  'barman-cloud': {
    module: 'github.com/cloudnative-pg/plugin-barman-cloud@v0.15.0',
    files: ['config/crd/bases/barmancloud.cnpg.io_objectstores.yaml'],
  },
  'cloudnative-pg': {
    module: 'github.com/cloudnative-pg/cloudnative-pg@v1.27.0',
    files: ['clusters', 'databases', 'scheduledbackups'].map(
      (kinds) => `config/crd/bases/postgresql.cnpg.io_${kinds}.yaml`,
    ),
  },
  'external-secrets': {
    module: 'github.com/external-secrets/external-secrets@v1.3.2',
    files: ['externalsecrets', 'secretstores'].map(
      (kinds) => `config/crds/bases/external-secrets.io_${kinds}.yaml`,
    ),
  },
  'gateway-api': {
    module: 'sigs.k8s.io/gateway-api@v1.4.0',
    files: ['gateways', 'httproutes'].map(
      (kinds) => `config/crd/standard/gateway.networking.k8s.io_${kinds}.yaml`,
    ),
  },
  keda: {
    module: 'github.com/kedacore/keda/v2@v2.21.0',
    files: ['scaledobjects', 'triggerauthentications'].map(
      (kinds) => `config/crd/bases/keda.sh_${kinds}.yaml`,
    ),
  },
  mongodb: {
    module: 'github.com/mongodb/mongodb-kubernetes-operator@v0.9.0',
    files: ['config/crd/bases/mongodbcommunity.mongodb.com_mongodbcommunity.yaml'],
  },
  'prometheus-operator': {
    module: 'github.com/prometheus-operator/prometheus-operator@v0.85.0',
    files: ['podmonitors', 'prometheusrules', 'servicemonitors'].map(
      (kinds) => `example/prometheus-operator-crd/monitoring.coreos.com_${kinds}.yaml`,
    ),
  },
  'rabbitmq-cluster-operator': {
    module: 'github.com/rabbitmq/cluster-operator/v2@v2.16.0',
    files: ['config/crd/bases/rabbitmq.com_rabbitmqclusters.yaml'],
  },
  'rabbitmq-messaging-topology-operator': {
    module: 'github.com/rabbitmq/messaging-topology-operator@v1.17.4',
    files: ['bindings', 'exchanges', 'permissions', 'queues', 'topicpermissions', 'users', 'vhosts'].map(
      (kinds) => `config/crd/bases/rabbitmq.com_${kinds}.yaml`,
    ),
  },
};

const folder = process.argv[2] ?? '.';
const OBJECT_META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';
/** Prose, and what binds only the server. */
const leftOut = /^(\$id|\$schema|description|default|format|title|example|externalDocs|x-kubernetes-.*)$/;
/** External Secrets knows a hundred stores; ours is Vault's. */
const onlyProvider = 'vault';

writeGenerated('kubernetes', kubernetes());
for (const [name, { module, files }] of Object.entries(custom)) {
  const kinds = files.flatMap((file) => definedIn(join(folder, 'mod', module, file)));
  writeGenerated(name, { $comment: `${module}, made by make-schemas.ts`, kinds: Object.fromEntries(kinds) });
}

function kubernetes(): object {
  const version = 'v1.34.0-local-strict';
  const source = join(folder, 'wheel/kubernetes_validate/kubernetes-json-schema', version);
  const read = (file: string) => JSON.parse(readFileSync(join(source, file), 'utf8')) as Schema;
  const all = read('_definitions.json').$defs as Record<string, Schema>;
  const reached: Record<string, unknown> = {};
  const reach = (schema: Schema): unknown => {
    const ours = withoutProse(schema);
    for (const [, name = ''] of JSON.stringify(ours).matchAll(/"#\/\$defs\/([^"]+)"/g)) {
      if (name in reached) continue;
      reached[name] = true;
      reached[name] = reach(all[name] ?? {});
    }
    return ours;
  };
  const kinds = builtIn.map((file) => {
    const schema = read(`${file}.json`);
    return [identity(schema.properties as Schema), reach(schema)];
  });
  reach({ $ref: `#/$defs/${OBJECT_META}` });
  const $defs = Object.fromEntries(Object.entries(reached).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  return {
    $comment: `Kubernetes ${version}, made by make-schemas.ts`,
    kinds: Object.fromEntries(kinds),
    $defs,
  };
}

/** `apps/v1 Deployment` */
function identity(properties: Schema): string {
  const only = (name: string) => (properties[name] as { enum: string[] }).enum[0];
  return `${only('apiVersion')} ${only('kind')}`;
}

function definedIn(file: string): [string, unknown][] {
  const { spec } = parse(readFileSync(file, 'utf8')) as {
    spec: {
      group: string;
      names: { kind: string };
      versions: { name: string; storage: boolean; schema: { openAPIV3Schema: Schema } }[];
    };
  };
  const version = spec.versions.find(({ storage }) => storage);
  if (version === undefined) throw new Error(`${file} stores no version`);
  const schema = strict(version.schema.openAPIV3Schema) as { properties: Record<string, unknown> };
  const { status: _, ...properties } = schema.properties;
  const apiVersion = `${spec.group}/${version.name}`;
  return [
    [
      `${apiVersion} ${spec.names.kind}`,
      {
        ...schema,
        properties: {
          ...properties,
          apiVersion: { enum: [apiVersion] },
          kind: { enum: [spec.names.kind] },
          metadata: { $ref: `kubernetes.json#/$defs/${OBJECT_META}` },
        },
      },
    ],
  ];
}

/** What a structural schema leaves out, an API server refuses or drops. */
function strict(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => strict(item));
  if (typeof value !== 'object' || value === null) return value;
  const schema = value as Schema;
  if (name === 'provider' && typeof schema.properties === 'object' && schema.properties !== null)
    return strict({
      ...schema,
      properties: { [onlyProvider]: (schema.properties as Schema)[onlyProvider] },
    });
  const kept: Record<string, unknown> = {};
  for (const [keyword, of] of Object.entries(schema)) {
    if (keyword === 'properties' && typeof of === 'object' && of !== null)
      kept.properties = Object.fromEntries(
        Object.entries(of).map(([property, schema]) => [property, strict(schema, property)]),
      );
    // Go ignores case from there on; JavaScript wants to know until where.
    else if (keyword === 'pattern') kept.pattern = String(of).replace(/^\^\(\?i\)(.*)\$$/, '^(?i:$1)$$');
    else if (!leftOut.test(keyword) && keyword !== 'nullable') kept[keyword] = strict(of);
  }
  if (schema['x-kubernetes-int-or-string'] === true) return { type: ['integer', 'string'] };
  const isClosed =
    kept.properties !== undefined &&
    kept.additionalProperties === undefined &&
    schema['x-kubernetes-preserve-unknown-fields'] !== true;
  return isClosed ? { ...kept, additionalProperties: false } : kept;
}

function withoutProse(value: unknown, isNames = false): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutProse(item));
  if (typeof value === 'string') return value.replace('/api/_definitions.json#', '#');
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([keyword]) => isNames || !leftOut.test(keyword))
      .map(([keyword, of]) => [keyword, withoutProse(of, !isNames && keyword === 'properties')]),
  );
}

function writeGenerated(name: string, content: object): void {
  const file = fileURLToPath(new URL(`generated/${name}.json`, import.meta.url));
  writeFileSync(file, `${JSON.stringify(content)}\n`);
}
